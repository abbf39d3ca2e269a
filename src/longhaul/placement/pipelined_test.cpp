#include "longhaul/placement/pipelined.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/find.hpp"
#include "longhaul/placement/path.hpp"
#include "longhaul/placement/prove.hpp"

namespace longhaul::placement {
namespace {

/// A random problem under the pipelined objective, with links, several messages and compute.
Problem pipelined_problem(Shape shape, core::Random& random) {
    const std::size_t n = shape.devices();
    const std::uint32_t levels = random.below(2) == 0 ? 3 : 0;
    Problem problem;
    problem.shape = shape;
    problem.links = {random_costs(n, levels, true, random), random_costs(n, levels, true, random)};
    problem.workload = testing::payloads(0.2 + random.uniform(), 0.5);
    problem.workload.pp_messages = 1 + static_cast<int>(random.below(6));
    problem.workload.pp_backward_messages = 1 + static_cast<int>(random.below(6));
    problem.workload.c_pp_backward = core::Gigabytes(random.uniform());
    if (random.below(2) == 0) {
        for (int s = 0; s < shape.pp; ++s) {
            problem.workload.stage_seconds.push_back(3 * random.uniform());
        }
    }
    problem.terms.objective = Objective::kPipelined;
    problem.costs = make_costs(problem.links, problem.workload, shape);
    problem.costs.pipeline =
        first_micro_batch(problem.links, passes_of(problem.workload, problem.terms));
    return problem;
}

/// One pass of `units` messages through stages and links as a tandem queue, message by message.
double tandem(const std::vector<double>& service, const std::vector<double>& delay, int units) {
    std::vector<double> free(service.size(), 0);
    double last = 0;
    for (int m = 0; m < units; ++m) {
        double ready = 0;
        for (std::size_t k = 0; k < service.size(); ++k) {
            free[k] = std::max(free[k], ready) + service[k];
            ready = free[k] + delay[k];
        }
        last = ready;
    }
    return last;
}

TEST(Pipelined, EqualsATandemQueue) {
    // One replica: stages and links in turn serve messages in order; GPipe runs all forward, then
    // all backward.
    for (int i = 0; i < 300; ++i) {
        core::Random random(71, i);
        const Shape shape{1 + static_cast<int>(random.below(5)), 1};
        Problem problem = pipelined_problem(shape, random);
        const Placement placement(shape, testing::shuffled(shape.devices(), random));
        const Passes passes = passes_of(problem.workload, problem.terms);
        double expected = 0;
        for (const bool backward : {false, true}) {
            const int units = backward ? passes.backward_units : passes.forward_units;
            const double gb = backward ? passes.backward_gb : passes.forward_gb;
            std::vector<double> service;
            std::vector<double> delay;
            for (int s = 0; s < shape.pp; ++s) {
                const double whole =
                    problem.workload.stage_seconds.empty() ? 0 : problem.workload.stage_seconds[s];
                service.push_back(whole * (backward ? 2.0 : 1.0) / 3 / units);
                delay.push_back(0);
                if (s + 1 < shape.pp) {
                    const int a = placement.device(0, s);
                    const int b = placement.device(0, s + 1);
                    service.push_back(gb * problem.links.slowness(a, b));
                    delay.push_back(problem.links.latency_s(a, b));
                }
            }
            if (backward) {
                std::ranges::reverse(service);
                std::ranges::reverse(delay);
                // A delay belongs to the link before it, read backwards as forwards.
            }
            expected += tandem(service, delay, units);
        }
        EXPECT_NEAR(score_as_mapped(problem, placement).total(), expected, 1e-9) << i;
    }
}

/// Every order of stages and every matching of every edge.
double brute_force(const Problem& problem, const Stages& stages) {
    std::vector<int> order(stages.size());
    std::iota(order.begin(), order.end(), 0);
    double best = std::numeric_limits<double>::infinity();
    do {
        Stages ordered = in_order(stages, order);
        const auto pairs = [&](auto&& self, std::size_t stage) -> void {
            if (stage == ordered.size()) {
                best = std::min(best,
                                score_as_mapped(problem, Placement::from_stages(ordered)).total());
                return;
            }
            std::ranges::sort(ordered[stage]);
            do {
                self(self, stage + 1);
            } while (std::ranges::next_permutation(ordered[stage]).found);
        };
        pairs(pairs, 1);
    } while (std::ranges::next_permutation(order).found);
    return best;
}

TEST(Pipelined, InnerSolutionEqualsBruteForce) {
    constexpr Shape kShapes[] = {{2, 3}, {3, 2}, {4, 2}, {3, 3}, {4, 1}, {1, 3}};
    for (int i = 0; i < 240; ++i) {
        core::Random random(72, i);
        const Shape shape = kShapes[i % std::size(kShapes)];
        const Problem problem = pipelined_problem(shape, random);
        const Stages stages = Placement(shape, testing::shuffled(shape.devices(), random)).stages();
        const Solved solved = solve_inner(problem, stages);
        EXPECT_NEAR(solved.score.total(), brute_force(problem, stages), 1e-9) << i;
    }
}

double optimum_of(const Problem& problem) {
    return make_search(SearchKind::kExhaustive)->run(problem, {}).score;
}

/// Every cap there is, each with the exact path.
double best_of_all_caps(const Problem& problem, const Stages& stages) {
    const Passes passes = passes_of(problem.workload, problem.terms);
    const StageCompute compute = stage_compute(problem, stages);
    const double exchange = solve_inner(problem.costs, stages).score.data_parallel;
    double best = std::numeric_limits<double>::infinity();
    for (const double cap : slowness_levels(problem, 1'000'000)) {
        const PairMatrix once = capped(problem.costs.pipeline, problem.links.slowness, cap);
        const double path = held_karp(edge_matrix(once, stages)).length;
        best = std::min(best, pipelined_score(exchange, path, cap, passes, compute).total());
    }
    return best;
}

TEST(Pipelined, WithManyStagesCapsInHalvesFindTheBestOfAll) {
    for (int i = 0; i < 6; ++i) {
        core::Random random(79, i);
        const Shape shape{13, 1 + i % 2};
        const Problem problem = pipelined_problem(shape, random);
        const Stages stages = Placement(shape, testing::shuffled(shape.devices(), random)).stages();
        const Solved solved = solve_inner(problem, stages);
        ASSERT_NEAR(solved.score.total(), best_of_all_caps(problem, stages), 1e-9) << i;
    }
}

// Above 16 stages paths are searched.
TEST(Pipelined, BeyondExactPathsTheScoreIsThatOfTheOrder) {
    for (int i = 0; i < 6; ++i) {
        core::Random random(80, i);
        const Shape shape{18 + i, 1};
        const Problem problem = pipelined_problem(shape, random);
        Stages stages = Placement(shape, testing::shuffled(shape.devices(), random)).stages();
        const Solved solved = solve_inner(problem, stages);
        const Stages ordered = in_order(stages, solved.order);
        const double mapped =
            score_as_mapped(problem, Placement::from_stages(ordered, problem.devices())).total();
        ASSERT_NEAR(solved.score.total(), mapped, 1e-9) << i;
        // More than 3 % are not to be had by exchanging two stages.
        for (std::size_t a = 0; a < ordered.size(); ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                Stages other = ordered;
                std::swap(other[a], other[b]);
                ASSERT_GE(score_as_mapped(problem, Placement::from_stages(other, problem.devices()))
                              .total(),
                          0.97 * mapped)
                    << i;
            }
        }
    }
}

TEST(Pipelined, SearchFindsAndProofNeverExceedsTheOptimum) {
    constexpr Shape kShapes[] = {{2, 3}, {3, 2}, {4, 2}, {2, 4}};
    int found = 0;
    int proved = 0;
    for (int i = 0; i < 60; ++i) {
        core::Random random(73, i);
        const Problem problem = pipelined_problem(kShapes[i % std::size(kShapes)], random);
        const double optimum = optimum_of(problem);
        SearchOptions options;
        options.budget = 4'000;
        options.restarts = 2;
        const SearchResult result = find(problem, SearchKind::kPortfolio, options);
        EXPECT_GE(result.score, optimum - 1e-9) << i;
        found += result.score <= optimum + 1e-9 ? 1 : 0;
        const Certificate certificate = prove(problem, result.score, {});
        EXPECT_LE(certificate.bound.value, optimum + 1e-9) << i;
        proved += gap_between(optimum, certificate.bound.value).value < 1e-9 ? 1 : 0;
    }
    EXPECT_GE(found, 57);
    EXPECT_GE(proved, 20);
}

TEST(Pipelined, BoundsHoldBelowAPoorIncumbent) {
    // A proof that starts far above the optimum must end at or below it, also with one stage, where
    // no pair is in use, and with devices to spare.
    constexpr Shape kShapes[] = {{1, 2}, {1, 3}, {2, 2}, {3, 2}, {2, 1}};
    for (int i = 0; i < 120; ++i) {
        core::Random random(74, i);
        const Shape shape = kShapes[i % std::size(kShapes)];
        const int spare = i % 3;
        Problem problem = pipelined_problem({1, static_cast<int>(shape.devices()) + spare}, random);
        problem.shape = shape;
        if (problem.workload.stage_seconds.size() > 1) {
            problem.workload.stage_seconds.resize(shape.pp);
        }
        if (!problem.workload.stage_seconds.empty()) {
            problem.workload.stage_seconds.resize(shape.pp, 0.5);
        }
        problem.costs = costs_of(problem.links, problem.workload, shape, problem.terms);
        const double optimum = testing::optimum_over_sets(problem);
        for (const double factor : {1.0, 1.05, 1.5, 4.0}) {
            const Certificate certificate = prove(problem, factor * optimum + 0.01, {});
            const double better = certificate.better
                                      ? solve_inner(problem, *certificate.better).score.total()
                                      : factor * optimum + 0.01;
            EXPECT_LE(certificate.bound.value, optimum + 1e-9) << i << " x " << factor;
            EXPECT_GE(better, optimum - 1e-9);
        }
    }
}

TEST(Pipelined, LongPathsWithForbiddenPairsEnd) {
    // Above 16 stages the order is searched; pairs beyond a cap must not drown the digits of
    // others.
    const fabric::Fabric fabric = testing::shipped("dtfm-table2-worldwide.json");
    workload::Workload workload = testing::payloads(0.5, 0.6);
    workload.pp_messages = 8;
    Terms terms;
    terms.objective = Objective::kPipelined;
    const Problem problem = make_problem(fabric, "t", workload, {32, 2}, terms).value();
    core::Random random(75);
    const Stages stages = Placement({32, 2}, testing::shuffled(64, random)).stages();
    const Solved solved = solve_inner(problem, stages);
    EXPECT_LE(solved.score.total(),
              score_as_mapped(problem, Placement::from_stages(stages)).total());
}

TEST(Pipelined, OneDeviceCostsItsCompute) {
    Problem problem;
    problem.shape = {1, 1};
    problem.links = {core::Grid<double>(1, 1, 0.0), core::Grid<double>(1, 1, 0.0)};
    problem.workload = testing::payloads(1, 1);
    problem.workload.pp_messages = 4;
    problem.workload.stage_seconds = {2.5};
    problem.terms.objective = Objective::kPipelined;
    problem.costs = costs_of(problem.links, problem.workload, problem.shape, problem.terms);
    EXPECT_NEAR(find(problem, SearchKind::kPortfolio, {}).score, 2.5, 1e-12);
}

// The table of the background on pipelining (payloads of DT-FM on its world-wide table): model
// seconds with the host order and with one region a stage.
TEST(Pipelined, KnownRanking) {
    struct Row {
        double c_pp;
        double c_dp;
        int messages;
        double stripe;
        double region_per_stage;
    };
    constexpr Row kRows[] = {{0.512, 0.65, 61, 27.33, 17.90},
                             {1.073741824, 0.325, 128, 21.63, 28.57},
                             {0.536870912, 0.302, 64, 16.62, 16.04}};
    const fabric::Fabric fabric = testing::shipped("dtfm-table2-worldwide.json");
    Stages regions(8);
    for (int device = 0; device < 64; ++device) {
        regions[device / 8].push_back(device);
    }
    for (const Row& row : kRows) {
        workload::Workload workload = testing::payloads(row.c_pp, row.c_dp);
        workload.pp_messages = row.messages;
        Terms terms;
        terms.objective = Objective::kPipelined;
        const Problem problem = make_problem(fabric, "t", workload, {8, 8}, terms).value();
        const Placement stripe({8, 8}, testing::counted(64));
        EXPECT_NEAR(score_as_mapped(problem, stripe).total(), row.stripe, 0.005);
        EXPECT_NEAR(solve_inner(problem, regions).score.total(), row.region_per_stage, 0.006);
    }
}

}  // namespace
}  // namespace longhaul::placement
