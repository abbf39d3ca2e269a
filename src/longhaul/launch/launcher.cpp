#include "longhaul/launch/launcher.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "longhaul/launch/detail/emitters.hpp"
#include "longhaul/launch/detail/scripts.hpp"

namespace longhaul::launch {
namespace {

// A new launcher is one line here and one emit_<name>.cpp (docs/howto/add-a-launcher.md).
constexpr std::array kLaunchers = std::to_array<Launcher>({
    {"torchrun",
     "torchrun with static rendezvous, started by ssh",
     "maps that give every host one block of consecutive ranks",
     LocalRanks::kByRank,
     detail::refuse_split_hosts,
     detail::emit_torchrun},
    {"env",
     "env:// variables a process, started by ssh",
     "any map",
     LocalRanks::kByRank,
     detail::refuse_nothing,
     detail::emit_env},
    {"slurm",
     "srun --distribution=arbitrary in an sbatch job",
     "any map; devices 0, 1, ... of every host",
     LocalRanks::kByRank,
     detail::refuse_slurm,
     detail::emit_slurm},
    {"mpi",
     "Open MPI mpirun with a rankfile",
     "any map; hosts with names or IPv4 addresses",
     LocalRanks::kByRank,
     detail::refuse_mpi,
     detail::emit_mpi},
    {"deepspeed",
     "deepspeed with a hostfile, started by ssh",
     "maps that give every host one block of consecutive ranks",
     LocalRanks::kRankModulo,
     detail::refuse_split_hosts,
     detail::emit_deepspeed},
    {"kubernetes",
     "a JobSet with one pod a host and the map in a ConfigMap",
     "any map; devices 0, 1, ... of every host",
     LocalRanks::kByRank,
     detail::refuse_kubernetes,
     detail::emit_kubernetes},
    {"megatron",
     "Megatron-LM flags, with torchrun where the map allows it, else env://",
     "any map, numbered replica * P + stage or stage * D + replica",
     LocalRanks::kByRank,
     detail::refuse_megatron,
     detail::emit_megatron},
});

void number_locally(Job& job, LocalRanks rule) {
    for (Process& process : job.processes) {
        const auto& ranks = job.ranks_of_host[static_cast<std::size_t>(process.host)];
        process.local_rank =
            rule == LocalRanks::kRankModulo
                ? process.rank % static_cast<int>(ranks.size())
                : static_cast<int>(std::ranges::lower_bound(ranks, process.rank) - ranks.begin());
    }
}

}  // namespace

std::span<const Launcher> launchers() {
    return kLaunchers;
}

const Launcher* find_launcher(std::string_view name) {
    const auto* found = std::ranges::find(kLaunchers, name, &Launcher::name);
    return found == kLaunchers.end() ? nullptr : found;
}

Verdict check(const Launcher& launcher, const Job& job) {
    Verdict verdict{launcher.refusal(job), {}};
    for (const Launcher& other : kLaunchers) {
        if (other.refusal(job).empty()) {
            verdict.others.emplace_back(other.name);
        }
    }
    return verdict;
}

core::Result<Launch> emit(const Launcher& launcher, Job job) {
    if (const Verdict verdict = check(launcher, job); !verdict.reason.empty()) {
        return core::fail({"",
                           "rank_map",
                           fmt::format("{} cannot launch it: {}", launcher.name, verdict.reason),
                           fmt::format("use --to {}", fmt::join(verdict.others, ", "))});
    }
    number_locally(job, launcher.local_ranks);
    core::Result<Launch> launch = launcher.emit(job);
    if (launch) {
        launch->files.push_back(detail::rank_map_file(job));
        launch->files.push_back(detail::readme_file(launcher, job, *launch));
    }
    return launch;
}

}  // namespace longhaul::launch
