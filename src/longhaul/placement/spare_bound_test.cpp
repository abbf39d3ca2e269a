#include "longhaul/placement/spare_bound.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "longhaul/placement/check_proof.hpp"
#include "longhaul/placement/detail/every_term.hpp"

namespace longhaul::placement {
namespace {

// By hand: two stages of two in one piece need two devices of a part for each of their places.
TEST(SpareBound, FewestPieces) {
    const auto pieces = [](Shape shape, std::vector<int> parts) {
        return fewest_pieces(shape, parts);
    };
    EXPECT_EQ(pieces({2, 2}, {4}), 1);
    EXPECT_EQ(pieces({2, 2}, {3, 3}), 1);        // a device of each part in both stages
    EXPECT_EQ(pieces({2, 2}, {3, 1, 1}), 2);     // 3 / 2 + 0 + 0 = 1 place in both stages
    EXPECT_EQ(pieces({6, 4}, {8, 8, 6, 4}), 2);  // one of six: 1 + 1 + 1 + 0; three: 2 + 2 + 2 + 1
    EXPECT_EQ(pieces({13, 1}, {8, 8, 6, 4}), 2);
    EXPECT_EQ(pieces({4, 1}, {1, 1, 1, 1}), 4);
}

// Three pairs of devices, 1 s inside a pair, 2 s between the first two pairs, 5 s to the third:
// four of six devices in a line of four stages take 1 + 2 + 1 s, all six 1 + 2 + 1 + 5 + 1 s.
TEST(SpareBound, ALineThroughPairs) {
    core::Grid<double> costs(6, 6, 0.0);
    for (std::size_t i = 0; i < 6; ++i) {
        for (std::size_t j = 0; j < 6; ++j) {
            costs(i, j) = i / 2 == j / 2 ? 1 : i < 4 && j < 4 ? 2 : 5;
        }
    }
    const PairMatrix pairs(costs);
    EXPECT_EQ(edges_at_least(pairs, {4, 1}).sum, 4);
    EXPECT_EQ(edges_at_least(pairs, {4, 1}).slowest, 2);
    EXPECT_EQ(edges_at_least(pairs, {6, 1}).sum, 10);
    EXPECT_EQ(edges_at_least(pairs, {6, 1}).slowest, 5);
    EXPECT_EQ(edges_at_least(pairs, {2, 1}).sum, 1);
    EXPECT_EQ(edges_at_least(pairs, {1, 2}).sum, 0);
}

// Brute force over all rank maps is the definition of the optimum; the checker has code of its own.
TEST(SpareBound, IsNoMoreThanTheBestOfAllMaps) {
    int more = 0;
    testing::for_all_terms(931, [&](const Problem& problem, const auto&, const auto& what) {
        if (problem.devices() == problem.shape.devices()) {
            return;
        }
        const double best = testing::best_of_all_maps(problem);
        const Bound bound = spare_bound(problem);
        ASSERT_LE(bound.value, best * (1 + 1e-9)) << what;
        ASSERT_NEAR(replay_elementary(problem), bound.value, 1e-9 * best) << what;
        const double cheapest =
            (problem.shape.pp - 1) * nearest_costs(problem.costs, problem.shape.dp).pipeline;
        ASSERT_GE(bound.pipeline, cheapest * (1 - 1e-12)) << what;
        more += bound.pipeline > cheapest * (1 + 1e-6) ? 1 : 0;
    });
    EXPECT_GT(more, 30);
}

}  // namespace
}  // namespace longhaul::placement
