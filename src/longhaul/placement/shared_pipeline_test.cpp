#include "longhaul/placement/shared_pipeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/prove.hpp"
#include "longhaul/placement/solve.hpp"

namespace longhaul::placement {
namespace {

/// Devices in three regions, an uplink of the first and a cable between the others; links of their
/// own, or one value for each pair of regions.
fabric::Fabric fabric_with_cables(std::size_t n, bool alike, core::Random& random) {
    fabric::FabricParts parts;
    core::Grid<double> alpha(n, n, 0.0);
    core::Grid<double> beta(n, n, 1.0);
    core::Grid<double> rate(3, 3);
    for (double& value : rate.cells()) {
        value = 0.5 + 4 * random.uniform();
    }
    for (std::size_t i = 0; i < n; ++i) {
        parts.labels.push_back("r" + std::to_string(i % 3));
        for (std::size_t j = 0; j < n; ++j) {
            alpha(i, j) = alike ? 20 : 100 * random.uniform();
            beta(i, j) = alike ? rate(std::min(i % 3, j % 3), std::max(i % 3, j % 3))
                               : 0.5 + 4 * random.uniform();
        }
    }
    parts.alpha_ms = std::move(alpha);
    parts.beta_gbps = std::move(beta);
    parts.shared = {{"uplink", 0.5 + 4 * random.uniform(), {}, {"r0"}}};
    if (n > 2) {
        parts.shared.push_back({"cable", 0.5 + 4 * random.uniform(), {"r1", "r2"}, {}});
    }
    return fabric::Fabric::make(std::move(parts), "f").value();
}

workload::Workload workload_in_parts(int messages, core::Random& random) {
    workload::Workload load = testing::payloads(0.1 + random.uniform(), random.uniform());
    load.pp_messages = messages;
    if (random.below(2) == 0) {
        load.c_pp_backward = core::Gigabytes(random.uniform());
        load.pp_backward_messages = 1 + static_cast<int>(random.below(5));
    }
    if (random.below(3) == 0) {
        load.stage_seconds = {random.uniform()};
    }
    return load;
}

Problem problem_on(const fabric::Fabric& fabric,
                   const workload::Workload& load,
                   Shape shape,
                   Terms terms = {}) {
    terms.objective = Objective::kPipelined;
    return make_problem(fabric, "f", load, shape, terms).value();
}

/// The definition in the order in which it is written, for stages whose position r is pipeline r.
double by_definition(const Problem& problem, const Stages& paired) {
    const Passes passes = passes_of(problem.workload, problem.terms);
    const auto& sides = problem.shared.sides();
    std::vector<double> there(sides.size(), 0);
    std::vector<double> back(sides.size(), 0);
    double edges = 0;
    double interval = 0;
    for (std::size_t s = 1; s < paired.size(); ++s) {
        double edge = 0;
        std::vector<double> ahead(sides.size(), 0);
        std::vector<double> astern(sides.size(), 0);
        for (std::size_t i = 0; i < paired[s].size(); ++i) {
            const int a = paired[s - 1][i];
            const int b = paired[s][i];
            edge = std::max(
                edge,
                2 * problem.links.latency_s(a, b) +
                    (passes.forward_gb + passes.backward_gb) * problem.links.slowness(a, b));
            interval = std::max(interval, problem.links.slowness(a, b));
            for (std::size_t r = 0; r < sides.size(); ++r) {
                ahead[r] += sides[r][a] == 1 && sides[r][b] == 2 ? 1 : 0;
                astern[r] += sides[r][a] == 2 && sides[r][b] == 1 ? 1 : 0;
            }
        }
        for (std::size_t r = 0; r < sides.size(); ++r) {
            const double gb = passes.forward_gb + passes.backward_gb;
            const double one_pair = problem.shared
                                        .slowest(std::vector<Load>{[&] {
                                            std::vector<Load> one(sides.size());
                                            one[r].there = 1;
                                            return one;
                                        }()})
                                        .seconds;
            edge = std::max(edge, gb * one_pair * std::max(ahead[r], astern[r]));
            there[r] += one_pair * ahead[r];
            back[r] += one_pair * astern[r];
        }
        edges += edge;
    }
    for (std::size_t r = 0; r < sides.size(); ++r) {
        interval = std::max({interval, there[r], back[r]});
    }
    const StageCompute compute = stage_compute(problem, paired);
    return data_parallel(problem, paired).seconds + edges + compute.sum +
           repeats(passes, compute, interval);
}

/// Every order of stages and all pairs of every edge.
double every_pairing(const Problem& problem, const Stages& stages) {
    std::vector<int> order = testing::counted(stages.size());
    double best = std::numeric_limits<double>::infinity();
    do {
        Stages ordered = in_order(stages, order);
        const auto pairs = [&](auto&& self, std::size_t stage) -> void {
            if (stage == ordered.size()) {
                best = std::min(best, by_definition(problem, ordered));
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

/// Every partition, too.
double every_rank_map(const Problem& problem) {
    const auto dp = static_cast<std::size_t>(problem.shape.dp);
    std::vector<int> device = testing::counted(problem.shape.devices());
    double best = std::numeric_limits<double>::infinity();
    do {
        Stages stages;
        bool once = true;  // groups sorted, and in the order of their first devices
        for (std::size_t i = 0; i < device.size(); ++i) {
            if (i % dp == 0) {
                once = once && (i == 0 || device[i - dp] < device[i]);
                stages.emplace_back();
            } else {
                once = once && device[i - 1] < device[i];
            }
            stages.back().push_back(device[i]);
        }
        if (once) {
            best = std::min(best, every_pairing(problem, stages));
        }
    } while (std::ranges::next_permutation(device).found);
    return best;
}

TEST(SharedPipeline, ScoreIsTheDefinitionAndInnerSolutionsAreNearTheBestOfAllPairs) {
    constexpr Shape kShapes[] = {{2, 3}, {3, 2}, {4, 2}, {3, 3}, {2, 4}, {4, 1}, {1, 3}};
    int best = 0;
    double worst = 0;
    constexpr int kCases = 210;
    for (int i = 0; i < kCases; ++i) {
        testing::Instance instance(760, i);
        const Shape shape = kShapes[i % std::size(kShapes)];
        const fabric::Fabric fabric =
            fabric_with_cables(shape.devices(), i % 2 == 0, instance.random);
        const Problem problem =
            problem_on(fabric, workload_in_parts(1 + i % 9, instance.random), shape);
        const Stages stages =
            Placement(shape, testing::shuffled(shape.devices(), instance.random)).stages();
        ASSERT_NEAR(score_as_mapped(problem, Placement::from_stages(stages)).total(),
                    by_definition(problem, stages),
                    1e-9)
            << i;
        const Solved solved = solve_inner(problem, stages);
        ASSERT_NEAR(by_definition(problem, solved.paired), solved.score.total(), 1e-9) << i;
        const double least = every_pairing(problem, stages);
        ASSERT_GE(solved.score.total(), least - 1e-9) << i;
        best += solved.score.total() <= least + 1e-9 ? 1 : 0;
        worst = std::max(worst, solved.score.total() / least - 1);
        Stages turned = stages;
        std::ranges::reverse(turned);
        ASSERT_NEAR(solve_inner(problem, turned).score.total(), solved.score.total(), 1e-12) << i;
    }
    EXPECT_GE(best, kCases * 97 / 100);
    EXPECT_LE(worst, 0.25);
}

TEST(SharedPipeline, PlansAreHonestAndMostlyTheBestOfAllRankMaps) {
    constexpr Shape kShapes[] = {{2, 3}, {3, 2}, {2, 4}, {4, 2}};
    int optimal = 0;
    constexpr int kCases = 24;
    for (int i = 0; i < kCases; ++i) {
        testing::Instance instance(761, i);
        const Shape shape = kShapes[i % std::size(kShapes)];
        const fabric::Fabric fabric =
            fabric_with_cables(shape.devices(), i % 2 == 0, instance.random);
        Terms terms;
        terms.exchange = i % 3 == 0 ? Exchange::kRing : Exchange::kSharded;
        const Problem problem =
            problem_on(fabric, workload_in_parts(2 + i % 9, instance.random), shape, terms);
        SolveOptions options;
        options.baseline_samples = 0;
        options.search.budget = 16'000;
        options.search.restarts = 2;
        options.proof.work = 1'000'000;
        const core::Result<Plan> plan = solve(problem, fabric, options);
        ASSERT_TRUE(plan) << core::to_string(plan.error()[0]) << " " << i;
        const double score = plan->score.total();
        ASSERT_NEAR(by_definition(problem, plan->placement.stages()), score, 1e-9) << i;
        const double least = every_rank_map(problem);
        ASSERT_GE(score, least - 1e-9) << i;
        ASSERT_LE(plan->bound.value, least + 1e-9) << i;
        optimal += score <= least + 1e-9 ? 1 : 0;
        for (const double factor : {1.2, 3.0}) {
            EXPECT_LE(prove(problem, factor * least, {}).bound.value, least + 1e-9) << i;
        }
    }
    EXPECT_GE(optimal, kCases * 9 / 10);
}

TEST(SharedPipeline, MeetsBothObjectivesWhereTheyMeet) {
    // With one message each way the additive score; with resources that never bind the pipelined
    // one without them.
    for (int i = 0; i < 40; ++i) {
        testing::Instance instance(762, i);
        const Shape shape{2 + i % 3, 3};
        fabric::FabricParts parts =
            fabric_with_cables(shape.devices(), i % 2 == 0, instance.random).parts();
        workload::Workload load = workload_in_parts(1, instance.random);
        load.pp_backward_messages = 1;
        const fabric::Fabric fabric = fabric::Fabric::make(parts, "f").value();
        const Placement placement(shape, testing::shuffled(shape.devices(), instance.random));
        const Problem additive = make_problem(fabric, "f", load, shape).value();
        EXPECT_NEAR(score_as_mapped(problem_on(fabric, load, shape), placement).total(),
                    score_as_mapped(additive, placement).total(),
                    1e-9);
        for (fabric::SharedCapacity& resource : parts.shared) {
            resource.there_gbps = 1e9;
            resource.back_gbps = 1e9;
        }
        const fabric::Fabric wide = fabric::Fabric::make(parts, "f").value();
        Terms ignoring;
        ignoring.count_shared = false;
        load.pp_messages = 5;
        const Stages stages = placement.stages();
        EXPECT_NEAR(solve_inner(problem_on(wide, load, shape), stages).score.total(),
                    solve_inner(problem_on(fabric, load, shape, ignoring), stages).score.total(),
                    1e-6);
    }
}

}  // namespace
}  // namespace longhaul::placement
