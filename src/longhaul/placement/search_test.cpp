#include "longhaul/placement/search.hpp"

#include <gtest/gtest.h>

#include "longhaul/placement/detail/test_support.hpp"

namespace longhaul::placement {
namespace {

constexpr SearchKind kKinds[] = {
    SearchKind::kHostOrder, SearchKind::kExhaustive, SearchKind::kPortfolio};

TEST(ExhaustiveSearch, EqualsAllRankMaps) {
    // The definition: the least score over all permutations of the devices, as they stand.
    for (int i = 0; i < 60; ++i) {
        testing::Instance instance(25, i);
        const std::vector<Shape> shapes{{1, 1}, {2, 1}, {1, 3}, {2, 2}, {3, 2}, {2, 3}, {6, 1}};
        const Problem problem = random_problem(shapes[static_cast<std::size_t>(i) % shapes.size()],
                                               instance.levels,
                                               instance.equal_rows,
                                               instance.random);
        std::vector<int> devices = testing::counted(problem.shape.devices());
        double best = std::numeric_limits<double>::infinity();
        do {
            const Placement placement(problem.shape, devices);
            best = std::min(best, score_as_mapped(problem.costs, placement).total());
        } while (std::ranges::next_permutation(devices).found);
        ASSERT_NEAR(make_search(SearchKind::kExhaustive)->run(problem, {}).score, best, 1e-12) << i;
    }
}

TEST(Search, ResultsAreWhatTheyClaim) {
    SearchOptions options;
    options.budget = 2'000;
    options.restarts = 3;
    for (int i = 0; i < 90; ++i) {
        testing::Instance instance(26, i);
        const Problem problem = random_problem(
            testing::small_shape(i), instance.levels, instance.equal_rows, instance.random);
        for (const SearchKind kind : kKinds) {
            const SearchResult found = make_search(kind)->run(problem, options);
            const Solved fresh = solve_inner(problem.costs, found.stages);
            ASSERT_NEAR(found.score, fresh.score.total(), 1e-12) << i;
            double length = 0;
            BottleneckSolver solver;
            for (std::size_t s = 1; s < found.stages.size(); ++s) {
                length +=
                    solver.solve(problem.costs.pipeline, found.stages[s - 1], found.stages[s]);
            }
            ASSERT_NEAR(length, fresh.score.pipeline, 1e-12) << "not in path order " << i;
            ASSERT_EQ(found.stages.size(), static_cast<std::size_t>(problem.shape.pp));
            std::vector<int> devices = Placement::from_stages(found.stages).rank_map();
            std::ranges::sort(devices);
            ASSERT_EQ(devices, testing::counted(problem.shape.devices()));
            EXPECT_FALSE(found.origin.empty());
            EXPECT_FALSE(found.stopped_by.empty());
        }
    }
}

TEST(PortfolioSearch, FindsTheOptimumOfSmallInstances) {
    SearchOptions options;
    options.budget = 20'000;
    options.restarts = 4;
    for (int i = 0; i < 180; ++i) {
        testing::Instance instance(27, i);
        const Problem problem = random_problem(
            testing::small_shape(i), instance.levels, instance.equal_rows, instance.random);
        const double best = make_search(SearchKind::kExhaustive)->run(problem, {}).score;
        ASSERT_NEAR(make_search(SearchKind::kPortfolio)->run(problem, options).score, best, 1e-12)
            << i;
    }
}

TEST(PortfolioSearch, ThreadsNeverChangeTheResult) {
    SearchOptions options;
    options.budget = 8'000;
    for (int i = 0; i < 12; ++i) {
        testing::Instance instance(28, i);
        const Problem problem =
            random_problem({4, 6}, instance.levels, instance.equal_rows, instance.random);
        options.threads = 1;
        const SearchResult one = make_search(SearchKind::kPortfolio)->run(problem, options);
        for (const int threads : {2, 4}) {
            options.threads = threads;
            const SearchResult more = make_search(SearchKind::kPortfolio)->run(problem, options);
            ASSERT_EQ(more.stages, one.stages);
            ASSERT_EQ(more.score, one.score);
            ASSERT_EQ(more.evaluations, one.evaluations);
            ASSERT_EQ(more.origin, one.origin);
        }
    }
}

TEST(PortfolioSearch, EndsEarlyWhenAskedAndStillAnswers) {
    testing::Instance instance(29, 0);
    const Problem problem = random_problem({6, 8}, 0, false, instance.random);
    SearchOptions options;
    options.stop = [] { return true; };
    const SearchResult found = make_search(SearchKind::kPortfolio)->run(problem, options);
    EXPECT_EQ(found.stopped_by, "time limit");
    EXPECT_LE(found.score, make_search(SearchKind::kHostOrder)->run(problem, {}).score);
    EXPECT_EQ(found.stages.size(), 6U);
}

TEST(HostOrderSearch, TakesDevicesAsTheyCome) {
    testing::Instance instance(30, 0);
    const Problem problem = random_problem({3, 2}, 0, false, instance.random);
    const SearchResult found = make_search(SearchKind::kHostOrder)->run(problem, {});
    // Rank = device: stage s holds devices s and 3 + s.
    EXPECT_NEAR(
        found.score, solve_inner(problem.costs, {{0, 3}, {1, 4}, {2, 5}}).score.total(), 1e-12);
}

}  // namespace
}  // namespace longhaul::placement
