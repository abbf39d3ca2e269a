#include "longhaul/placement/directed_path.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/long_path.hpp"

namespace longhaul::placement {
namespace {

core::Grid<double> random_ways(std::size_t n, core::Random& random) {
    core::Grid<double> edges(n, n, 0.0);
    for (std::size_t a = 0; a < n; ++a) {
        for (std::size_t b = 0; b < n; ++b) {
            edges(a, b) = a == b ? 0 : random.uniform();
        }
    }
    return edges;
}

double walked(const core::Grid<double>& edges, const std::vector<int>& order) {
    double length = 0;
    for (std::size_t s = 1; s < order.size(); ++s) {
        length += edges(static_cast<std::size_t>(order[s - 1]), static_cast<std::size_t>(order[s]));
    }
    return length;
}

TEST(DirectedPath, IsTheShortestOfAllOrders) {
    for (int i = 0; i < 60; ++i) {
        testing::Instance instance(880, i);
        const auto n = static_cast<std::size_t>(1 + i % 7);
        const core::Grid<double> edges = random_ways(n, instance.random);
        std::vector<int> order = testing::counted(n);
        double least = std::numeric_limits<double>::infinity();
        do {
            least = std::min(least, walked(edges, order));
        } while (std::next_permutation(order.begin(), order.end()));
        const Path path = best_directed_path(edges);
        ASSERT_NEAR(path.length, least, 1e-12) << n;
        ASSERT_NEAR(walked(edges, path.order), path.length, 1e-12) << n;
    }
}

TEST(DirectedPath, FindsAHiddenWayThroughManyNodes) {
    // Edges of 0 along a hidden order, and 1 to 2 everywhere else, its way back included.
    for (const std::size_t n : {17, 24, 40}) {
        testing::Instance instance(881, static_cast<int>(n));
        core::Grid<double> edges = random_ways(n, instance.random);
        for (double& cost : edges.cells()) {
            cost += 1;
        }
        const std::vector<int> hidden = testing::shuffled(n, instance.random);
        for (std::size_t s = 1; s < n; ++s) {
            edges(static_cast<std::size_t>(hidden[s - 1]), static_cast<std::size_t>(hidden[s])) = 0;
        }
        const Path path = best_directed_path(edges);
        EXPECT_EQ(path.length, 0) << n;
        EXPECT_EQ(path.order, hidden) << n;
    }
}

TEST(DirectedPath, OfManyNodesIsNoLongerThanThePathOfTheMeanFromEitherEnd) {
    for (int i = 0; i < 6; ++i) {
        testing::Instance instance(882, i);
        const core::Grid<double> edges = random_ways(20, instance.random);
        core::Grid<double> mean = edges;
        for (std::size_t a = 0; a < 20; ++a) {
            for (std::size_t b = 0; b < 20; ++b) {
                mean(a, b) = (edges(a, b) + edges(b, a)) / 2;
            }
        }
        std::vector<int> order = best_path(mean).order;
        const Path path = best_directed_path(edges);
        EXPECT_LE(path.length, walked(edges, order));
        std::ranges::reverse(order);
        EXPECT_LE(path.length, walked(edges, order));
        EXPECT_NEAR(walked(edges, path.order), path.length, 1e-12);
        std::ranges::sort(order = path.order);
        EXPECT_EQ(order, testing::counted(20));
    }
}

TEST(DirectedPath, OfEqualWaysIsTheSymmetricOne) {
    for (int i = 0; i < 9; ++i) {
        testing::Instance instance(883, i);
        const core::Grid<double> edges = random_costs(static_cast<std::size_t>(2 + 2 * i),
                                                      instance.levels,
                                                      instance.equal_rows,
                                                      instance.random);
        EXPECT_EQ(best_directed_path(edges).order, best_path(edges).order);
    }
}

}  // namespace
}  // namespace longhaul::placement
