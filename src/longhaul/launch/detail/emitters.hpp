// The emitters behind the table of launcher.cpp, and what they share.
#pragma once

#include <string>
#include <string_view>

#include "longhaul/launch/launcher.hpp"

namespace longhaul::launch::detail {

[[nodiscard]] core::Result<Launch> emit_torchrun(const Job& job);
[[nodiscard]] core::Result<Launch> emit_env(const Job& job);
[[nodiscard]] core::Result<Launch> emit_slurm(const Job& job);
[[nodiscard]] core::Result<Launch> emit_mpi(const Job& job);
[[nodiscard]] core::Result<Launch> emit_deepspeed(const Job& job);
[[nodiscard]] core::Result<Launch> emit_kubernetes(const Job& job);
[[nodiscard]] core::Result<Launch> emit_megatron(const Job& job);

// Reasons to refuse a job; "" = none.
[[nodiscard]] std::string refuse_nothing(const Job& job);
/// Launchers that give every host one block of consecutive ranks.
[[nodiscard]] std::string refuse_split_hosts(const Job& job);
[[nodiscard]] std::string refuse_mpi(const Job& job);
[[nodiscard]] std::string refuse_slurm(const Job& job);
[[nodiscard]] std::string refuse_kubernetes(const Job& job);
[[nodiscard]] std::string refuse_megatron(const Job& job);
/// Schedulers that hand out devices by themselves: ids must be 0, 1, ... on every host.
[[nodiscard]] std::string refuse_chosen_gpus(const Job& job, std::string_view scheduler);

}  // namespace longhaul::launch::detail
