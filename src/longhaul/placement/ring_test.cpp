#include "longhaul/placement/ring.hpp"

#include <gtest/gtest.h>

#include "longhaul/placement/brute_force.hpp"
#include "longhaul/placement/detail/test_support.hpp"

namespace longhaul::placement {
namespace {

double slowest_of(const core::Grid<double>& hops, const std::vector<int>& order) {
    double slowest = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto a = static_cast<std::size_t>(order[i]);
        const auto b = static_cast<std::size_t>(order[(i + 1) % order.size()]);
        slowest = std::max(slowest, hops(a, b));
    }
    return slowest;
}

void expect_ring(const core::Grid<double>& hops, const Ring& ring, int instance) {
    std::vector<int> sorted = ring.order;
    std::ranges::sort(sorted);
    ASSERT_EQ(sorted, testing::counted(hops.rows())) << instance;
    ASSERT_EQ(slowest_of(hops, ring.order), ring.slowest) << instance;
    ASSERT_LE(ring.bound, ring.slowest) << instance;
}

TEST(BestRing, EqualsBruteForce) {
    for (int i = 0; i < 400; ++i) {
        testing::Instance instance(700, i);
        const std::size_t n = 2 + static_cast<std::size_t>(i) % 7;
        const auto hops = random_costs(n, instance.levels, instance.equal_rows, instance.random);
        const Ring ring = best_ring(hops);
        expect_ring(hops, ring, i);
        ASSERT_TRUE(ring.exact());
        ASSERT_EQ(ring.slowest, brute_force_ring(hops)) << i;
    }
}

TEST(BestRing, OneMemberHasNoHop) {
    const Ring ring = best_ring(core::Grid<double>(1, 1, 0.0));
    EXPECT_EQ(ring.slowest, 0);
    EXPECT_TRUE(ring.exact());
}

/// Sites of `each` members: hops of 1 inside, `between` across.
core::Grid<double> sites(std::size_t count, std::size_t each, const core::Grid<double>& between) {
    core::Grid<double> hops(count * each, count * each, 1.0);
    for (std::size_t i = 0; i < hops.rows(); ++i) {
        for (std::size_t j = 0; j < hops.rows(); ++j) {
            if (i / each != j / each) {
                hops(i, j) = between(i / each, j / each);
            }
        }
    }
    return hops;
}

TEST(BestRing, FindsThePlantedRingAmongManyMembers) {
    // A hidden ring of hops of at most 2, everything else at least 3, with some shortcuts of 1 that
    // no ring needs: the best slowest hop is the slowest of the hidden ring.
    for (int i = 0; i < 60; ++i) {
        testing::Instance instance(701, i);
        const std::size_t n = 13 + static_cast<std::size_t>(i);
        const std::vector<int> hidden = testing::shuffled(n, instance.random);
        core::Grid<double> hops = random_costs(n, 0, false, instance.random);
        for (double& hop : hops.cells()) {
            hop += 3;
        }
        for (std::size_t k = 0; k < n; ++k) {
            const auto a = static_cast<std::size_t>(hidden[k]);
            const auto b = static_cast<std::size_t>(hidden[(k + 1) % n]);
            hops(a, b) = hops(b, a) = 2;
        }
        const Ring ring = best_ring(hops);
        expect_ring(hops, ring, i);
        ASSERT_TRUE(ring.exact()) << i;
        ASSERT_EQ(ring.slowest, 2) << i;
    }
}

TEST(BestRing, SitesAreCrossedByTheirBestRing) {
    // Members of a site hop for 1, so a ring of sites makes a ring of members: with at least two
    // members a site, even a spanning tree of sites does, walked around. So the best slowest hop is
    // the last hop of the minimum spanning tree.
    core::Grid<double> between(4, 4, 9.0);
    between(0, 1) = between(1, 0) = 3;
    between(1, 2) = between(2, 1) = 5;
    between(1, 3) = between(3, 1) = 4;
    const Ring ring = best_ring(sites(4, 6, between));
    EXPECT_EQ(ring.slowest, 5);
    EXPECT_TRUE(ring.exact());
    // One member a site: site 1 would be passed three times, so a hop of 9 is needed.
    EXPECT_EQ(best_ring(sites(4, 1, between)).slowest, 9);
}

TEST(Shorten, KeepsTheRingAndItsSlowestHop) {
    for (int i = 0; i < 100; ++i) {
        testing::Instance instance(703, i);
        const std::size_t n = 2 + static_cast<std::size_t>(i) % 20;
        const auto hops = random_costs(n, instance.levels, instance.equal_rows, instance.random);
        const auto sum = [&](const Ring& ring) {
            double all = 0;
            for (std::size_t k = 0; k < n; ++k) {
                all += hops(static_cast<std::size_t>(ring.order[k]),
                            static_cast<std::size_t>(ring.order[(k + 1) % n]));
            }
            return all;
        };
        const Ring before = best_ring(hops);
        Ring after = before;
        shorten(after, hops);
        ASSERT_LE(sum(after), sum(before) + 1e-12) << i;
        ASSERT_LE(slowest_of(hops, after.order), before.slowest) << i;
        std::ranges::sort(after.order);
        ASSERT_EQ(after.order, testing::counted(n)) << i;
    }
}

TEST(Shorten, CrossesASlowLinkTwice) {
    // Two sites of 4 members dealt in turn: hops of 1 inside, 2 across. Every ring crosses, none
    // has to more than twice: 6 x 1 + 2 x 2.
    core::Grid<double> hops(8, 8);
    for (std::size_t i = 0; i < 8; ++i) {
        for (std::size_t j = 0; j < 8; ++j) {
            hops(i, j) = i % 2 == j % 2 ? 1 : 2;
        }
    }
    Ring ring{testing::counted(8), 2, 2};
    shorten(ring, hops);
    double sum = 0;
    for (std::size_t k = 0; k < 8; ++k) {
        sum += hops(static_cast<std::size_t>(ring.order[k]),
                    static_cast<std::size_t>(ring.order[(k + 1) % 8]));
    }
    EXPECT_EQ(sum, 10);
}

TEST(BestRing, RandomHopsOfManyMembersMostlyMeetTheBound) {
    // A dense random graph has a ring as soon as it is biconnected, with few exceptions (Komlos and
    // Szemeredi, 1983: as soon as no member has fewer than two hops).
    int met = 0;
    for (int i = 0; i < 100; ++i) {
        testing::Instance instance(702, i);
        const auto hops = random_costs(20, i % 2 == 0 ? 5 : 0, false, instance.random);
        const Ring ring = best_ring(hops);
        expect_ring(hops, ring, i);
        met += ring.exact() ? 1 : 0;
    }
    EXPECT_GE(met, 80);
}

}  // namespace
}  // namespace longhaul::placement
