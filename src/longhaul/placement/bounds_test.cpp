#include "longhaul/placement/bounds.hpp"

#include <gtest/gtest.h>

#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/search.hpp"

namespace longhaul::placement {
namespace {

TEST(ElementaryBound, NeverExceedsTheOptimum) {
    for (int i = 0; i < 300; ++i) {
        testing::Instance instance(23, i);
        const Problem problem = random_problem(
            testing::small_shape(i), instance.levels, instance.equal_rows, instance.random);
        const SearchResult best = make_search(SearchKind::kExhaustive)->run(problem, {});
        const Score optimum = solve_inner(problem.costs, best.stages).score;
        const Bound bound = elementary_bound(problem);
        ASSERT_LE(bound.value, optimum.total() * (1 + 1e-12)) << i;
        ASSERT_GE(bound.data_parallel, 0);
        ASSERT_GE(bound.pipeline, 0);
    }
}

TEST(ElementaryBound, OfTable2IsWhatTheFormulasSay) {
    // By hand: 7 peers at 2 (0.005 + 8 * 0.08125 / 2) = 4.620; 7 edges at 2 (0.005 + 8 * 0.512 / 2)
    // = 28.742.
    const Bound bound =
        elementary_bound(testing::shipped_problem("dtfm-table2-worldwide.json", 0.512, 0.65));
    EXPECT_NEAR(bound.data_parallel, 4.620, 1e-12);
    EXPECT_NEAR(bound.pipeline, 28.742, 1e-12);
}

TEST(ElementaryBound, OneStageAndOneReplicaAreExact) {
    // One stage: all devices exchange. One replica of two stages: the only pair.
    core::Random random(5);
    const Problem one_stage = random_problem({1, 5}, 0, false, random);
    EXPECT_NEAR(elementary_bound(one_stage).value,
                group_exchange(one_stage.costs.exchange, testing::counted(5)).seconds,
                1e-12);
    const Problem pair = random_problem({2, 1}, 0, false, random);
    EXPECT_EQ(elementary_bound(pair).value, pair.costs.pipeline(0, 1));
    const Problem alone = random_problem({1, 1}, 0, false, random);
    EXPECT_EQ(elementary_bound(alone).value, 0);
}

TEST(GapBetween, SaysWhatIsKnown) {
    EXPECT_DOUBLE_EQ(gap_between(3, 2).value, 0.5);
    EXPECT_TRUE(gap_between(3, 2).known);
    EXPECT_FALSE(gap_between(3, 2).optimal);
    EXPECT_TRUE(gap_between(2, 2).optimal);
    EXPECT_EQ(gap_between(2 + 1e-13, 2).value, 0);
    EXPECT_TRUE(gap_between(2 + 1e-13, 2).optimal);
    EXPECT_FALSE(gap_between(2 + 1e-9, 2).optimal);
    EXPECT_TRUE(gap_between(0, 0).optimal);
    EXPECT_TRUE(gap_between(0, 0).known);
    EXPECT_FALSE(gap_between(1, 0).known);
    EXPECT_FALSE(gap_between(1, 0).optimal);
    EXPECT_FALSE(gap_between(1, 1e-320).known);
}

}  // namespace
}  // namespace longhaul::placement
