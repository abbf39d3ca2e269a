#include "longhaul/placement/every_placement.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "longhaul/placement/detail/every_term.hpp"
#include "longhaul/placement/solve.hpp"

namespace longhaul::placement {
namespace {

TEST(EveryPlacement, UnderAllTermsEqualsAllRankMaps) {
    testing::for_all_terms(
        901, [](const Problem& problem, const fabric::Fabric& fabric, const auto& what) {
            const double best = testing::best_of_all_maps(problem);
            const std::optional<EveryPlacement> every =
                every_placement(problem, std::numeric_limits<double>::infinity(), 1'000'000);
            ASSERT_TRUE(every.has_value()) << what;
            ASSERT_TRUE(every->complete) << what;
            ASSERT_NEAR(every->least, best, 1e-9 * best) << what;
            ASSERT_EQ(score_as_mapped(problem, every->best).total(), every->least) << what;
            if (problem.devices() != problem.shape.devices() + 2) {
                return;  // solve goes the same way; a third of the cases is enough of it
            }
            SolveOptions options;
            options.search.budget = 2'000;
            options.search.restarts = 2;
            options.proof.work = 10'000;
            options.baseline_samples = 0;
            const Plan plan = solve(problem, fabric, options).value();
            ASSERT_NEAR(plan.score.total(), best, 1e-9 * best) << what;
            ASSERT_NEAR(plan.bound.value, best, 1e-9 * best) << what;
        });
}

TEST(EveryPlacement, OfDifferentDevicesAreAsManyAsByTheFormula) {
    // 6! / (2! 2! 2! 2!): two devices to spare, two stages of two in any order.
    testing::Instance instance(902, 0);
    Problem problem = random_problem({1, 6}, 0, false, instance.random);
    problem.shape = {2, 2};
    constexpr double kNone = std::numeric_limits<double>::infinity();
    EXPECT_FALSE(every_placement(problem, kNone, 44).has_value());
    const std::optional<EveryPlacement> every = every_placement(problem, kNone, 45);
    ASSERT_TRUE(every.has_value());
    EXPECT_LE(every->scored, 45U);
    EXPECT_NEAR(every->least, testing::optimum_over_sets(problem), 1e-12);
    // Nothing below the optimum: no placement, and the incumbent stays.
    const std::optional<EveryPlacement> none = every_placement(problem, every->least, 45);
    ASSERT_TRUE(none.has_value());
    EXPECT_TRUE(none->best.device_of_rank().empty());
    EXPECT_EQ(none->least, every->least);
    // Equal devices count once: 64 of them in 8 stages are one placement.
    EXPECT_TRUE(
        every_placement(
            {{8, 8}, {core::Grid<double>(64, 64, 1.0), core::Grid<double>(64, 64, 1.0)}}, kNone, 1)
            .has_value());
}

TEST(EveryPlacement, SaysWhenItWasStopped) {
    testing::Instance instance(903, 0);
    const Problem problem = random_problem({2, 3}, 0, false, instance.random);
    const std::optional<EveryPlacement> every =
        every_placement(problem, 1e9, 1'000, [] { return true; });
    ASSERT_TRUE(every.has_value());
    EXPECT_FALSE(every->complete);
}

/// A small case with its optimum, by a program of its own that tries all rank maps.
struct SmallCase {
    const char* fabric;
    Shape shape;
    double c_pp;
    double c_dp;
    int pp_messages;
    int dp_messages;
    double c_pp_backward;
    Objective objective;
    Exchange exchange;
    std::vector<double> stage_seconds;
    double optimum;
    int pp_backward_messages = 0;  // 0: pp_messages
    std::vector<workload::Layer> layers{};
};

const SmallCase kSmallCases[] = {
    {"one-stage-tensor-spare",
     {1, 3, 2},
     0,
     1,
     1,
     3,
     0,
     Objective::kAdditive,
     Exchange::kSharded,
     {0.5},
     2.0846370297809087},
    {"pipelined-spare",
     {2, 2},
     2,
     1,
     1,
     3,
     2,
     Objective::kPipelined,
     Exchange::kSharded,
     {},
     7.7491341895075365},
    {"pipelined-hierarchical-tensor-spare",
     {2, 2, 2},
     2,
     1,
     4,
     3,
     0.2,
     Objective::kPipelined,
     Exchange::kHierarchical,
     {},
     4.772783082273653},
    {"pipelined-line-spare",
     {4, 1},
     0.1,
     0,
     1,
     3,
     0.1,
     Objective::kPipelined,
     Exchange::kCentral,
     {},
     0.6402},
    {"pipelined-stage-times-spare",
     {4, 1},
     0.1,
     0.1,
     1,
     1,
     0.1,
     Objective::kPipelined,
     Exchange::kSharded,
     {2, 0.5, 1, 2},
     6.524},
    {"central-stage-times",
     {3, 2},
     2,
     0,
     1,
     3,
     2,
     Objective::kAdditive,
     Exchange::kCentral,
     {2, 1, 0.5},
     11.976916617187557},
    {"pipelined-line-two-spare",
     {5, 1},
     2,
     0,
     1,
     1,
     2,
     Objective::kPipelined,
     Exchange::kTree,
     {},
     16.0602},
    {"one-stage-hierarchical-spare",
     {1, 5},
     0,
     0,
     4,
     3,
     1,
     Objective::kAdditive,
     Exchange::kHierarchical,
     {1},
     1.2703},
    {"line-shared-stage-times",
     {5, 1},
     0.1,
     0,
     1,
     3,
     1,
     Objective::kAdditive,
     Exchange::kSharded,
     {2, 1, 1, 0.5, 0.5},
     30.9002},
    {"equal-times-spare",
     {2, 2},
     0.5,
     1,
     1,
     1,
     0.5,
     Objective::kAdditive,
     Exchange::kSharded,
     {0.5},
     3.502190476190476},
    {"one-stage-spare",
     {1, 3},
     0.5,
     1,
     1,
     1,
     0.5,
     Objective::kAdditive,
     Exchange::kSharded,
     {},
     2.254036756035618},
    // By hand: 0.862 s of exchange, 0.169 s of pipeline, and of 2 + 2 layers 1/3 x 4 s forward and
    // 2/3 x (4 + 7 x 2) / 8 s backward. The forward message alone would leave 3 + 1 as good.
    {"layers-two-pairs",
     {2, 2},
     0.1,
     0.1,
     1,
     1,
     0.1,
     Objective::kAdditive,
     Exchange::kSharded,
     {},
     0.862 + 0.169 + 4.0 / 3 + 1.5,
     8,
     std::vector<workload::Layer>(4, workload::Layer{1, 0, 0})},
    {"hierarchical-outside-spare",  // owners of a group, whatever the devices beside it
     {2, 3},
     0.5,
     2.8,
     1,
     5,
     0.5,
     Objective::kPipelined,
     Exchange::kHierarchical,
     {},
     3.618,
     3},
};

TEST(Solve, SmallCasesEndAtTheOptimumAndSaySo) {
    for (const SmallCase& small : kSmallCases) {
        const std::string path = std::string("tests/data/small/") + small.fabric + ".json";
        const fabric::Fabric fabric = fabric::read_fabric(testing::source_file(path), path).value();
        workload::Workload load = testing::payloads(small.c_pp, small.c_dp);
        load.pp_messages = small.pp_messages;
        load.dp_messages = small.dp_messages;
        load.c_pp_backward = core::Gigabytes(small.c_pp_backward);
        load.stage_seconds = small.stage_seconds;
        if (small.pp_backward_messages > 0) {
            load.pp_backward_messages = small.pp_backward_messages;
        }
        load.layers = small.layers;
        Terms terms;
        terms.objective = small.objective;
        terms.exchange = small.exchange;
        const Problem problem = make_problem(fabric, path, load, small.shape, terms).value();
        SolveOptions options;
        options.search.budget = 60'000;
        const Plan plan = solve(problem, fabric, options).value();
        EXPECT_NEAR(plan.score.total(), small.optimum, 1e-7) << path;
        EXPECT_TRUE(gap_between(plan.score.total(), plan.bound.value).optimal) << path;
        EXPECT_NEAR(score_as_mapped(problem, plan.placement).total(), small.optimum, 1e-7) << path;
    }
}

TEST(Solve, UnderAllTermsTheMapHasTheScoreOfTheSearchAndNoBaselineIsBetter) {
    // One evaluation, so that the search alone finds little and placements are not tried one by
    // one. Where the map has another score than the search claims, solve fails.
    int from_baseline = 0;
    testing::for_all_terms(
        904, [&](const Problem& problem, const fabric::Fabric& fabric, const auto& what) {
            SolveOptions options;
            options.search.budget = 1;
            options.search.restarts = 1;
            options.proof.work = 0;
            options.baseline_samples = 12;
            const core::Result<Plan> solved = solve(problem, fabric, options);
            ASSERT_TRUE(solved) << core::to_string(solved.error()[0]) << " " << what;
            const Plan& plan = *solved;
            const Baselines& baselines = *plan.baselines;
            const double score = plan.score.total();
            ASSERT_LE(score * (1 - 1e-12),
                      std::min({baselines.host_order.total(),
                                baselines.host_order_solved,
                                baselines.label_per_stage.total(),
                                baselines.maps.min,
                                baselines.partitions.min}))
                << what;
            ASSERT_NEAR(score_as_mapped(problem, plan.placement).total(), score, 1e-9 * score)
                << what;
            from_baseline += plan.search.found_by == "baseline: random placement" ? 1 : 0;
        });
    EXPECT_GE(from_baseline, 1);
}

}  // namespace
}  // namespace longhaul::placement
