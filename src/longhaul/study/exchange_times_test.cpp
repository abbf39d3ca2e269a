#include "longhaul/study/exchange_times.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "longhaul/core/random.hpp"
#include "longhaul/study/detail/test_support.hpp"
#include "longhaul/study/island_network.hpp"

namespace longhaul::study {
namespace {

using schedule::Islands;

Islands nine_cities(double memory_gb) {
    Islands islands = testing::shipped_islands("nine-city.json");
    for (schedule::Island& island : islands.islands) {
        island.memory_gb = memory_gb;
    }
    return islands;
}

/// Islands in a full mesh of equal links.
Islands mesh(std::size_t n, double gbps, double latency_ms, double access_gbps) {
    Islands islands;
    islands.network.nodes = static_cast<int>(n);
    for (std::size_t a = 0; a < n; ++a) {
        islands.islands.push_back({.name = std::string(1, static_cast<char>('a' + a)),
                                   .region = "",
                                   .egress_gbps = access_gbps,
                                   .ingress_gbps = access_gbps,
                                   .memory_gb = 0,
                                   .target = 1});
        for (std::size_t b = 0; b < n; ++b) {
            if (a != b) {
                topology::Link link;
                link.from = static_cast<topology::NodeId>(a);
                link.to = static_cast<topology::NodeId>(b);
                link.gbps = gbps;
                link.latency_ms = latency_ms;
                islands.network.links.push_back(link);
            }
        }
    }
    islands.jitter_ms.assign(islands.network.links.size(), 0);
    return islands;
}

// Seven of nine streams share a link of 100 Gbit/s: 560 ms, and FRA - LON - SIN - TYO 115.83 ms.
TEST(ExchangeTimes, OfNineCitiesByMulticastAreThoseOfThePaper) {
    const Islands islands = nine_cities(32);
    const schedule::Capabilities can = schedule::capabilities_of(islands);
    schedule::RoundTimes times(islands, can);
    EXPECT_NEAR(multicast_time(times).ms, 675.83, 5e-3);
    const auto all = exchange_times(times, true);
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(fastest(all).kind, ExchangeKind::kMulticast);
}

// 16 steps of a ninth of 8 Gbit at 20 Gbit/s and London - Singapore, 76.684 ms, which every ring
// through Asia and Europe crosses, or something longer.
TEST(ExchangeTimes, OfNineCitiesByRingAndByCopies) {
    const Islands islands = nine_cities(0);
    const schedule::Capabilities can = schedule::capabilities_of(islands);
    schedule::RoundTimes times(islands, can);
    const ExchangeTime multicast = multicast_time(times);
    EXPECT_TRUE(std::isinf(multicast.ms));
    EXPECT_FALSE(multicast.detail.empty());
    EXPECT_NEAR(ring_time(times).ms, 16 * (8000.0 / 9 / 20 + 76.684), 1e-6);
    // Eight copies of 400 ms each, unless a link of 100 Gbit/s carries more than 40 of 80 ms each.
    EXPECT_NEAR(unicast_time(times).ms, 3200 + 115.8285, 1e-3);
    EXPECT_EQ(fastest(exchange_times(times, true)).kind, ExchangeKind::kRing);
}

TEST(ExchangeTimes, OfAMeshHaveClosedForms) {
    for (const std::size_t n : {2U, 3U, 5U}) {
        const Islands islands = mesh(n, 10, 7, 4);
        const schedule::Capabilities can = schedule::capabilities_of(islands);
        schedule::RoundTimes times(islands, can);
        const double peers = static_cast<double>(n - 1);
        EXPECT_NEAR(
            ring_time(times).ms, 2 * peers * (8000.0 / static_cast<double>(n) / 4 + 7), 1e-6);
        EXPECT_NEAR(unicast_time(times).ms, peers * 8000 / 4 + 7, 1e-6);
        // Equal latencies align without memory.
        EXPECT_NEAR(multicast_time(times).ms, 8000.0 / 4 + 7, 1e-6);
        EXPECT_NEAR(exchange_bound_ms(islands, 1), 8000.0 / 4 + 7, 1e-9);
    }
}

// 400 ms out of the access link and 115.83 to the farthest city: congestion-aware trees reach it.
TEST(ExchangeTimes, BoundOfNineCities) {
    EXPECT_NEAR(exchange_bound_ms(nine_cities(32), 1), 515.83, 5e-3);
}

/// Slowest hop of the best of all rings, each hop with its links to itself, without the module.
double best_slowest_hop(const Islands& islands, double payload_gb) {
    const std::size_t n = islands.size();
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    double best = 1e300;
    do {
        double slowest = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t a = order[i];
            const std::size_t b = order[(i + 1) % n];
            for (const topology::Link& link : islands.network.links) {
                if (link.from == a && link.to == b) {
                    const double gbps = std::min({link.gbps,
                                                  islands.islands[a].egress_gbps,
                                                  islands.islands[b].ingress_gbps});
                    slowest = std::max(
                        slowest,
                        8000 * payload_gb / static_cast<double>(n) / gbps + link.latency_ms);
                }
            }
        }
        best = std::min(best, slowest);
    } while (std::next_permutation(order.begin() + 1, order.end()));
    return best;
}

TEST(ExchangeTimes, TheRingIsTheBestOfAllAndNoKindIsBelowTheBound) {
    for (std::uint64_t i = 0; i < 40; ++i) {
        core::Random random(5, i);
        const std::size_t n = 3 + static_cast<std::size_t>(random.below(4));
        Islands islands = mesh(n, 1, 1, 20);
        for (topology::Link& link : islands.network.links) {
            if (link.from < link.to) {  // the same both ways
                link.gbps = 1 + static_cast<double>(random.below(30));
                link.latency_ms = static_cast<double>(random.below(100));
                for (topology::Link& back : islands.network.links) {
                    if (back.from == link.to && back.to == link.from) {
                        back.gbps = link.gbps;
                        back.latency_ms = link.latency_ms;
                    }
                }
            }
        }
        schedule::Capabilities can = schedule::capabilities_of(islands);
        can.payload_gb = 0.5;
        can.memory_gb.assign(n, 0.5);
        schedule::RoundTimes times(islands, can);
        const double steps = 2 * static_cast<double>(n - 1);
        EXPECT_NEAR(ring_time(times).ms, steps * best_slowest_hop(islands, 0.5), 1e-6) << i;
        for (const ExchangeTime& time : exchange_times(times, true)) {
            EXPECT_GE(time.ms, exchange_bound_ms(islands, 0.5) - 1e-9) << name_of(time.kind);
        }
    }
}

TEST(ExchangeTimes, FasterLinksAreAsGoodAsASmallerPayload) {
    const Islands islands = nine_cities(32);
    const Islands fast = with_faster_links(islands, 4);
    schedule::Capabilities can = schedule::capabilities_of(islands);
    can.memory_gb.assign(islands.size(), 32);
    schedule::Capabilities quarter = can;
    quarter.payload_gb = 0.25;
    schedule::RoundTimes scaled(fast, can);
    schedule::RoundTimes small(islands, quarter);
    for (const bool multicast : {true, false}) {
        const auto a = exchange_times(scaled, multicast);
        const auto b = exchange_times(small, multicast);
        for (std::size_t i = 0; i < a.size(); ++i) {
            EXPECT_NEAR(a[i].ms, b[i].ms, 1e-6);
        }
    }
}

}  // namespace
}  // namespace longhaul::study
