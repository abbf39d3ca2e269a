#include "longhaul/placement/explain.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "longhaul/placement/detail/test_support.hpp"

namespace longhaul::placement {
namespace {

/// Four devices in two stages, numbers chosen so that everything can be read off.
Problem small_case() {
    core::Grid<double> pipeline(4, 4, 0.0);
    core::Grid<double> exchange(4, 4, 0.0);
    const auto set = [](core::Grid<double>& grid, std::size_t i, std::size_t j, double value) {
        grid(i, j) = grid(j, i) = value;
    };
    set(exchange, 0, 1, 1);
    set(exchange, 2, 3, 5);
    set(exchange, 0, 2, 2);
    set(exchange, 1, 3, 2);
    set(exchange, 0, 3, 9);
    set(exchange, 1, 2, 9);
    set(pipeline, 0, 2, 3);
    set(pipeline, 1, 3, 4);
    set(pipeline, 0, 3, 7);
    set(pipeline, 1, 2, 8);
    set(pipeline, 0, 1, 1);
    set(pipeline, 2, 3, 1);
    return {{2, 2}, {pipeline, exchange}};
}

TEST(Explain, NamesWhatBindsByHand) {
    // Stages {0, 1} and {2, 3}, pairs 0-2 and 1-3: data parallel 5 (device 2 with peer 3), pipeline
    // 4 (device 1 to 3, replica 1).
    const Placement placement = Placement::from_stages({{0, 1}, {2, 3}});
    const Explanation why = explain(small_case().costs, placement, 100, 1);
    EXPECT_EQ(why.score.data_parallel, 5);
    EXPECT_EQ(why.score.pipeline, 4);
    EXPECT_EQ(why.binding_stage, 1U);
    EXPECT_EQ(why.stages[0].seconds, 1);
    EXPECT_EQ(why.stages[1].device, 2);
    EXPECT_EQ(why.stages[1].worst_peer, 3);
    EXPECT_EQ(why.stages[1].worst_peer_seconds, 5);
    EXPECT_EQ(why.binding_edge, 0U);
    EXPECT_EQ(why.edges[0].device, 1);
    EXPECT_EQ(why.edges[0].next_device, 3);
    EXPECT_EQ(why.edges[0].replica, 1);
    // The changes, up to the names of the stages: {0, 2} {1, 3} costs 2 + max over the better
    // matching of 0-1, 2-3 (1) = 3, and {0, 3} {1, 2} costs 9 + 1 = 10. Two exchanges lead to each,
    // and one of them is tried.
    EXPECT_EQ(why.changes_tried, 2U);
    EXPECT_EQ(why.changes.front().score.total(), 3);
    EXPECT_EQ(why.changes.back().score.total(), 10);
}

TEST(Explain, ScoresEqualAFreshEvaluation) {
    for (int i = 0; i < 100; ++i) {
        testing::Instance instance(24, i);
        const Problem problem = random_problem(
            testing::small_shape(i), instance.levels, instance.equal_rows, instance.random);
        const Placement placement(problem.shape,
                                  testing::shuffled(problem.shape.devices(), instance.random));
        const Explanation why = explain(problem.costs, placement, 1'000, 2);
        EXPECT_EQ(why.score.total(), score_as_mapped(problem.costs, placement).total());
        ASSERT_EQ(why.stages.size(), static_cast<std::size_t>(problem.shape.pp));
        ASSERT_EQ(why.edges.size(), static_cast<std::size_t>(problem.shape.pp - 1));
        EXPECT_EQ(why.stages[why.binding_stage].seconds, why.score.data_parallel);
        double sum = 0;
        for (const EdgeReason& edge : why.edges) {
            sum += edge.seconds;
            EXPECT_LE(edge.seconds, why.edges[why.binding_edge].seconds);
        }
        EXPECT_NEAR(sum, why.score.pipeline, 1e-12);
        std::size_t listed = 0;
        for (const Change& change : why.changes) {
            listed += 1 + change.alike;
        }
        EXPECT_EQ(listed, why.changes_tried);
        double last = 0;
        for (const Change& change : why.changes) {
            std::vector<int> ranks = placement.rank_map();
            std::swap(ranks[static_cast<std::size_t>(change.device)],
                      ranks[static_cast<std::size_t>(change.other)]);
            const Placement swapped = Placement::from_rank_map(problem.shape, ranks).value();
            EXPECT_EQ(change.score.total(),
                      solve_inner(problem.costs, swapped.stages()).score.total());
            EXPECT_GE(change.score.total(), last);
            last = change.score.total();
        }
        EXPECT_LE(explain(problem.costs, placement, 2, 1).changes.size(), 2U);
    }
}

TEST(Explain, TriesEveryExchangeThatDiffers) {
    // The best change around what binds equals the best over all exchanges of the four binding
    // devices with all others, interchangeable ones included.
    for (int i = 0; i < 100; ++i) {
        testing::Instance instance(32, 2 * i + 1);  // equal rows
        const Problem problem =
            random_problem({3, 3}, instance.levels, instance.equal_rows, instance.random);
        const Placement placement(problem.shape, testing::shuffled(9, instance.random));
        const Explanation why = explain(problem.costs, placement, 1, 1);
        const StageReason& stage = why.stages[why.binding_stage];
        const EdgeReason& edge = why.edges[why.binding_edge];
        const double untouched = solve_inner(problem.costs, placement.stages()).score.total();
        double best = std::numeric_limits<double>::infinity();
        for (const int device : {stage.device, stage.worst_peer, edge.device, edge.next_device}) {
            for (int other = 0; other < 9; ++other) {
                std::vector<int> ranks = placement.rank_map();
                std::swap(ranks[static_cast<std::size_t>(device)],
                          ranks[static_cast<std::size_t>(other)]);
                const Placement swapped = Placement::from_rank_map(problem.shape, ranks).value();
                best = std::min(best, solve_inner(problem.costs, swapped.stages()).score.total());
            }
        }
        const double found = why.changes.empty() ? untouched : why.changes.front().score.total();
        ASSERT_NEAR(std::min(found, untouched), best, 1e-12) << i;
    }
}

}  // namespace
}  // namespace longhaul::placement
