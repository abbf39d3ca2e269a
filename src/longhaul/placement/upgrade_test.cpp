#include "longhaul/placement/upgrade.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "longhaul/placement/detail/term_cases.hpp"

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
    // A factor of 4: edge 2 (0.3 + 1.25) = 3.1, score 4.3; latency 0.075: edge 10.15, score 11.35.
    const auto four =
        upgrades(with_payloads(0.5, 1, {2, 2}), fabric, placement, 0, options, 4).value();
    EXPECT_NEAR(four[0].bandwidth_kept, 4.3, 1e-9);
    EXPECT_NEAR(four[0].latency_kept, 11.35, 1e-9);
    EXPECT_NEAR(four[0].limit, 1.8, 1e-6);
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

// The exchange of two stages waits for a cable: 2 stages x 2 pairs x 1 GB each way over 1 Gbit/s
// take 32 s; links of 8 Gbit/s take 2 s. Twice the cable takes 16 s, without end 2 s, and every bit
// helps until 16 times. Both stages compute at half the speed, 2 / 0.5 = 4 s each; at full speed 2
// s.
TEST(Upgrades, OfSharedCapacityAndSpeedAreThoseByHand) {
    fabric::FabricParts parts;
    parts.labels = {"x", "x", "x", "x"};
    parts.alpha_ms = core::Grid<double>(4, 4, 0);
    parts.beta_gbps = core::Grid<double>(4, 4, 8);
    parts.devices.resize(4);
    for (std::size_t i = 0; i < 4; ++i) {
        parts.devices[i].host = i < 2 ? "old" : "new";
        parts.devices[i].speed = i < 2 ? 0.5 : 1;
    }
    parts.shared.push_back({"cable", 1, {"old", "new"}, {}});
    const fabric::Fabric fabric = fabric::Fabric::make(std::move(parts), "f").value();
    workload::Workload workload = testing::payloads(0, 2);
    workload.stage_seconds = {2};
    const ProblemOfFabric problem_of = [&](const fabric::Fabric& changed) {
        return make_problem(changed, "f", workload, {2, 2}).value();
    };
    const Placement placement = Placement::from_stages({{0, 2}, {1, 3}});
    EXPECT_NEAR(score_as_mapped(problem_of(fabric), placement).total(), 32 + 8, 1e-9);
    const auto all = upgrades(problem_of, fabric, placement, 0, SolveOptions{}).value();
    const auto shared = std::ranges::find(all, UpgradeKind::kShared, &Upgrade::kind);
    ASSERT_NE(shared, all.end());
    EXPECT_EQ(shared->resource, 0);
    EXPECT_NEAR(shared->bandwidth_kept, 16 + 8, 1e-9);
    EXPECT_NEAR(shared->limit, 2 + 8, 1e-6);
    ASSERT_TRUE(shared->until);
    EXPECT_NEAR(*shared->until, 16, 1e-5);
    const auto speed = std::ranges::find(all, UpgradeKind::kSpeed, &Upgrade::kind);
    ASSERT_NE(speed, all.end());
    EXPECT_NEAR(speed->bandwidth_kept, 32 + 4, 1e-9);
}

// Under every term: nothing that is better makes a plan slower.
TEST(Upgrades, NeverHurtUnderAnyTerm) {
    for (const testing::TermChoice& choice : testing::term_choices()) {
        testing::Instance instance(4402, 0);
        const testing::TermCase made = testing::term_case(choice, 2, 2, instance.random);
        const ProblemOfFabric problem_of = [&](const fabric::Fabric& changed) {
            return made.problem_of(changed);
        };
        SolveOptions options;
        options.search.budget = 500;
        options.proof.work = 0;
        options.baseline_samples = 0;
        const Plan plan = solve(made.problem(), made.fabric, options).value();
        const auto all = upgrades(problem_of, made.fabric, plan.placement, 2, options).value();
        EXPECT_FALSE(all.empty()) << made.name;
        for (const Upgrade& upgrade : all) {
            EXPECT_LE(upgrade.bandwidth_kept, plan.score.total() * (1 + 1e-9)) << made.name;
            EXPECT_LE(upgrade.latency_kept, plan.score.total() * (1 + 1e-9)) << made.name;
            EXPECT_LE(upgrade.limit, upgrade.bandwidth_kept * (1 + 1e-9)) << made.name;
            if (upgrade.solved) {
                EXPECT_LE(upgrade.bandwidth_solved, upgrade.bandwidth_kept) << made.name;
            }
        }
    }
}

}  // namespace
}  // namespace longhaul::placement
