// Slurm: srun with the arbitrary distribution takes task i to the i-th line of SLURM_HOSTFILE (man
// srun), so any map can be expressed. Host names are node names.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "longhaul/launch/detail/emitters.hpp"
#include "longhaul/launch/detail/scripts.hpp"
#include "longhaul/launch/quote.hpp"

namespace longhaul::launch::detail {
namespace {

constexpr std::string_view kJob = R"sh(#!/bin/sh
#SBATCH --job-name=@NAME@
#SBATCH --nodes=@NODES@
#SBATCH --ntasks=@TASKS@
#SBATCH --nodelist=@NODELIST@
@GPUS@#SBATCH --exclusive
# Submitted by launch.sh, which sets LONGHAUL_DIR to the folder of this file.
# shellcheck disable=SC1003,SC2016 # quoted values stay as they are
set -eu
: "${LONGHAUL_DIR:?submit this job with launch.sh}"
export SLURM_HOSTFILE="$LONGHAUL_DIR/slurm_hosts"
exec srun --distribution=arbitrary --ntasks=@TASKS@ --kill-on-bad-exit=1 \
    "$LONGHAUL_DIR/rank_exec.sh" \
    @COMMAND@
)sh";

constexpr std::string_view kSubmit = R"sh(#!/bin/sh
# Submits the job. This folder must be visible under the same path on every node.
#   launch.sh [SBATCH OPTION...]
set -eu
LONGHAUL_DIR=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
export LONGHAUL_DIR
exec sbatch "$@" "$LONGHAUL_DIR/job.sbatch"
)sh";

/// "--gpus-per-node=8" where all hosts have the same number; else the job takes whole nodes.
std::string gpus_line(const Job& job) {
    const std::size_t count = job.ranks_of_host.front().size();
    const bool same = std::ranges::all_of(
        job.ranks_of_host, [&](const std::vector<int>& ranks) { return ranks.size() == count; });
    return same ? fmt::format("#SBATCH --gpus-per-node={}\n", count) : "";
}

std::string node_list(const Job& job) {
    std::string text;
    for (const int host : hosts_by_rank(job)) {
        text += (text.empty() ? "" : ",") + job.hosts.hosts[static_cast<std::size_t>(host)].name;
    }
    return text;
}

OutputFile job_file(const Job& job) {
    const std::array<Fill, 6> values{{{"NAME", job.options.name},
                                      {"NODES", fmt::format("{}", job.hosts.hosts.size())},
                                      {"TASKS", fmt::format("{}", job.world_size())},
                                      {"NODELIST", node_list(job)},
                                      {"GPUS", gpus_line(job)},
                                      {"COMMAND", command_words(job)}}};
    return {"job.sbatch", filled(kJob, values), true};
}

}  // namespace

std::string refuse_chosen_gpus(const Job& job, std::string_view scheduler) {
    for (const Host& host : job.hosts.hosts) {
        std::vector<int> gpus = host.gpus;
        std::ranges::sort(gpus);
        if (gpus.back() + 1 != static_cast<int>(gpus.size())) {
            return fmt::format(
                "{} chooses the devices of a job and numbers them from 0, but host {} wants gpus "
                "{}",
                scheduler,
                host.name,
                ranges_text(gpus));
        }
    }
    return "";
}

std::string refuse_slurm(const Job& job) {
    return refuse_chosen_gpus(job, "Slurm");
}

core::Result<Launch> emit_slurm(const Job& job) {
    Identity identity;
    identity.host = "${SLURMD_NODENAME-}";
    identity.rank = "${SLURM_PROCID-}";
    identity.local_rank = "${SLURM_LOCALID-}";
    identity.world_size = "${SLURM_STEP_NUM_TASKS:-${SLURM_NTASKS-}}";
    std::string lines;
    for (const Process& process : job.processes) {
        lines += job.host_of(process.rank).name + "\n";
    }
    Launch launch{{verifier_file(),
                   rank_exec_file(job, identity),
                   job_file(job),
                   {"slurm_hosts", std::move(lines)},
                   {"launch.sh", std::string(kSubmit), true}},
                  "sh launch.sh",
                  {}};
    launch.notes.emplace_back(
        "The name of a host is its Slurm node name. This folder must lie on a file system that all "
        "nodes see under the same path.");
    launch.notes.emplace_back(
        "srun honours the arbitrary distribution for a step inside an allocation; it does not mix "
        "with topology options of srun.");
    return launch;
}

}  // namespace longhaul::launch::detail
