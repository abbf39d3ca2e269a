#include "longhaul/placement/spare.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/find.hpp"
#include "longhaul/placement/prove.hpp"

namespace longhaul::placement {
namespace {

/// Devices of a larger problem, some more than the shape has places.
Problem problem_with_spare(Shape shape, int spare, testing::Instance& instance) {
    Problem problem = random_problem({1, static_cast<int>(shape.devices()) + spare},
                                     instance.levels,
                                     instance.equal_rows,
                                     instance.random);
    problem.shape = shape;
    return problem;
}

TEST(Spare, FindsTheBestDevicesAndNeverProvesTooMuch) {
    constexpr Shape kShapes[] = {{2, 2}, {3, 2}, {2, 3}, {1, 3}, {4, 1}};
    int found = 0;
    constexpr int kCases = 80;
    for (int i = 0; i < kCases; ++i) {
        testing::Instance instance(81, i);
        const Problem problem =
            problem_with_spare(kShapes[i % std::size(kShapes)], 1 + i % 3, instance);
        const double optimum = testing::optimum_over_sets(problem);
        SearchOptions options;
        options.budget = 4'000;
        options.restarts = 2;
        const SearchResult result = find(problem, SearchKind::kPortfolio, options);
        EXPECT_NEAR(solve_inner(problem, result.stages).score.total(), result.score, 1e-12);
        EXPECT_GE(result.score, optimum - 1e-9) << i;
        found += result.score <= optimum + 1e-9 ? 1 : 0;
        for (const double incumbent : {result.score, 1.4 * optimum}) {
            const Certificate certificate = prove(problem, incumbent, {});
            EXPECT_LE(certificate.bound.value, optimum + 1e-9) << i;
        }
        for (const LeftOut& one : left_out(problem, result.stages, 1)) {
            EXPECT_GE(one.score, optimum - 1e-9);
            EXPECT_GE(one.instead_of, 0);
        }
    }
    EXPECT_GE(found, kCases * 9 / 10);
}

TEST(Spare, LeavesTheFarDeviceOut) {
    // Five devices; the third is ten times as far from all others.
    core::Grid<double> costs(5, 5, 1.0);
    for (std::size_t i = 0; i < 5; ++i) {
        costs(i, 2) = costs(2, i) = 10;
        costs(i, i) = 0;
    }
    const Problem problem{{2, 2}, {costs, costs}};
    const SearchResult result = find(problem, SearchKind::kPortfolio, {});
    EXPECT_EQ(result.score, 2);
    const std::vector<LeftOut> reasons = left_out(problem, result.stages, 1);
    ASSERT_EQ(reasons.size(), 1U);
    EXPECT_EQ(reasons[0].device, 2);
    EXPECT_EQ(reasons[0].score, 20);
}

}  // namespace
}  // namespace longhaul::placement
