#include "longhaul/placement/contention.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "longhaul/placement/detail/test_support.hpp"

namespace longhaul::placement {
namespace {

/// `count` resources over n points: the first `of` kind (sides 1 and 2 only), others with
/// bystanders.
std::vector<std::vector<int>> random_sides(std::size_t count,
                                           std::size_t n,
                                           bool bystanders,
                                           core::Random& random) {
    std::vector<std::vector<int>> sides(count, std::vector<int>(n));
    for (auto& resource : sides) {
        for (int& side : resource) {
            side = static_cast<int>(bystanders ? random.below(3) : 1 + random.below(2));
        }
    }
    return sides;
}

/// Rates of one resource: equal, one a direction, one direction only, or half duplex.
SharedRates random_rates(core::Random& random) {
    const double one = 4 + random.uniform();
    const double other = 2 + 4 * random.uniform();
    switch (random.below(4)) {
        case 0:
            return {one, one, true};
        case 1:
            return {one, other, true};
        case 2:
            return {one, fabric::SharedCapacity::kNoLimit, true};
        default:
            return {one, one, false};
    }
}

/// What `there` GB one way and `back` GB the other take, straight from the definition.
double plain_seconds(const SharedRates& rates, double there, double back) {
    if (!rates.duplex) {
        return 8 * (there + back) / rates.there_gbps;
    }
    return std::max(8 * there / rates.there_gbps, 8 * back / rates.back_gbps);
}

TEST(Contention, ShardedLoadsEqualThePlainSumOverAllPairs) {
    // Every ordered pair of a stage group carries its shard twice: 2 c / D each way.
    for (int i = 0; i < 100; ++i) {
        testing::Instance instance(740, i);
        const std::size_t n = 12;
        const int dp = std::vector<int>{1, 2, 3, 4, 6}[static_cast<std::size_t>(i) % 5];
        const auto sides = random_sides(3, n, true, instance.random);
        std::vector<SharedRates> rates(3);
        std::ranges::generate(rates, [&] { return random_rates(instance.random); });
        const Contention contention = Contention::with_rates({"a", "b", "c"}, rates, sides);
        const ExchangeTerm term(Exchange::kSharded,
                                {core::Grid<double>(n, n, 0.1), core::Grid<double>(n, n, 1.0)},
                                std::vector<int>(n, 0),
                                0.75,
                                1);
        const std::vector<int> order = testing::shuffled(n, instance.random);
        std::vector<Load> loads;
        std::vector<Load> plain(3);
        for (std::size_t from = 0; from < n; from += static_cast<std::size_t>(dp)) {
            const auto group = std::span(order).subspan(from, static_cast<std::size_t>(dp));
            contention.add(term.plan(group), loads);
            for (const int a : group) {
                for (const int b : group) {
                    for (std::size_t r = 0; r < 3; ++r) {
                        const int x = sides[r][static_cast<std::size_t>(a)];
                        const int y = sides[r][static_cast<std::size_t>(b)];
                        plain[r].there += x == 1 && y == 2 ? 2 * 0.75 / dp : 0;
                        plain[r].back += x == 2 && y == 1 ? 2 * 0.75 / dp : 0;
                    }
                }
            }
        }
        double worst = 0;
        for (std::size_t r = 0; r < 3; ++r) {
            ASSERT_NEAR(loads[r].there, plain[r].there, 1e-12);
            ASSERT_NEAR(loads[r].back, plain[r].back, 1e-12);
            worst = std::max(worst, plain_seconds(rates[r], plain[r].there, plain[r].back));
        }
        ASSERT_NEAR(contention.slowest(loads).seconds, worst, 1e-9);
        ASSERT_EQ(contention.slowest(loads).resource >= 0, worst > 0);
    }
}

TEST(Contention, OneUplinkOfTwoSitesHasAClosedForm) {
    // Two sites of 8 devices, 4 stage groups of 4 with two devices at each site, 1 GB a group:
    // sharded 4 groups x 4 crossing pairs x 2 / 4 GB = 8 GB each way, at 2 Gbit/s 32 s. A ring
    // crosses twice, once each way: 4 x 2 x 3 / 4 GB = 6 GB, 24 s. Two trees of halves at the
    // sites: 4 x 1 GB, 16 s.
    const std::size_t n = 16;
    core::Grid<double> slowness(n, n, 1.0);
    std::vector<int> side(n);
    for (std::size_t i = 0; i < n; ++i) {
        side[i] = i < 8 ? 1 : 2;
        for (std::size_t j = 0; j < n; ++j) {
            slowness(i, j) = (i < 8) == (j < 8) ? 1 : 10;
        }
    }
    const Contention contention({"uplink"}, {2}, {side});
    const auto seconds = [&](Exchange kind) {
        const ExchangeTerm term(kind, {core::Grid<double>(n, n, 0.0), slowness}, side, 1, 1);
        std::vector<Load> loads;
        for (int group = 0; group < 4; ++group) {
            const int first = 2 * group;
            contention.add(term.plan(std::vector<int>{first, first + 1, first + 8, first + 9}),
                           loads);
        }
        return contention.slowest(loads).seconds;
    };
    EXPECT_NEAR(seconds(Exchange::kSharded), 32, 1e-12);
    EXPECT_NEAR(seconds(Exchange::kRing), 24, 1e-12);
    EXPECT_NEAR(seconds(Exchange::kTree), 16, 1e-12);
}

TEST(Contention, AnEdgeCountsTheBusierDirectionOfBothPasses) {
    // Three pipelines from side 1 to side 2, one back, one inside: 3 x (0.5 + 0.25) GB at 3 Gbit/s.
    const Contention contention({"cable"}, {3}, {{1, 1, 1, 1, 1, 2, 2, 2, 2, 2}});
    const Contended edge = contention.edge(
        std::vector<int>{0, 1, 2, 5, 3}, std::vector<int>{6, 7, 8, 4, 4}, 0.5, 0.25);
    EXPECT_NEAR(edge.seconds, 8 * 3 * 0.75 / 3, 1e-12);
    EXPECT_EQ(edge.resource, 0);
}

TEST(Contention, DirectionsHaveTheirRatesAndHalfDuplexAddsThemUp) {
    // The same edge: forward 3 x 0.5 GB there and 0.5 GB back, backward 0.75 GB back and 0.25 GB
    // there. At 3 Gbit/s there and 1 back: max(4, 4) + max(2/3, 6) s. Half duplex at 3: (2 + 1) GB.
    const std::vector<int> side{1, 1, 1, 1, 1, 2, 2, 2, 2, 2};
    const auto seconds = [&](const SharedRates& rates) {
        return Contention::with_rates({"cable"}, {rates}, {side})
            .edge(std::vector<int>{0, 1, 2, 5, 3}, std::vector<int>{6, 7, 8, 4, 4}, 0.5, 0.25)
            .seconds;
    };
    EXPECT_NEAR(seconds({3, 1, true}), 4 + 6, 1e-12);
    EXPECT_NEAR(seconds({3, 3, false}), 8, 1e-12);
    EXPECT_NEAR(seconds({3, fabric::SharedCapacity::kNoLimit, true}), 4 + 2.0 / 3, 1e-12);
}

TEST(Contention, MatchIsTheBestOfAllMatchingsWithOneUplinkAndHoldsItsBound) {
    int best_with_several = 0;
    for (int i = 0; i < 300; ++i) {
        testing::Instance instance(741, i);
        const std::size_t d = 2 + static_cast<std::size_t>(i) % 4;
        const bool one = i % 2 == 0;
        const auto sides = random_sides(one ? 1 : 3, 2 * d, !one, instance.random);
        std::vector<SharedRates> rates(sides.size());
        std::ranges::generate(rates, [&] { return random_rates(instance.random); });
        const Contention contention =
            Contention::with_rates(std::vector<std::string>(sides.size(), "r"), rates, sides);
        const auto costs = random_costs(2 * d, instance.levels, false, instance.random);
        core::Grid<double> pairs(d, d);
        std::vector<int> left = testing::counted(d);
        std::vector<int> right(d);
        for (std::size_t a = 0; a < d; ++a) {
            right[a] = static_cast<int>(d + a);
            for (std::size_t b = 0; b < d; ++b) {
                pairs(a, b) = costs(a, d + b);
            }
        }
        const ContendedEdge edge = contention.match(pairs, left, right, 0.5, 0.25);
        double best = std::numeric_limits<double>::infinity();
        std::vector<int> order = testing::counted(d);
        do {
            double slowest = 0;
            double shared = 0;
            std::vector<int> joined(d);
            for (std::size_t a = 0; a < d; ++a) {
                slowest = std::max(slowest, pairs(a, static_cast<std::size_t>(order[a])));
                joined[a] = right[static_cast<std::size_t>(order[a])];
            }
            for (std::size_t r = 0; r < sides.size(); ++r) {
                int there = 0;
                int back = 0;
                for (std::size_t a = 0; a < d; ++a) {
                    const int x = sides[r][a];
                    const int y = sides[r][static_cast<std::size_t>(joined[a])];
                    there += x == 1 && y == 2 ? 1 : 0;
                    back += x == 2 && y == 1 ? 1 : 0;
                }
                // Forward 0.5 GB a pair, then 0.25 GB the other way.
                shared = std::max(shared,
                                  plain_seconds(rates[r], 0.5 * there, 0.5 * back) +
                                      plain_seconds(rates[r], 0.25 * back, 0.25 * there));
            }
            ASSERT_NEAR(contention.edge(left, joined, 0.5, 0.25).seconds, shared, 1e-9) << i;
            slowest = std::max(slowest, shared);
            best = std::min(best, slowest);
        } while (std::ranges::next_permutation(order).found);
        ASSERT_LE(edge.bound, best + 1e-9) << i;
        ASSERT_GE(edge.seconds(), best - 1e-9) << i;
        if (one) {
            ASSERT_NEAR(edge.seconds(), best, 1e-9) << i;
        } else {
            best_with_several += edge.seconds() <= best + 1e-9 ? 1 : 0;
        }
    }
    EXPECT_GE(best_with_several, 120);  // of 150
}

TEST(Contention, CountsOfClassesEqualTheirDevices) {
    // Points that repeat stand for devices of one class: same flows, same sides.
    const Contention classes({"r"}, {1}, {{1, 2}});
    const Contention devices({"r"}, {1}, {{1, 1, 1, 2, 2, 2}});
    const auto links = [](std::size_t n) {
        return PointLinks{core::Grid<double>(n, n, 0.0), core::Grid<double>(n, n, 1.0)};
    };
    for (const Exchange kind : {Exchange::kSharded, Exchange::kCentral, Exchange::kHierarchical}) {
        std::vector<Load> by_class;
        std::vector<Load> by_device;
        classes.add(
            ExchangeTerm(kind, links(2), {0, 1}, 1, 1).plan(std::vector<int>{0, 0, 0, 1, 1}),
            by_class);
        devices.add(ExchangeTerm(kind, links(6), {0, 0, 0, 1, 1, 1}, 1, 1)
                        .plan(std::vector<int>{4, 0, 2, 3, 1}),
                    by_device);
        EXPECT_NEAR(by_class[0].there, by_device[0].there, 1e-12) << name_of(kind);
        EXPECT_GT(by_class[0].there, 0) << name_of(kind);
    }
    const core::Grid<double> pairs(3, 3, 0.25);
    EXPECT_EQ(classes.match(pairs, std::vector<int>{0, 0, 1}, std::vector<int>{0, 1, 1}, 0.1, 0.1)
                  .shared.seconds,
              devices.match(pairs, std::vector<int>{0, 1, 3}, std::vector<int>{2, 4, 5}, 0.1, 0.1)
                  .shared.seconds);
}

}  // namespace
}  // namespace longhaul::placement
