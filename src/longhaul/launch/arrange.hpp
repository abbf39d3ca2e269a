// Spends what costs nothing: of equally good placements, the one whose hosts hold contiguous ranks.
#pragma once

#include <span>
#include <vector>

#include "longhaul/launch/job.hpp"

namespace longhaul::launch {

/// Host index of every device, for functions of the placement module that prefer pairs on one host.
[[nodiscard]] std::vector<int> host_of_devices(const Hosts& hosts);

/// Hosts whose ranks are not one block of consecutive numbers.
[[nodiscard]] int split_hosts(const Job& job);

/// make_job for each candidate; the job with the fewest split hosts, the first of equals. `chosen`
/// is its index. The candidates must be equally good and not empty; fails where the first one does.
struct Arranged {
    Job job;
    std::size_t chosen = 0;
};
[[nodiscard]] core::Result<Arranged> arrange(std::span<const placement::Placement> candidates,
                                             const Hosts& hosts,
                                             const Options& options);

}  // namespace longhaul::launch
