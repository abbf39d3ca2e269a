// Owners of hierarchical exchanges; against all arrangements: exchange_test.cpp.
#include "longhaul/placement/owners.hpp"

#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/exchange.hpp"

namespace longhaul::placement {
namespace {

TEST(Owners, DependOnTheGroupAlone) {
    // By hand, 8 Gbit/s are 1 s a GB. Devices B A B B; 0 and 3 are of one class, as neither 1 nor 2
    // tells them apart, and a group of 1, 2 and 3 knows nothing of it. One owner a region: 2 owns
    // in B, so that A reaches it at 10 Gbit/s: across 2 x 8 x 0.5 / 10, inside 2 x 8 / 100. With 3
    // as the owner it would be 8.16 s, across at 1 Gbit/s.
    core::Grid<double> slowness(4, 4, 8.0 / 100);
    const std::vector<std::tuple<std::size_t, std::size_t, double>> slow{
        {0, 1, 1}, {1, 2, 10}, {1, 3, 1}};
    for (const auto& [a, b, gbps] : slow) {
        slowness(a, b) = slowness(b, a) = 8 / gbps;
    }
    const PointLinks links{core::Grid<double>(4, 4, 0.0), slowness};
    const ExchangeTerm all(
        Exchange::kHierarchical, links, {1, 0, 1, 1}, 1, 1, std::vector<int>{0, 1, 2, 0});
    const ExchangePlan plan = all.plan(std::vector<int>{1, 2, 3});
    EXPECT_NEAR(plan.seconds, 0.96, 1e-12);
    EXPECT_NEAR(all.of({1, 2, 3}).seconds(std::vector<int>{0, 1, 2}), 0.96, 1e-12);
    std::vector<int> owners;
    for (const int position : plan.order) {
        owners.push_back(plan.group[static_cast<std::size_t>(position)]);
    }
    EXPECT_EQ(owners, (std::vector<int>{2, 1}));  // 3, of B, is the first of the group by class
}

TEST(Owners, OfManyMembersAreSearched) {
    // Two regions of 12, all orders are too many. Across, i of one and 11 - i of the other hop for
    // 1 s, all others for 10 s; inside all hop for 0.5 s: 2 x 11 x 0.5 + 2 x 1.
    core::Grid<double> latency(24, 24, 0.5);
    for (std::size_t i = 0; i < 12; ++i) {
        for (std::size_t j = 12; j < 24; ++j) {
            latency(i, j) = latency(j, i) = i + j == 23 ? 1 : 10;
        }
    }
    std::vector<int> region(24, 0);
    std::fill(region.begin() + 12, region.end(), 1);
    const ExchangePlan plan =
        ExchangeTerm(
            Exchange::kHierarchical, {latency, core::Grid<double>(24, 24, 0.0)}, region, 1, 1)
            .plan(testing::counted(24));
    EXPECT_EQ(plan.seconds, 13);
    EXPECT_TRUE(plan.exact);  // a bound is met
}

}  // namespace
}  // namespace longhaul::placement
