#include "longhaul/placement/count_proof.hpp"

#include <gtest/gtest.h>

#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/search.hpp"

namespace longhaul::placement {
namespace {

TEST(CountProof, FindsWhatIsBelowTheTargetAndNothingElse) {
    for (int i = 0; i < 300; ++i) {
        testing::Instance instance(36, i);
        const Problem problem =
            random_problem(testing::small_shape(i), instance.levels, true, instance.random);
        const Classes classes = exact_classes(problem.costs);
        const ClassCosts costs = class_costs(problem.costs, classes);
        std::vector<int> sizes;
        for (const std::vector<int>& members : classes.members) {
            sizes.push_back(static_cast<int>(members.size()));
        }
        if (!CountProof::applicable(problem.shape, sizes)) {
            continue;
        }
        const double best = make_search(SearchKind::kExhaustive)->run(problem, {}).score;
        CountProof proof(costs, problem.shape, sizes);
        ASSERT_LE(proof.root_bound(), best * (1 + 1e-12)) << i;
        const ProofResult below = proof.run(best * (1 - 1e-9), {});
        ASSERT_TRUE(below.complete);
        ASSERT_TRUE(below.counts.empty()) << i;
        ASSERT_EQ(below.best, best * (1 - 1e-9));
        const ProofResult above = proof.run(2 * best + 1, {});
        ASSERT_TRUE(above.complete);
        ASSERT_FALSE(above.counts.empty()) << i;
        ASSERT_NEAR(above.best, best, 1e-9) << i;
        CountModel model(costs);
        ASSERT_NEAR(score_in_order(model, above.counts).total(), above.best, 1e-9) << i;
        for (const std::vector<int>& stage : realise(above.counts, classes)) {
            ASSERT_EQ(static_cast<int>(stage.size()), problem.shape.dp);
        }
    }
}

TEST(CountProof, GivesUpWhenTheWorkIsDone) {
    const Problem problem = testing::shipped_problem("dtfm-worldwide.json", 0.4712491, 0.65);
    const Classes classes = exact_classes(problem.costs);
    CountProof proof(class_costs(problem.costs, classes), problem.shape, std::vector<int>(8, 8));
    ProofOptions options;
    options.work = 1'000;
    const ProofResult result = proof.run(49.2183, options);
    EXPECT_FALSE(result.complete);
    EXPECT_LT(result.work, 1'000'000U);
    options.work = 100'000'000;
    options.stop = [] { return true; };
    EXPECT_FALSE(proof.run(49.2183, options).complete);
}

// 49.2184 is the optimum by exhaustive search over region counts (1.36 thousand million nodes).
TEST(CountProof, ProvesTheWorldWideOptimumInFewNodes) {
    const Problem problem = testing::shipped_problem("dtfm-worldwide.json", 0.4712491, 0.65);
    const Classes classes = exact_classes(problem.costs);
    CountProof proof(class_costs(problem.costs, classes), problem.shape, std::vector<int>(8, 8));
    const ProofResult result = proof.run(49.3, {});
    EXPECT_TRUE(result.complete);
    EXPECT_NEAR(result.best, 49.2184, 5e-5);
    EXPECT_LT(result.nodes, 10'000U);
}

// Classes of 301 and 299 on 3 stages of 200: 301 is no multiple of 3, so at least one of the two
// edges crosses the classes. By hand: path >= 1 + 10; every device has 199 peers of its class at 1.
TEST(CountProof, LargeStagesHaveTheBoundOfTheRoot) {
    core::Grid<double> between(2, 2, 10.0);
    between(0, 0) = between(1, 1) = 1;
    CountProof proof({between, between}, {3, 200}, {301, 299});
    EXPECT_DOUBLE_EQ(proof.root_bound(), 199 + 11);
    EXPECT_FALSE(proof.run(1e6, {}).complete);
    EXPECT_TRUE(proof.run(210, {}).complete);
}

}  // namespace
}  // namespace longhaul::placement
