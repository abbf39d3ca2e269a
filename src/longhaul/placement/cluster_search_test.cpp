#include "longhaul/placement/cluster_search.hpp"

#include <gtest/gtest.h>

#include "longhaul/placement/detail/test_support.hpp"

namespace longhaul::placement {
namespace {

TEST(WholeStageClusters, AreThoseWhoseDevicesFillStages) {
    // Balanced regions: every set but the empty one.
    EXPECT_EQ(whole_stage_clusters({8, 8}, std::vector<int>(8, 8)).size(), 255U);
    // 7 a + 6 b devices, multiples of 8 for (a, b) = (0, 4), (2, 3), (4, 2) and (4, 6):
    // 15 + 6 * 20 + 15 + 1 sets.
    const std::vector<int> uneven{7, 7, 7, 7, 6, 6, 6, 6, 6, 6};
    EXPECT_EQ(whole_stage_clusters({8, 8}, uneven).size(), 151U);
    EXPECT_TRUE(whole_stage_clusters({1, 11}, std::vector<int>(11, 1)).empty());
}

TEST(ClusterSeeds, ArePlacementsWithTheirScores) {
    const Problem problem = testing::shipped_problem("dtfm-table2-worldwide.json", 0.512, 1.3);
    const Classes classes = exact_classes(problem.costs);
    const ClassCosts costs = class_costs(problem.costs, classes);
    CountModel model(costs);
    ClusterOptions options;
    options.evaluations = 20'000;
    const std::vector<int> sizes(8, 8);
    std::uint64_t evaluations = 0;
    const auto seeds = cluster_seeds(model, costs, problem.shape, sizes, 10, options, evaluations);
    ASSERT_FALSE(seeds.empty());
    EXPECT_GT(evaluations, 10'000U);
    EXPECT_LE(evaluations, 21'000U);
    for (const Seed& seed : seeds) {
        const Stages stages = realise(seed.counts, classes);  // asserts the sums
        EXPECT_NEAR(solve_inner(problem.costs, stages).score.total(), seed.score, 1e-9);
    }
    for (const int threads : {2, 3}) {
        options.threads = threads;
        std::uint64_t again = 0;
        const auto same = cluster_seeds(model, costs, problem.shape, sizes, 10, options, again);
        ASSERT_EQ(again, evaluations);
        ASSERT_EQ(same.size(), seeds.size());
        for (std::size_t i = 0; i < seeds.size(); ++i) {
            EXPECT_EQ(same[i].counts, seeds[i].counts);
        }
    }
}

}  // namespace
}  // namespace longhaul::placement
