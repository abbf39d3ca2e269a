// Walks over counts and over devices: what they keep in place equals a fresh evaluation.
#include <gtest/gtest.h>

#include "longhaul/placement/count_walk.hpp"
#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/device_walk.hpp"

namespace longhaul::placement {
namespace {

Shape drawn_shape(core::Random& random) {
    return {1 + static_cast<int>(random.below(7)), 1 + static_cast<int>(random.below(6))};
}

/// Score of stage groups in the order in which they stand.
double total_in_order(const Costs& costs, const Stages& stages) {
    double worst = 0;
    double path = 0;
    BottleneckSolver solver;
    for (std::size_t s = 0; s < stages.size(); ++s) {
        worst = std::max(worst, group_exchange(costs.exchange, stages[s]).seconds);
        path += s == 0 ? 0 : solver.solve(costs.pipeline, stages[s - 1], stages[s]);
    }
    return worst + path;
}

TEST(CountWalk, TotalIsThatOfAFreshEvaluationAfterEveryStep) {
    std::size_t moved = 0;
    for (int i = 0; i < 120; ++i) {
        testing::Instance instance(63, i);
        const Problem problem =
            random_problem(drawn_shape(instance.random), instance.levels, true, instance.random);
        const Classes classes = exact_classes(problem.costs);
        CountModel model(class_costs(problem.costs, classes));
        const Placement start(problem.shape,
                              testing::shuffled(problem.shape.devices(), instance.random));
        CountWalk walk(model, counts_of(start.stages(), classes));
        double last = walk.total();
        for (int step = 0; step < 120; ++step) {
            const double limit = last * (0.9 + 0.3 * instance.random.uniform());
            walk.step(limit, instance.random);
            // Either nothing has changed or the limit holds.
            ASSERT_TRUE(walk.total() == last || walk.total() <= limit + 1e-12);
            moved += walk.total() == last ? 0 : 1;
            last = walk.total();
            CountModel fresh(class_costs(problem.costs, classes), 4);
            ASSERT_NEAR(score_in_order(fresh, walk.counts()).total(), last, 1e-12) << i;
        }
        // Fails unless every column sums to its class.
        for (const std::vector<int>& stage : realise(walk.counts(), classes)) {
            ASSERT_EQ(static_cast<int>(stage.size()), problem.shape.dp);
        }
    }
    EXPECT_GT(moved, 500U);
}

TEST(DeviceWalk, TotalIsThatOfAFreshEvaluationAfterEveryStep) {
    std::size_t moved = 0;
    for (int i = 0; i < 120; ++i) {
        testing::Instance instance(64, i);
        const Problem problem = random_problem(
            drawn_shape(instance.random), instance.levels, instance.equal_rows, instance.random);
        const Placement start(problem.shape,
                              testing::shuffled(problem.shape.devices(), instance.random));
        DeviceWalk walk(problem.costs, start.stages());
        double last = walk.total();
        for (int step = 0; step < 200; ++step) {
            const double limit = last * (0.9 + 0.3 * instance.random.uniform());
            walk.step(limit, instance.random);
            ASSERT_TRUE(walk.total() == last || walk.total() <= limit + 1e-12);
            moved += walk.total() == last ? 0 : 1;
            last = walk.total();
            ASSERT_NEAR(total_in_order(problem.costs, walk.stages()), last, 1e-12) << i;
        }
        std::vector<int> devices = Placement::from_stages(walk.stages()).rank_map();
        std::ranges::sort(devices);
        ASSERT_EQ(devices, testing::counted(problem.shape.devices()));
    }
    EXPECT_GT(moved, 1000U);
}

TEST(DeviceWalk, SumsDoNotDriftOverManySteps) {
    testing::Instance instance(65, 0);
    const Problem problem = random_problem({6, 70}, 0, false, instance.random);
    DeviceWalk walk(problem.costs, Placement(problem.shape, testing::counted(420)).stages());
    for (int step = 0; step < 3'000; ++step) {
        walk.step(walk.total() * 1.01, instance.random);
    }
    const double fresh = total_in_order(problem.costs, walk.stages());
    EXPECT_NEAR(walk.total(), fresh, 1e-11 * fresh);
}

}  // namespace
}  // namespace longhaul::placement
