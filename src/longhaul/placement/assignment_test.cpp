#include "longhaul/placement/assignment.hpp"

#include <gtest/gtest.h>

#include "longhaul/placement/detail/test_support.hpp"

namespace longhaul::placement {
namespace {

LexCost total_of(const core::Grid<LexCost>& costs, const std::vector<int>& column) {
    LexCost sum;
    for (std::size_t row = 0; row < column.size(); ++row) {
        sum = sum + costs(row, static_cast<std::size_t>(column[row]));
    }
    return sum;
}

TEST(LeastAssignment, EqualsBruteForce) {
    for (int i = 0; i < 500; ++i) {
        testing::Instance instance(5, i);
        const std::size_t n = 1 + instance.random.index(7);
        // Few values: ties decide at every part. Negative parts are as good as others.
        core::Grid<LexCost> costs(n, n);
        for (LexCost& cost : costs.cells()) {
            cost = {{static_cast<std::int64_t>(instance.random.below(2)),
                     static_cast<std::int64_t>(instance.random.below(4)) - 2,
                     static_cast<std::int64_t>(instance.random.below(1'000'000))}};
        }
        const std::vector<int> found = least_assignment(costs);
        std::vector<int> sorted = found;
        std::ranges::sort(sorted);
        ASSERT_EQ(sorted, testing::counted(n));
        std::vector<int> column = testing::counted(n);
        LexCost best = total_of(costs, column);
        while (std::ranges::next_permutation(column).found) {
            best = std::min(best, total_of(costs, column));
        }
        ASSERT_EQ(total_of(costs, found).part, best.part) << i;
    }
}

TEST(LeastAssignment, EarlierPartsComeFirst) {
    // The diagonal costs (0, 9, 9) twice; the other pairs (1, 0, 0): one unit of the first part
    // outweighs all of the later ones.
    core::Grid<LexCost> costs(2, 2, LexCost{{1, 0, 0}});
    costs(0, 0) = costs(1, 1) = {{0, 9, 9}};
    EXPECT_EQ(least_assignment(costs), (std::vector<int>{0, 1}));
    costs(0, 0).part[0] = costs(1, 1).part[0] = 1;
    EXPECT_EQ(least_assignment(costs), (std::vector<int>{1, 0}));
}

}  // namespace
}  // namespace longhaul::placement
