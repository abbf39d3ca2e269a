// One job to launch: the placement, numbered for its framework, joined with the hosts.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "longhaul/launch/convention.hpp"
#include "longhaul/launch/hosts.hpp"
#include "longhaul/placement/shape.hpp"

namespace longhaul::launch {

/// What a person chooses for a launch.
struct Options {
    std::vector<std::string> command;  ///< words of the training command
    std::string name = "longhaul";     ///< of the job: Slurm, Kubernetes
    std::string image;                 ///< container image: Kubernetes
    std::string plan;                  ///< display name of the plan, for README.txt
    std::optional<int> master_port;    ///< instead of the one of the hosts file
    std::string convention = "dt-fm";  ///< how the framework numbers ranks
};

/// One process of the job: one device.
struct Process {
    int device = 0;
    int host = 0;        ///< index into Hosts::hosts
    int gpu = 0;         ///< local device id on that host
    int local_rank = 0;  ///< as the launcher numbers the processes of a host
    int rank = 0;        ///< in the convention of the job
    int stage = 0;
    int replica = 0;
};

struct Job {
    placement::Shape shape;
    const Convention* convention = nullptr;
    Hosts hosts;  ///< those that hold ranks, in the order of the hosts file
    Options options;
    std::vector<Process> processes;               ///< by rank
    std::vector<std::vector<int>> ranks_of_host;  ///< ascending; empty for no host
    int master_port = kDefaultMasterPort;

    /// The host that holds rank 0: the rendezvous address of the job.
    [[nodiscard]] const Host& master() const { return host_of(0); }
    [[nodiscard]] const Host& host_of(int rank) const {
        return hosts
            .hosts[static_cast<std::size_t>(processes[static_cast<std::size_t>(rank)].host)];
    }
    [[nodiscard]] int world_size() const { return static_cast<int>(processes.size()); }
};

/// Joins a plan with hosts. rank_map[device] = replica * pp + stage, one entry a device of the
/// plan, -1 for those left out, which no host needs to hold. Local ranks follow the order of ranks
/// on a host. Fails on sizes that do not agree, a map that is no permutation, an unknown
/// convention, and on options that no emitted file could hold (empty command, control characters,
/// text that is not UTF-8, bad names). O(devices log devices).
[[nodiscard]] core::Result<Job> make_job(placement::Shape shape,
                                         const std::vector<int>& rank_map,
                                         Hosts hosts,
                                         Options options);

/// "0-7, 12": numbers in ascending order as ranges, at most `limit` ranges shown.
[[nodiscard]] std::string ranges_text(std::span<const int> numbers, std::size_t limit = 6);

/// Hosts ordered by their lowest rank.
[[nodiscard]] std::vector<int> hosts_by_rank(const Job& job);

/// The first host, in order of lowest rank, whose ranks are not one block of consecutive numbers.
[[nodiscard]] std::optional<int> split_host(const Job& job);

/// Local device ids of a host in the order of its local ranks.
[[nodiscard]] std::vector<int> gpus_by_local_rank(const Job& job, int host);

}  // namespace longhaul::launch
