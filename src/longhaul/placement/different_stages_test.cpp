#include "longhaul/placement/different_stages.hpp"

#include <gtest/gtest.h>

#include "longhaul/placement/bounds.hpp"
#include "longhaul/placement/counts.hpp"
#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/search.hpp"

namespace longhaul::placement {
namespace {

/// The least group term over all rows within the caps, by trying every one.
double least_of_all_rows(CountModel& model,
                         const std::vector<int>& caps,
                         int dp,
                         std::vector<int>& row) {
    if (row.size() == caps.size()) {
        return dp == 0 ? model.exchange(row) : std::numeric_limits<double>::infinity();
    }
    double least = std::numeric_limits<double>::infinity();
    for (int units = 0; units <= std::min(dp, caps[row.size()]); ++units) {
        row.push_back(units);
        least = std::min(least, least_of_all_rows(model, caps, dp - units, row));
        row.pop_back();
    }
    return least;
}

TEST(LeastExchangeWithin, IsBelowEveryStageAndNearTheLeast) {
    double found = 0;
    double least = 0;
    for (int i = 0; i < 300; ++i) {
        testing::Instance instance(91, i);
        const std::size_t k = 2 + instance.random.index(3);
        const core::Grid<double> costs =
            random_costs(k, instance.levels, instance.equal_rows, instance.random);
        const int dp = 2 + static_cast<int>(instance.random.below(5));
        std::vector<int> caps;
        for (std::size_t a = 0; a < k; ++a) {
            caps.push_back(static_cast<int>(instance.random.below(6)));
        }
        CountModel model({costs, costs});
        std::vector<int> row;
        const double exact = least_of_all_rows(model, caps, dp, row);
        std::size_t nodes = 10'000;
        const double bound = least_exchange_within(costs, dp, caps, 1e9, nodes);
        if (exact == std::numeric_limits<double>::infinity()) {
            ASSERT_GE(bound, 1e9) << i;
            continue;
        }
        ASSERT_LE(bound, exact * (1 + 1e-12)) << i;
        std::size_t none = 0;
        ASSERT_LE(least_exchange_within(costs, dp, caps, 1e9, none), bound * (1 + 1e-12)) << i;
        std::size_t some = 10'000;
        ASSERT_LE(least_exchange_within(costs, dp, caps, exact / 2, some), exact) << i;
        found += bound;
        least += exact;
    }
    EXPECT_GT(found, 0.9 * least);
}

TEST(DifferentStages, BoundsNoOptimumFromAboveAndMeetsSome) {
    int tight = 0;
    int above_elementary = 0;
    for (int i = 0; i < 300; ++i) {
        testing::Instance instance(92, i);
        const Problem problem =
            random_problem(testing::small_shape(i), instance.levels, true, instance.random);
        const double best = make_search(SearchKind::kExhaustive)->run(problem, {}).score;
        const Classes classes = exact_classes(problem.costs);
        std::vector<int> sizes;
        for (const std::vector<int>& members : classes.members) {
            sizes.push_back(static_cast<int>(members.size()));
        }
        const double bound = different_stages_bound(
            class_costs(problem.costs, classes), problem.shape, sizes, 2 * best + 1, 1'000);
        ASSERT_LE(bound, best * (1 + 1e-12)) << i;
        tight += bound > best * (1 - 1e-12) ? 1 : 0;
        above_elementary += bound > elementary_bound(problem).value * (1 + 1e-9) ? 1 : 0;
    }
    EXPECT_GT(tight, 0);
    EXPECT_GT(above_elementary, 20);
}

TEST(DifferentStages, SaysNothingWhereItCannot) {
    core::Grid<double> costs(2, 2, 1.0);
    // No cheaper inside than between; one stage; one class.
    EXPECT_EQ(different_stages_bound({costs, costs}, {2, 2}, {2, 2}, 100, 100), 0);
    costs(0, 0) = costs(1, 1) = 0.5;
    EXPECT_EQ(different_stages_bound({costs, costs}, {1, 4}, {2, 2}, 100, 100), 0);
    const core::Grid<double> one(1, 1, 1.0);
    EXPECT_EQ(different_stages_bound({one, one}, {2, 2}, {4}, 100, 100), 0);
    // By hand: equal stages (1, 1) exchange 1 and have an edge of 0.5; stages (2, 0) and (0, 2)
    // exchange 0.5 and have an edge of 1.
    EXPECT_DOUBLE_EQ(different_stages_bound({costs, costs}, {2, 2}, {2, 2}, 100, 100), 1.5);
    EXPECT_DOUBLE_EQ(different_stages_bound({costs, costs}, {2, 2}, {2, 2}, 1.2, 100), 1.2);
}

}  // namespace
}  // namespace longhaul::placement
