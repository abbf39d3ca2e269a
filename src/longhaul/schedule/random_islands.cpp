#include "longhaul/schedule/detail/random_islands.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longhaul/core/random.hpp"
#include "longhaul/schedule/detail/common.hpp"

namespace longhaul::schedule::detail {

Islands planar_islands(int islands, double memory_gb, std::uint64_t seed) {
    core::Random random(seed, 5);
    Islands drawn;
    drawn.name = fmt::format("planar {} seed {}", islands, seed);
    drawn.file = drawn.name;
    std::vector<std::pair<double, double>> at;
    for (int i = 0; i < islands; ++i) {
        at.emplace_back(8000 * random.uniform(), 4000 * random.uniform());
        Island& island = drawn.islands.emplace_back();
        island.name = fmt::format("p{}", i);
        island.egress_gbps = island.ingress_gbps = 20;
        island.memory_gb = memory_gb;
    }
    drawn.network.nodes = islands;
    const auto square = [&](std::size_t i, std::size_t j) {
        return std::pow(at[i].first - at[j].first, 2) + std::pow(at[i].second - at[j].second, 2);
    };
    for (std::size_t i = 0; i < at.size(); ++i) {
        for (std::size_t j = i + 1; j < at.size(); ++j) {
            bool near = true;
            for (std::size_t k = 0; k < at.size() && near; ++k) {
                near = k == i || k == j || square(i, k) + square(j, k) >= square(i, j);
            }
            if (near) {
                const double latency = 1.3 * std::sqrt(square(i, j)) / 200;
                const auto a = static_cast<topology::NodeId>(i);
                const auto b = static_cast<topology::NodeId>(j);
                const int cost = latency_cost(latency);
                drawn.network.links.push_back({a, b, 100, latency, cost, false});
                drawn.network.links.push_back({b, a, 100, latency, cost, false});
            }
        }
    }
    drawn.jitter_ms.assign(drawn.network.links.size(), 0);
    return drawn;
}

Islands without_islands(const Islands& islands, const std::vector<std::string>& dropped) {
    Islands fewer = islands;
    fewer.islands.clear();
    fewer.schedules.clear();
    std::vector<topology::NodeId> number(slot(islands.network.nodes));
    const auto gone = [&](const Island& island) {
        return std::ranges::find(dropped, island.name) != dropped.end();
    };
    std::vector<std::string> forwarding;
    for (const Island& island : islands.islands) {
        if (!gone(island)) {
            fewer.islands.push_back(island);
        }
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < islands.size(); ++i) {
        if (gone(islands.islands[i])) {
            number[i] = static_cast<topology::NodeId>(fewer.size() + forwarding.size());
            forwarding.push_back(islands.islands[i].name);
        } else {
            number[i] = static_cast<topology::NodeId>(kept++);
        }
    }
    for (std::size_t t = 0; t < islands.transit.size(); ++t) {
        number[islands.size() + t] =
            static_cast<topology::NodeId>(fewer.size() + forwarding.size());
        forwarding.push_back(islands.transit[t]);
    }
    fewer.transit = std::move(forwarding);
    for (topology::Link& link : fewer.network.links) {
        link.from = number[link.from];
        link.to = number[link.to];
    }
    return fewer;
}

}  // namespace longhaul::schedule::detail
