#include "longhaul/placement/reduction_tree.hpp"

#include <gtest/gtest.h>

#include "longhaul/placement/brute_force.hpp"
#include "longhaul/placement/detail/test_support.hpp"

namespace longhaul::placement {
namespace {

/// Follows the merges: each member sends its sum once, and the root has everything at the end.
void expect_tree(const core::Grid<double>& hops, const ReductionTree& tree, int instance) {
    std::vector<double> done(hops.rows(), 0);
    std::vector<std::size_t> sum(hops.rows(), 1);
    ASSERT_EQ(tree.merges.size(), hops.rows() - 1) << instance;
    for (const Merge& merge : tree.merges) {
        const auto from = static_cast<std::size_t>(merge.from);
        const auto to = static_cast<std::size_t>(merge.to);
        ASSERT_GT(sum[from], 0U) << instance;
        ASSERT_GT(sum[to], 0U) << instance;
        done[to] = std::max(done[from], done[to]) + hops(from, to);
        sum[to] += sum[from];
        sum[from] = 0;
    }
    const auto root = static_cast<std::size_t>(tree.root);
    ASSERT_EQ(sum[root], hops.rows()) << instance;
    ASSERT_NEAR(done[root], tree.seconds, 1e-12) << instance;
    ASSERT_LE(tree.bound, tree.seconds) << instance;
}

TEST(BestReductionTree, EqualsBruteForce) {
    for (int i = 0; i < 200; ++i) {
        testing::Instance instance(710, i);
        const std::size_t n = 2 + static_cast<std::size_t>(i) % 5;
        const auto hops = random_costs(n, instance.levels, instance.equal_rows, instance.random);
        const ReductionTree tree = best_reduction_tree(hops);
        expect_tree(hops, tree, i);
        ASSERT_TRUE(tree.exact());
        ASSERT_NEAR(tree.seconds, brute_force_tree(hops), 1e-12) << i;
    }
}

TEST(BestReductionTree, EqualHopsTakeTheDepthOfTheTree) {
    // ceil(log2 n) merges one after the other.
    const std::vector<std::pair<std::size_t, int>> depths{
        {1, 0}, {2, 1}, {3, 2}, {4, 2}, {5, 3}, {8, 3}, {9, 4}, {10, 4}, {16, 4}, {17, 5}, {64, 6}};
    for (const auto& [n, depth] : depths) {
        const ReductionTree tree = best_reduction_tree(core::Grid<double>(n, n, 0.5));
        EXPECT_EQ(tree.seconds, 0.5 * depth) << n;
        EXPECT_TRUE(tree.exact()) << n;
    }
}

TEST(BestReductionTree, SitesReduceInsideFirst) {
    // 4 sites of 8 with hops of 1 inside and 10 across: three merges inside, two across. Members
    // are dealt to sites in turn, so that their order says nothing.
    core::Grid<double> hops(32, 32, 10.0);
    for (std::size_t i = 0; i < 32; ++i) {
        for (std::size_t j = 0; j < 32; ++j) {
            hops(i, j) = i % 4 == j % 4 ? 1 : 10;
        }
    }
    const ReductionTree tree = best_reduction_tree(hops);
    expect_tree(hops, tree, 0);
    EXPECT_EQ(tree.seconds, 3 * 1 + 2 * 10);
}

TEST(BestReductionTree, ManyMembersHaveATreeNoWorseThanTheirOrder) {
    for (int i = 0; i < 60; ++i) {
        testing::Instance instance(711, i);
        const std::size_t n = 11 + static_cast<std::size_t>(i) % 30;
        const auto hops = random_costs(n, instance.levels, instance.equal_rows, instance.random);
        const ReductionTree tree = best_reduction_tree(hops);
        expect_tree(hops, tree, i);
        ASSERT_LE(tree.seconds, tree_of_order(hops, testing::counted(n))) << i;
    }
}

TEST(BestReductionTree, OfAnOrderIsNeverBetterThanTheBest) {
    for (int i = 0; i < 100; ++i) {
        testing::Instance instance(712, i);
        const std::size_t n = 2 + static_cast<std::size_t>(i) % 8;
        const auto hops = random_costs(n, instance.levels, instance.equal_rows, instance.random);
        const double best = best_reduction_tree(hops).seconds;
        for (int k = 0; k < 20; ++k) {
            ASSERT_LE(best, tree_of_order(hops, testing::shuffled(n, instance.random)) + 1e-12);
        }
    }
}

}  // namespace
}  // namespace longhaul::placement
