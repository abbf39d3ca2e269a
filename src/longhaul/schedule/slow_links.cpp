#include <algorithm>

#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/local_search.hpp"

namespace longhaul::schedule::detail {

std::vector<Islands> without_slow_links(const Islands& islands) {
    constexpr std::size_t kMostNetworks = 4;
    std::vector<Islands> networks = {islands};
    std::vector<double> rates;
    for (const topology::Link& link : islands.network.links) {
        rates.push_back(link.gbps);
    }
    std::ranges::sort(rates);
    rates.erase(std::ranges::unique(rates).begin(), rates.end());
    for (const double rate : rates) {
        Islands fewer = islands;
        for (topology::Link& link : fewer.network.links) {
            link.down = link.gbps <= rate;
        }
        topology::Stream all{0, {}, 1};
        for (int i = 1; i < static_cast<int>(islands.size()); ++i) {
            all.receivers.push_back(i);
        }
        const auto tree = topology::shortest_trees(fewer.network, {all});
        const auto far = topology::stream_latencies(fewer.network, all, tree.front());
        if (networks.size() == kMostNetworks ||
            std::ranges::any_of(far, [](double latency) { return latency == kNever; })) {
            break;
        }
        networks.push_back(std::move(fewer));
    }
    return networks;
}

}  // namespace longhaul::schedule::detail
