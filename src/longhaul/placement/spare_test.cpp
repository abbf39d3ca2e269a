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

/// The best over all sets of devices of the right size.
double optimum_over_sets(const Problem& problem) {
    std::vector<char> chosen(problem.devices(), 0);
    std::fill(
        chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(problem.shape.devices()), 1);
    double best = std::numeric_limits<double>::infinity();
    do {
        std::vector<int> devices;
        for (std::size_t device = 0; device < chosen.size(); ++device) {
            if (chosen[device] != 0) {
                devices.push_back(static_cast<int>(device));
            }
        }
        best = std::min(
            best,
            make_search(SearchKind::kExhaustive)->run(restricted(problem, devices), {}).score);
    } while (std::prev_permutation(chosen.begin(), chosen.end()));
    return best;
}

TEST(Spare, FindsTheBestDevicesAndNeverProvesTooMuch) {
    constexpr Shape kShapes[] = {{2, 2}, {3, 2}, {2, 3}, {1, 3}, {4, 1}};
    int found = 0;
    constexpr int kCases = 80;
    for (int i = 0; i < kCases; ++i) {
        testing::Instance instance(81, i);
        const Problem problem =
            problem_with_spare(kShapes[i % std::size(kShapes)], 1 + i % 3, instance);
        const double optimum = optimum_over_sets(problem);
        SearchOptions options;
        options.budget = 4'000;
        options.restarts = 2;
        const SearchResult result = find(problem, SearchKind::kPortfolio, options);
        EXPECT_NEAR(solve_inner(problem, result.stages).score.total(), result.score, 1e-12);
        EXPECT_GE(result.score, optimum - 1e-9) << i;
        found += result.score <= optimum + 1e-9 ? 1 : 0;
        const Certificate certificate = prove(problem, result.score, {});
        EXPECT_LE(certificate.bound.value, optimum + 1e-9) << i;
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
