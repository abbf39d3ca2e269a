#include "regions.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "longhaul/core/random.hpp"

namespace longhaul::bench {

schedule::Islands region_islands(const MeasuredRegions& measured,
                                 int islands,
                                 double memory_gb,
                                 std::uint64_t seed) {
    core::Random random(seed, 9);
    std::vector<std::size_t> chosen(measured.names.size());
    std::iota(chosen.begin(), chosen.end(), 0);
    random.shuffle(std::span(chosen));
    chosen.resize(static_cast<std::size_t>(islands));
    std::ranges::sort(chosen);
    schedule::Islands drawn;
    drawn.name = fmt::format("{} cloud regions, seed {}", islands, seed);
    drawn.file = drawn.name;
    drawn.network.nodes = islands;
    for (const std::size_t region : chosen) {
        schedule::Island& island = drawn.islands.emplace_back();
        island.name = measured.names[region];
        island.memory_gb = memory_gb;
        for (const std::size_t other : chosen) {
            if (other != region) {
                island.egress_gbps =
                    std::max(island.egress_gbps, measured.rate_gbps(region, other));
                island.ingress_gbps =
                    std::max(island.ingress_gbps, measured.rate_gbps(other, region));
            }
        }
    }
    for (std::size_t a = 0; a < chosen.size(); ++a) {
        for (std::size_t b = 0; b < chosen.size(); ++b) {
            if (a != b) {
                const double latency = measured.delay_ms(chosen[a], chosen[b]);
                drawn.network.links.push_back({static_cast<topology::NodeId>(a),
                                               static_cast<topology::NodeId>(b),
                                               measured.rate_gbps(chosen[a], chosen[b]),
                                               latency,
                                               schedule::latency_cost(latency),
                                               false});
            }
        }
    }
    drawn.jitter_ms.assign(drawn.network.links.size(), 0);
    return drawn;
}

}  // namespace longhaul::bench
