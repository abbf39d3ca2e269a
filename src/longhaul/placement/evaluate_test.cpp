#include "longhaul/placement/evaluate.hpp"

#include <gtest/gtest.h>

#include "longhaul/core/cursor.hpp"
#include "longhaul/placement/brute_force.hpp"
#include "longhaul/placement/detail/test_support.hpp"

namespace longhaul::placement {
namespace {

TEST(Evaluate, EqualsTheGoldenPlacements) {
    // tests/data/placement_golden.json: values of an independent reference (see its provenance).
    const core::Document golden =
        core::parse_json(testing::source_file("tests/data/placement_golden.json"), "golden")
            .value();
    const std::vector<core::Value>& cases = golden.root.find("cases")->items;
    ASSERT_EQ(cases.size(), 7U);
    for (const core::Value& one : cases) {
        const auto number = [&](std::string_view key) { return one.find(key)->number; };
        workload::Workload workload = testing::payloads(number("c_pp"), number("c_dp"));
        workload.pp_messages = static_cast<int>(number("pp_messages"));
        workload.dp_messages = static_cast<int>(number("dp_messages"));
        const std::string fabric = one.find("fabric")->string;
        const Shape shape{static_cast<int>(number("pp")), static_cast<int>(number("dp"))};
        const Problem problem =
            make_problem(testing::shipped(fabric), fabric, workload, shape).value();
        const std::vector<double>& ranks = one.find("rank_map")->numbers;
        const Placement placement =
            Placement::from_rank_map(shape, {ranks.begin(), ranks.end()}).value();
        const Score mapped = score_as_mapped(problem.costs, placement);
        const Score solved = solve_inner(problem.costs, placement.stages()).score;
        const std::string name = fabric + ", " + one.find("placement")->string;
        EXPECT_NEAR(solved.data_parallel, number("data_parallel"), 1e-9) << name;
        EXPECT_NEAR(solved.pipeline, number("pipeline"), 1e-9) << name;
        EXPECT_NEAR(solved.total(), number("comm"), 1e-9) << name;
        EXPECT_NEAR(mapped.data_parallel, number("data_parallel"), 1e-9) << name;
        EXPECT_NEAR(mapped.pipeline, number("pipeline_mapped"), 1e-9) << name;
        EXPECT_NEAR(mapped.total(), number("comm_mapped"), 1e-9) << name;
    }
}

TEST(Evaluate, InnerProblemsEqualTheDefinition) {
    for (int i = 0; i < 400; ++i) {
        testing::Instance instance(9, i);
        const Problem problem = random_problem(
            testing::small_shape(i), instance.levels, instance.equal_rows, instance.random);
        const Placement placement(problem.shape,
                                  testing::shuffled(problem.shape.devices(), instance.random));
        const Solved solved = solve_inner(problem.costs, placement.stages());
        ASSERT_NEAR(
            solved.score.total(), brute_force_partition(problem.costs, placement.stages()), 1e-12)
            << i;
        // Its own pairs and order are one of the choices that solve_inner has.
        ASSERT_GE(score_as_mapped(problem.costs, placement).total(), solved.score.total() - 1e-12);
    }
}

TEST(GroupExchange, TakesTheFirstOfTheWorstDevices) {
    // By hand: exchange 0-1 1, 0-2 2, 1-2 3. Sums 3, 4, 5.
    core::Grid<double> exchange(3, 3, 0.0);
    exchange(0, 1) = exchange(1, 0) = 1;
    exchange(0, 2) = exchange(2, 0) = 2;
    exchange(1, 2) = exchange(2, 1) = 3;
    const std::vector<int> all{0, 1, 2};
    EXPECT_EQ(group_exchange(exchange, all).device, 2);
    EXPECT_EQ(group_exchange(exchange, all).seconds, 5);
    const std::vector<int> pair{1, 0};
    EXPECT_EQ(group_exchange(exchange, pair).device, 1);
    EXPECT_EQ(group_exchange(exchange, std::vector<int>{2}).seconds, 0);
}

TEST(InOrder, PermutesStages) {
    EXPECT_EQ(in_order({{0}, {1}, {2}}, std::vector<int>{2, 0, 1}), (Stages{{2}, {0}, {1}}));
}

}  // namespace
}  // namespace longhaul::placement
