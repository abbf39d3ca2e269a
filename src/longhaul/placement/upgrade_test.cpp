#include "longhaul/placement/upgrade.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "longhaul/placement/detail/test_support.hpp"

namespace longhaul::placement {
namespace {

/// Two regions of two devices: 1 s a GB and 0.1 s a message inside, 10 s a GB and 0.3 s between.
fabric::Fabric two_regions_with_delay() {
    return fabric::read_fabric(R"({"regions": ["a", "b"], "gpus_per_region": 2,
        "intra_region": {"delay_ms": 100, "bandwidth_gbps": 8},
        "pairs": [{"a": "a", "b": "b", "delay_ms": 300, "bandwidth_gbps": 0.8}]})",
                               "two.json")
        .value();
}

ProblemOfFabric with_payloads(double c_pp, double c_dp, Shape shape) {
    return [=](const fabric::Fabric& fabric) {
        return make_problem(fabric, "f", testing::payloads(c_pp, c_dp), shape).value();
    };
}

// One region a stage, c_pp = 0.5, c_dp = 1, pp 2 x dp 2 by hand:
//   exchange 2 (0.1 + 0.5 * 1) = 1.2; edge 2 (0.3 + 0.5 * 10) = 10.6; score 11.8.
// Between the regions with twice the bandwidth: edge 2 (0.3 + 2.5) = 5.6, score 6.8; with half the
// latency: edge 10.3, score 11.5; infinitely fast: edge 0.6, score 1.8, and every bit helps until
// then. Inside one region alone nothing is won: the other binds as well.
TEST(Upgrades, AreThoseByHand) {
    const fabric::Fabric fabric = two_regions_with_delay();
    const Placement placement = Placement::from_stages({{0, 1}, {2, 3}});
    SolveOptions options;
    options.search.budget = 500;
    const auto all = upgrades(with_payloads(0.5, 1, {2, 2}), fabric, placement, 1, options).value();
    const DeviceGroups groups = device_groups(fabric);
    ASSERT_EQ(all.size(), 3U);
    const Upgrade& between = all[0];
    EXPECT_EQ(groups.name(between.group), "a - b");
    EXPECT_NEAR(between.bandwidth_kept, 6.8, 1e-9);
    EXPECT_NEAR(between.latency_kept, 11.5, 1e-9);
    EXPECT_NEAR(between.limit, 1.8, 1e-6);
    EXPECT_FALSE(between.until);
    ASSERT_TRUE(between.solved);
    // Solved anew with 5 s a GB between: the best of all three partitions into pairs, by hand:
    // pipelines inside regions take 2 (0.3 + 0.5 * 5) + 2 (0.1 + 0.5) = 6.8 as well.
    EXPECT_NEAR(between.bandwidth_solved, 6.8, 1e-9);
    for (const Upgrade& inside : {all[1], all[2]}) {
        EXPECT_EQ(inside.group.first, inside.group.second);
        EXPECT_NEAR(inside.bandwidth_kept, 11.8, 1e-9);
        EXPECT_EQ(inside.until, 1);
        EXPECT_NEAR(inside.limit, 11.8, 1e-9);
        EXPECT_FALSE(inside.solved);
    }
}

TEST(Upgrades, TellWhenSomethingElseBinds) {
    // Two replicas: pairs (a, c) and (b, d); the first takes 2 * 8 / 1 = 16 s, the second
    // 2 * 8 / 4 = 4 s. Up to 4 times the bandwidth of a-c every bit helps, then b-d binds.
    fabric::FabricParts parts;
    parts.labels = {"a", "b", "c", "d"};
    parts.alpha_ms = core::Grid<double>(4, 4, 0);
    core::Grid<double> beta(4, 4, 4);
    beta(0, 2) = beta(2, 0) = 1;
    parts.beta_gbps = beta;
    const fabric::Fabric fabric = fabric::Fabric::make(std::move(parts), "f").value();
    const Placement placement = Placement::from_stages({{0, 1}, {2, 3}});
    const auto all =
        upgrades(with_payloads(1, 0, {2, 2}), fabric, placement, 0, SolveOptions{}).value();
    ASSERT_FALSE(all.empty());
    EXPECT_EQ(device_groups(fabric).name(all[0].group), "a - c");
    EXPECT_NEAR(all[0].bandwidth_kept, 8, 1e-9);
    ASSERT_TRUE(all[0].until);
    EXPECT_NEAR(*all[0].until, 4, 1e-6);
    EXPECT_NEAR(all[0].score_until, 4, 1e-6);
    EXPECT_NEAR(all[0].limit, 4, 1e-9);
}

TEST(Upgrades, GroupByHostWhereLabelsSayNothing) {
    fabric::FabricParts parts;
    parts.labels = {"x", "x", "x"};
    parts.alpha_ms = core::Grid<double>(3, 3, 1);
    parts.beta_gbps = core::Grid<double>(3, 3, 1);
    parts.devices.resize(3);
    parts.devices[0].host = parts.devices[2].host = "h";
    const fabric::Fabric fabric = fabric::Fabric::make(std::move(parts), "f").value();
    const DeviceGroups groups = device_groups(fabric);
    EXPECT_EQ(groups.of_device, (std::vector<int>{0, 1, 0}));
    EXPECT_EQ(groups.names, (std::vector<std::string>{"h", "device 1"}));
    EXPECT_EQ(groups.name({0, 0}), "inside h");
}

// Better links never make a plan slower, and a new search never more than the plan kept.
TEST(Upgrades, NeverHurt) {
    const fabric::Fabric fabric = testing::shipped("dtfm-table2-worldwide.json");
    const ProblemOfFabric problem_of = with_payloads(0.128, 0.650, {8, 8});
    SolveOptions options;
    options.search.budget = 5'000;
    const Plan plan = solve(problem_of(fabric), fabric, options).value();
    const auto one = upgrades(problem_of, fabric, plan.placement, 3, options).value();
    options.search.threads = 3;
    const auto three = upgrades(problem_of, fabric, plan.placement, 3, options).value();
    ASSERT_EQ(one.size(), three.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
        EXPECT_LE(one[i].bandwidth_kept, plan.score.total() * (1 + 1e-12));
        EXPECT_LE(one[i].latency_kept, plan.score.total() * (1 + 1e-12));
        EXPECT_LE(one[i].limit, one[i].bandwidth_kept * (1 + 1e-12));
        EXPECT_EQ(one[i].bandwidth_solved, three[i].bandwidth_solved);
        if (one[i].solved) {
            EXPECT_LE(one[i].bandwidth_solved, one[i].bandwidth_kept);
            EXPECT_LE(one[i].latency_solved, one[i].latency_kept);
        }
    }
}

}  // namespace
}  // namespace longhaul::placement
