#include "longhaul/placement/seeds.hpp"

#include <gtest/gtest.h>

#include "longhaul/placement/detail/test_support.hpp"

namespace longhaul::placement {
namespace {

void expect_sums(const Counts& counts, Shape shape, const std::vector<int>& sizes) {
    std::vector<int> columns(sizes.size(), 0);
    for (std::size_t s = 0; s < counts.rows(); ++s) {
        int row = 0;
        for (std::size_t k = 0; k < counts.columns(); ++k) {
            ASSERT_GE(counts(s, k), 0);
            row += counts(s, k);
            columns[k] += counts(s, k);
        }
        ASSERT_EQ(row, shape.dp);
    }
    ASSERT_EQ(columns, sizes);
}

/// pp * dp devices in classes of random sizes.
std::vector<int> random_sizes(Shape shape, core::Random& random) {
    std::vector<int> sizes(1 + random.index(shape.devices()), 1);
    for (std::size_t rest = shape.devices() - sizes.size(); rest > 0; --rest) {
        ++sizes[random.index(sizes.size())];
    }
    return sizes;
}

TEST(PackRuns, KeepsRowAndColumnSums) {
    for (int i = 0; i < 400; ++i) {
        testing::Instance instance(17, i);
        const Shape shape{1 + static_cast<int>(instance.random.below(8)),
                          1 + static_cast<int>(instance.random.below(8))};
        const std::vector<int> sizes = random_sizes(shape, instance.random);
        std::vector<std::vector<int>> clusters(1 + instance.random.index(sizes.size()));
        for (const int k : testing::shuffled(sizes.size(), instance.random)) {
            clusters[instance.random.index(clusters.size())].push_back(k);
        }
        const int longest =
            1 + static_cast<int>(instance.random.below(static_cast<std::uint32_t>(shape.pp)));
        for (const bool by_stage : {false, true}) {
            expect_sums(pack_runs(shape, sizes, clusters, longest, by_stage), shape, sizes);
        }
    }
}

std::vector<std::vector<int>> alone(std::size_t classes) {
    std::vector<std::vector<int>> clusters;
    for (const int k : testing::counted(classes)) {
        clusters.push_back({k});
    }
    return clusters;
}

TEST(PackRuns, MakesTheThreeNaturalStructures) {
    const Shape shape{8, 8};
    const std::vector<int> sizes(8, 8);
    // Runs of 8: a whole pipeline in each region, so that every stage has one device of each.
    const Counts stripe = pack_runs(shape, sizes, alone(8), 8, false);
    // Runs of 1: one region a stage.
    const Counts region = pack_runs(shape, sizes, alone(8), 1, false);
    // Runs of 2: a region holds 4 of them, so that two regions share two stages, 4 devices each.
    const Counts blocks = pack_runs(shape, sizes, alone(8), 2, false);
    for (std::size_t s = 0; s < 8; ++s) {
        for (std::size_t k = 0; k < 8; ++k) {
            EXPECT_EQ(stripe(s, k), 1);
            EXPECT_EQ(region(s, k), s == k ? 8 : 0);
            EXPECT_EQ(blocks(s, k), s / 2 == k / 2 ? 4 : 0);
        }
    }
}

TEST(StructuralSeeds, HoldTheNaturalStructuresOfTable2WithTheirScores) {
    // Scores: docs/mathematics/placement.md (host order 51.500424, one region a stage 61.691524).
    const Problem problem = testing::shipped_problem("dtfm-table2-worldwide.json", 0.512, 0.65);
    const Classes classes = exact_classes(problem.costs);
    const ClassCosts costs = class_costs(problem.costs, classes);
    CountModel model(costs);
    std::uint64_t evaluations = 0;
    const std::vector<int> sizes(8, 8);
    const auto seeds = structural_seeds(model, costs, problem.shape, sizes, 10'000, evaluations);
    EXPECT_EQ(evaluations, seeds.size());
    EXPECT_NEAR(seeds.front().score, 51.500424, 1e-6);
    bool region_per_stage = false;
    bool blocks = false;
    double last = 0;
    for (const Seed& seed : seeds) {
        expect_sums(seed.counts, problem.shape, sizes);
        EXPECT_GE(seed.score, last);
        EXPECT_NEAR(score_in_order(model, seed.counts).total(), seed.score, 1e-9) << seed.origin;
        EXPECT_FALSE(seed.origin.empty());
        last = seed.score;
        region_per_stage = region_per_stage || std::abs(seed.score - 61.691524) < 1e-6;
        blocks = blocks || std::ranges::all_of(seed.counts.cells(),
                                               [](int count) { return count == 0 || count == 4; });
    }
    EXPECT_TRUE(region_per_stage);
    EXPECT_TRUE(blocks);
}

TEST(StructuralSeeds, AtMostTheLimitAndTheBestOfThem) {
    const Problem problem = testing::shipped_problem("dtfm-spot.json", 0.471249, 0.65);
    const Classes classes = exact_classes(problem.costs);
    const ClassCosts costs = class_costs(problem.costs, classes);
    std::vector<int> sizes;
    for (const std::vector<int>& members : classes.members) {
        sizes.push_back(static_cast<int>(members.size()));
    }
    CountModel model(costs);
    std::uint64_t evaluations = 0;
    const auto all = structural_seeds(model, costs, problem.shape, sizes, 10'000, evaluations);
    // By hand: singles in four stages, one GPU of every host in each of the others:
    // 7.28 + 2 (4 * 8 c / 1.25 + 3 * 8 c / 100) at c = 0.471249.
    EXPECT_NEAR(
        all.front().score, 7.28 + 2 * (4 * 8 * 0.471249 / 1.25 + 3 * 8 * 0.471249 / 100), 1e-9);
    const auto some = structural_seeds(model, costs, problem.shape, sizes, 5, evaluations);
    ASSERT_EQ(some.size(), 5U);
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(some[i].score, all[i].score);
    }
}

}  // namespace
}  // namespace longhaul::placement
