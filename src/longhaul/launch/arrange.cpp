#include "longhaul/launch/arrange.hpp"

#include <algorithm>

#include "longhaul/core/assert.hpp"

namespace longhaul::launch {

std::vector<int> host_of_devices(const Hosts& hosts) {
    std::vector<int> host_of;
    for (std::size_t h = 0; h < hosts.hosts.size(); ++h) {
        for (const int device : hosts.hosts[h].fabric_devices) {
            host_of.resize(std::max(host_of.size(), static_cast<std::size_t>(device) + 1), -1);
            host_of[device] = static_cast<int>(h);
        }
    }
    return host_of;
}

int split_hosts(const Job& job) {
    return static_cast<int>(
        std::ranges::count_if(job.ranks_of_host, [](const std::vector<int>& ranks) {
            return !ranks.empty() &&
                   ranks.back() - ranks.front() + 1 != static_cast<int>(ranks.size());
        }));
}

core::Result<Arranged> arrange(std::span<const placement::Placement> candidates,
                               const Hosts& hosts,
                               const Options& options) {
    LONGHAUL_ASSERT(!candidates.empty());
    core::Result<Job> first =
        make_job(candidates.front().shape(), candidates.front().rank_map(), hosts, options);
    if (!first) {
        return tl::unexpected(first.error());
    }
    Arranged best{std::move(*first), 0};
    int fewest = split_hosts(best.job);
    for (std::size_t i = 1; i < candidates.size() && fewest > 0; ++i) {
        core::Result<Job> job =
            make_job(candidates[i].shape(), candidates[i].rank_map(), hosts, options);
        LONGHAUL_ASSERT(job.has_value());
        if (const int split = split_hosts(*job); split < fewest) {
            best = {std::move(*job), i};
            fewest = split;
        }
    }
    return best;
}

}  // namespace longhaul::launch
