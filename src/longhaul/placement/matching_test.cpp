#include "longhaul/placement/matching.hpp"

#include <gtest/gtest.h>

#include "longhaul/placement/brute_force.hpp"
#include "longhaul/placement/detail/test_support.hpp"

namespace longhaul::placement {
namespace {

/// Plain Kuhn on adjacency: the twin for sizes that brute force cannot reach. O(n^3).
class Kuhn {
public:
    Kuhn(const core::Grid<double>& costs, double threshold)
        : costs_(costs), threshold_(threshold), row_of_(costs.rows(), -1) {}

    bool perfect() {
        for (std::size_t row = 0; row < costs_.rows(); ++row) {
            seen_.assign(costs_.rows(), 0);
            if (!try_row(row)) {
                return false;
            }
        }
        return true;
    }

private:
    bool try_row(std::size_t row) {
        for (std::size_t column = 0; column < costs_.rows(); ++column) {
            if (costs_(row, column) > threshold_ || seen_[column] != 0) {
                continue;
            }
            seen_[column] = 1;
            if (row_of_[column] < 0 || try_row(static_cast<std::size_t>(row_of_[column]))) {
                row_of_[column] = static_cast<int>(row);
                return true;
            }
        }
        return false;
    }

    const core::Grid<double>& costs_;
    double threshold_;
    std::vector<int> row_of_;
    std::vector<char> seen_;
};

void expect_attained(const core::Grid<double>& costs, const Matching& matching) {
    double worst = 0;
    std::vector<int> columns = matching.column;
    for (std::size_t row = 0; row < costs.rows(); ++row) {
        worst = std::max(worst, costs(row, static_cast<std::size_t>(columns[row])));
    }
    ASSERT_EQ(worst, matching.value);
    std::ranges::sort(columns);
    ASSERT_EQ(columns, testing::counted(costs.rows()));
}

TEST(BottleneckMatching, EqualsBruteForce) {
    for (int i = 0; i < 600; ++i) {
        testing::Instance instance(2, i);
        const core::Grid<double> costs = instance.rectangle(1 + instance.random.index(7));
        const Matching matching = bottleneck_matching(costs);
        ASSERT_EQ(matching.value, brute_force_bottleneck(costs)) << i;
        expect_attained(costs, matching);
    }
}

TEST(BottleneckMatching, EqualsPlainKuhnBeyondOneWord) {
    // The value is right when Kuhn finds a matching at it and none below it; sizes around the
    // borders of 64-bit words, and random ones.
    for (int i = 0; i < 240; ++i) {
        testing::Instance instance(3, i);
        const std::size_t borders[] = {63, 64, 65, 127, 128, 129};
        const std::size_t n = i < 24 ? borders[i % 6] : 9 + instance.random.index(70);
        const core::Grid<double> costs = instance.rectangle(n);
        const Matching matching = bottleneck_matching(costs);
        expect_attained(costs, matching);
        ASSERT_TRUE(Kuhn(costs, matching.value).perfect()) << i;
        double below = -1;
        for (const double cost : costs.cells()) {
            below = cost < matching.value ? std::max(below, cost) : below;
        }
        ASSERT_FALSE(Kuhn(costs, below).perfect()) << i;
    }
}

TEST(BottleneckMatching, IsNotTheLeastSum) {
    // From the geo-placement page: the least sum takes 0 + 10, the least maximum 6 + 6.
    core::Grid<double> costs(2, 2, 6.0);
    costs(0, 0) = 0;
    costs(1, 1) = 10;
    const Matching matching = bottleneck_matching(costs);
    EXPECT_EQ(matching.value, 6);
    EXPECT_EQ(matching.column, (std::vector<int>{1, 0}));
}

TEST(BottleneckMatching, ZeroCostsAndOneDevice) {
    EXPECT_EQ(bottleneck_matching(core::Grid<double>(5, 5, 0.0)).value, 0);
    EXPECT_EQ(bottleneck_matching(core::Grid<double>(1, 1, 3.0)).value, 3);
}

TEST(BottleneckSolver, ReusedBuffersChangeNothing) {
    BottleneckSolver solver;
    for (int i = 0; i < 200; ++i) {
        testing::Instance instance(4, i);
        const core::Grid<double> costs =
            random_costs(24, instance.levels, instance.equal_rows, instance.random);
        const std::vector<int> devices = testing::shuffled(24, instance.random);
        const std::size_t n = 1 + instance.random.index(12);
        const std::span<const int> rows = std::span(devices).first(n);
        const std::span<const int> columns = std::span(devices).last(n);
        core::Grid<double> between(n, n);
        for (std::size_t r = 0; r < n; ++r) {
            for (std::size_t c = 0; c < n; ++c) {
                between(r, c) =
                    costs(static_cast<std::size_t>(rows[r]), static_cast<std::size_t>(columns[c]));
            }
        }
        const double value = solver.solve(costs, rows, columns);
        ASSERT_EQ(value, bottleneck_matching(between).value);
        expect_attained(between, {value, {solver.partner().begin(), solver.partner().end()}});
    }
}

}  // namespace
}  // namespace longhaul::placement
