#include "longhaul/placement/anneal_devices.hpp"

#include <gtest/gtest.h>

#include "longhaul/placement/detail/test_support.hpp"

namespace longhaul::placement {
namespace {

// What the caller knows of the start comes back as it was said, whatever that is.
TEST(AnnealDevices, AWalkThatFindsNothingBetterReturnsItsStart) {
    testing::Instance instance(23, 1);
    const Problem problem = random_problem({5, 3}, 0, false, instance.random);
    const Stages start =
        Placement(problem.shape, testing::shuffled(problem.shape.devices(), instance.random))
            .stages();
    AnnealOptions options;
    options.evaluations = 0;
    const AnnealedStages found =
        anneal_devices(problem.costs, start, 123.5, options, core::Random(3));
    EXPECT_EQ(found.stages, start);
    EXPECT_EQ(found.score, 123.5);
    EXPECT_EQ(found.evaluations, 0U);
    options.evaluations = 2000;
    EXPECT_LT(anneal_devices(problem.costs, start, 123.5, options, core::Random(3)).score,
              solve_inner(problem.costs, start).score.total());
}

TEST(AnnealDevices, ScoreAndDevicesAreThoseOfAFreshEvaluation) {
    AnnealOptions options;
    options.evaluations = 400;
    for (int i = 0; i < 300; ++i) {
        testing::Instance instance(19, i);
        const Problem problem = random_problem({1 + static_cast<int>(instance.random.below(6)),
                                                1 + static_cast<int>(instance.random.below(6))},
                                               instance.levels,
                                               instance.equal_rows,
                                               instance.random);
        const Placement start(problem.shape,
                              testing::shuffled(problem.shape.devices(), instance.random));
        const AnnealedStages found =
            anneal_devices(problem.costs, start.stages(), options, core::Random(3));
        const Solved fresh = solve_inner(problem.costs, found.stages);
        ASSERT_NEAR(fresh.score.total(), found.score, 1e-12) << i;
        // In path order: taking the stages as they come gives the same length.
        double length = 0;
        BottleneckSolver solver;
        for (std::size_t s = 1; s < found.stages.size(); ++s) {
            length += solver.solve(problem.costs.pipeline, found.stages[s - 1], found.stages[s]);
        }
        ASSERT_NEAR(length, fresh.score.pipeline, 1e-12) << i;
        std::vector<int> devices = Placement::from_stages(found.stages).rank_map();
        std::ranges::sort(devices);
        ASSERT_EQ(devices, testing::counted(problem.shape.devices()));
        for (const std::vector<int>& stage : found.stages) {
            ASSERT_EQ(static_cast<int>(stage.size()), problem.shape.dp);
        }
    }
}

TEST(AnnealDevices, NeverEndsAboveItsStart) {
    AnnealOptions options;
    options.evaluations = 50;
    options.start_temperature = 10;  // hot enough to walk away from the start
    options.end_temperature = 5;
    for (int i = 0; i < 200; ++i) {
        testing::Instance instance(20, i);
        const Problem problem =
            random_problem({4, 4}, instance.levels, instance.equal_rows, instance.random);
        const Stages start =
            Placement(problem.shape, testing::shuffled(16, instance.random)).stages();
        const Solved solved = solve_inner(problem.costs, start);
        const Stages ordered = in_order(start, solved.order);
        const AnnealedStages found =
            anneal_devices(problem.costs, ordered, options, core::Random(1));
        ASSERT_LE(found.score, solved.score.total() + 1e-12) << i;
    }
}

TEST(AnnealDevices, TheSameSeedGivesTheSameResult) {
    testing::Instance instance(21, 0);
    const Problem problem = random_problem({4, 6}, 0, false, instance.random);
    const Stages start = Placement(problem.shape, testing::counted(24)).stages();
    AnnealOptions options;
    options.evaluations = 3'000;
    const AnnealedStages first = anneal_devices(problem.costs, start, options, core::Random(2));
    const AnnealedStages second = anneal_devices(problem.costs, start, options, core::Random(2));
    EXPECT_EQ(first.stages, second.stages);
    EXPECT_EQ(first.score, second.score);
    EXPECT_LT(first.score, solve_inner(problem.costs, start).score.total());
}

TEST(AnnealDevices, StopsWhenAsked) {
    testing::Instance instance(22, 0);
    const Problem problem = random_problem({2, 2}, 0, false, instance.random);
    AnnealOptions options;
    options.stop_interval = 10;
    int asked = 0;
    options.stop = [&] { return ++asked > 3; };
    const Stages start = Placement(problem.shape, testing::counted(4)).stages();
    EXPECT_EQ(anneal_devices(problem.costs, start, options, core::Random(1)).evaluations, 30U);
}

}  // namespace
}  // namespace longhaul::placement
