#include "longhaul/placement/explain.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "longhaul/placement/detail/term_cases.hpp"
#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/pipelined.hpp"
#include "longhaul/placement/units.hpp"

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
    const Explanation why = explain(small_case(), placement, {}, 100, 1);
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
        const Explanation why = explain(problem, placement, {}, 1'000, 2);
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
        EXPECT_LE(explain(problem, placement, {}, 2, 1).changes.size(), 2U);
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
        const Explanation why = explain(problem, placement, {}, 1, 1);
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

/// A random placement of whole tensor groups, in the order of devices or shuffled.
Placement placed_groups(const testing::TermCase& made, core::Random& random) {
    const int tp = made.shape.tp;
    const std::size_t units = made.fabric.size() / static_cast<std::size_t>(tp);
    std::vector<int> order = testing::shuffled(units, random);
    std::vector<int> devices;
    for (std::size_t cell = 0; cell < made.shape.cells(); ++cell) {
        for (int t = 0; t < tp; ++t) {
            devices.push_back(order[cell] * tp + t);
        }
    }
    return {made.shape, devices, made.fabric.size()};
}

// Under every term: what is listed adds up to the score of the evaluation, and each change costs
// what solving the exchanged groups anew does.
TEST(Explain, AddsUpUnderEveryTerm) {
    for (const testing::TermChoice& choice : testing::term_choices()) {
        for (int i = 0; i < 6; ++i) {
            testing::Instance instance(4400, i);
            const testing::TermCase made = testing::term_case(choice, 3, 2, instance.random);
            const Problem problem = made.problem();
            const Placement placement = placed_groups(made, instance.random);
            const std::vector<int> hosts = made.fabric.host_of_device();
            const Explanation why = explain(problem, placement, hosts, 1'000, 2);
            const Score score = score_as_mapped(problem, placement);
            SCOPED_TRACE(made.name);
            EXPECT_EQ(why.score.total(), score.total());
            double exchange = why.stages[why.binding_stage].seconds;
            for (const ResourceReason& resource : why.resources) {
                exchange = std::max(exchange, resource.exchange);
            }
            EXPECT_NEAR(exchange, score.data_parallel, 1e-12);
            const Units units = units_of(problem, placement, hosts);
            double sum = stage_compute(units.problem, units.placement.stages()).sum;
            if (made.terms.objective == Objective::kAdditive) {
                sum = score.compute;  // edges alone are the pipeline
            }
            for (const EdgeReason& edge : why.edges) {
                sum += edge.seconds;
            }
            for (const RepeatReason& repeat : why.repeats) {
                sum += repeat.seconds();
            }
            EXPECT_NEAR(sum, score.pipeline + score.compute, 1e-9 * (1 + sum));
            for (const Change& change : why.changes) {
                Stages changed = units.placement.stages();
                for (std::vector<int>& group : changed) {
                    for (int& unit : group) {
                        const int device = units.device(unit);
                        const int to = device == change.device  ? change.other
                                       : device == change.other ? change.device
                                                                : device;
                        unit = 0;
                        while (units.device(unit) != to) {
                            ++unit;
                        }
                    }
                }
                EXPECT_EQ(change.score.total(), solve_inner(units.problem, changed).score.total());
            }
        }
    }
}

// Twin of critical_flows: of all pairs made faster by a millionth one at a time, those that shorten
// the exchange are among the flows that it names.
TEST(CriticalFlows, HoldEveryPairThatShortensTheExchange) {
    for (const Exchange kind : {Exchange::kSharded,
                                Exchange::kRing,
                                Exchange::kCentral,
                                Exchange::kTree,
                                Exchange::kHierarchical}) {
        for (int i = 0; i < 20; ++i) {
            testing::Instance instance(4401, 3 * i);  // no ties
            const std::size_t n = 2 + static_cast<std::size_t>(i % 5);
            core::Grid<double> slow(n, n, 0.0);
            std::vector<int> region;
            for (std::size_t a = 0; a < n; ++a) {
                region.push_back(static_cast<int>(a % 2));
                for (std::size_t b = 0; b < a; ++b) {
                    slow(a, b) = slow(b, a) = 0.5 + instance.random.uniform();
                }
            }
            const core::Grid<double> late(n, n, 0.0);
            const std::vector<int> group = testing::counted(n);
            const ExchangeTerm term(kind, PointLinks(late, slow), region, 1, 1);
            const double before = term.seconds(group);
            const std::vector<CriticalFlow> flows = term.critical_flows(group);
            for (std::size_t a = 0; a < n; ++a) {
                for (std::size_t b = 0; b < a; ++b) {
                    core::Grid<double> faster = slow;
                    faster(a, b) = faster(b, a) = slow(a, b) * (1 - 1e-6);
                    const ExchangeTerm other(kind, PointLinks(late, faster), region, 1, 1);
                    if (other.seconds(group) < before * (1 - 1e-9)) {
                        const auto x = static_cast<int>(a);
                        const auto y = static_cast<int>(b);
                        EXPECT_TRUE(std::ranges::any_of(
                            flows,
                            [&](const CriticalFlow& flow) {
                                return std::minmax(flow.from, flow.to) == std::minmax(x, y);
                            }))
                            << name_of(kind) << " " << i << " " << a << " " << b;
                    }
                }
            }
        }
    }
}

}  // namespace
}  // namespace longhaul::placement
