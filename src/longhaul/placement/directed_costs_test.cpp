// Shared capacity whose rate differs by direction, with payloads that differ by pass: an order of
// stages then costs more from one end than from the other, whoever asks.
#include <gtest/gtest.h>

#include <algorithm>

#include "longhaul/placement/best_arrangement.hpp"
#include "longhaul/placement/check_certificate.hpp"
#include "longhaul/placement/detail/directed_cases.hpp"
#include "longhaul/placement/every_table.hpp"
#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/make_certificate.hpp"
#include "longhaul/placement/ordered.hpp"
#include "longhaul/placement/prove.hpp"
#include "longhaul/placement/replan.hpp"
#include "longhaul/placement/replay_tables.hpp"
#include "longhaul/placement/solve.hpp"

namespace longhaul::placement {
namespace {

constexpr double kRounding = 1e-9;

/// Three devices, 1 ms and 10 Gbit/s apart; devices 0 and 2 behind an uplink of 0.05 Gbit/s up and
/// 5 down.
testing::DirectedCase three_devices(const workload::Workload& load, Objective objective) {
    fabric::FabricParts parts;
    parts.labels = {"L0", "L1", "L0"};
    core::Grid<double> alpha(3, 3, 1.0);
    core::Grid<double> beta(3, 3, 10.0);
    for (std::size_t i = 0; i < 3; ++i) {
        alpha(i, i) = beta(i, i) = 0;
    }
    parts.alpha_ms = std::move(alpha);
    parts.beta_gbps = std::move(beta);
    parts.shared.push_back(testing::rates("s0", 0.05, 5));
    parts.shared.back().of = {"L0"};
    fabric::Fabric fabric = fabric::Fabric::make(std::move(parts), "f").value();
    Terms terms;
    terms.objective = objective;
    Problem problem = make_problem(fabric, "f", load, {3, 1}, terms).value();
    return {std::move(fabric), std::move(problem)};
}

workload::Workload ways(double c_pp, double c_pp_backward, int messages) {
    workload::Workload load = testing::payloads(c_pp, 0);
    load.c_pp_backward = core::Gigabytes(c_pp_backward);
    load.pp_messages = messages;
    return load;
}

TEST(DirectedCosts, AdditiveOrderRunsTheWayThatSendsLittleUphill) {
    // Only backward sends, 0.1 GB. Edge 0 - 2: 2 x 1 ms + 8 x 0.1 / 10 = 0.082 s. From 2 to 1 the
    // backward pass comes down, 8 x 0.1 / 5 = 0.16 s: 0.242 s. From 1 to 2 it goes up, 16 s.
    const testing::DirectedCase made = three_devices(ways(0, 0.1, 1), Objective::kAdditive);
    const Plan plan = solve(made.problem, made.fabric, {}).value();
    EXPECT_NEAR(plan.score.total(), 0.242, 1e-12);
    EXPECT_EQ(plan.placement.device(0, 2), 1);  // the others are alike
    EXPECT_NEAR(plan.bound.value, 0.242, 1e-12);
    EXPECT_NEAR(best_arrangement(made.problem, Placement({3, 1}, {1, 2, 0})).total(), 0.242, 1e-12);
    EXPECT_NEAR(score_as_mapped(made.problem, Placement({3, 1}, {1, 2, 0})).total(), 16.082, 1e-12);
}

TEST(DirectedCosts, BestPipelinedOrderIsThatOfTheMapWhereNoneIsBetter) {
    // Messages of 0.0025 and 0.025 GB. Order 0 2 1: 0.002 + 8 x 0.0275 / 10 = 0.024 s, then
    // 8 x 0.0025 / 0.05 + 8 x 0.025 / 5 = 0.44 s; three more messages wait for 8 x 0.0275 / 0.05 =
    // 4.4 s each: 13.664 s. The other way round the second edge takes 0.004 + 4 s.
    const testing::DirectedCase made = three_devices(ways(0.01, 0.1, 4), Objective::kPipelined);
    const Placement best({3, 1}, {0, 2, 1});
    EXPECT_NEAR(score_as_mapped(made.problem, best).total(), 13.664, 1e-12);
    EXPECT_NEAR(best_arrangement(made.problem, best).total(), 13.664, 1e-12);
    const Placement turned({3, 1}, {1, 2, 0});
    EXPECT_NEAR(score_as_mapped(made.problem, turned).total(), 0.024 + 4.004 + 13.2, 1e-12);
    EXPECT_NEAR(best_arrangement(made.problem, turned).total(), 13.664, 1e-12);
    SolveOptions options;
    options.search.budget = 2'000;
    EXPECT_NEAR(solve(made.problem, made.fabric, options).value().score.total(), 13.664, 1e-12);
}

TEST(DirectedCosts, AnEdgeReadBackwardsSendsForwardWhatItSentBackward) {
    const testing::DirectedCase made = three_devices(ways(0.01, 0.1, 1), Objective::kAdditive);
    EXPECT_TRUE(directed(made.problem));
    const Contention& shared = made.problem.shared;
    const std::vector<int> low{0};
    const std::vector<int> high{1};
    // Up 0.01 at 0.05 Gbit/s and down 0.1 at 5; or up 0.1 and down 0.01.
    EXPECT_NEAR(shared.edge(low, high, 0.01, 0.1).seconds, 1.6 + 0.16, 1e-12);
    EXPECT_NEAR(shared.edge(high, low, 0.01, 0.1).seconds, 16 + 0.016, 1e-12);
    EXPECT_EQ(shared.edge(high, low, 0.1, 0.01).seconds, shared.edge(low, high, 0.01, 0.1).seconds);
    EXPECT_FALSE(shared.directed(0.1, 0.1));
    EXPECT_FALSE(Contention({"even"}, {2}, shared.sides()).directed(0.01, 0.1));
    EXPECT_FALSE(
        Contention::with_rates({"half"}, {{2, 2, false}}, shared.sides()).directed(0.01, 0.1));
}

void expect_true_plan(const testing::DirectedCase& made, const testing::Truth& truth) {
    SolveOptions options;
    options.search.budget = 2'000;
    options.proof.work = 20'000;
    options.baseline_samples = 3;
    const core::Result<Plan> solved = solve(made.problem, made.fabric, options);
    ASSERT_TRUE(solved.has_value()) << solved.error().front().what;
    Plan plan = *solved;
    EXPECT_NEAR(plan.score.total(), truth.least, kRounding * truth.least);
    EXPECT_NEAR(testing::Definition(made).score(plan.placement.stages()),
                plan.score.total(),
                kRounding * truth.least);
    EXPECT_LE(plan.bound.value, truth.least * (1 + kRounding));
    plan.fabric_sha256 = "directed";
    const std::vector<int> hosts = made.fabric.host_of_device();
    CertificateOptions certified;
    certified.proof.work = 20'000;
    const CertificateFile file = make_certificate(made.problem, plan, hosts, certified);
    const CertificateCheck check = check_certificate(file, made.problem, hosts, "directed", {});
    EXPECT_TRUE(check.holds) << check.why;
    EXPECT_LE(check.bound, truth.least * (1 + kRounding));
}

/// Bounds of every table, of the proof and of the checker, and those that need no branching.
void expect_true_bounds(const testing::DirectedCase& made, const testing::Truth& truth) {
    const Problem& problem = made.problem;
    ProofOptions none;
    none.work = 0;
    EXPECT_LE(prove(problem, truth.least * 2, none).bound.value, truth.least * (1 + kRounding));
    if (problem.terms.objective == Objective::kAdditive &&
        problem.devices() == problem.shape.devices()) {
        const auto tables = bound_every_table(problem, truth.least * 2, 100'000, {});
        ASSERT_TRUE(tables.has_value());
        EXPECT_LE(tables->bound.value, truth.least * (1 + kRounding));
        const TablesReplay replayed =
            replay_tables(problem, kinds_of_devices(problem), truth.least * 2, {});
        EXPECT_EQ(replayed.why, "");
        EXPECT_LE(replayed.least, truth.least * (1 + kRounding));
    }
}

void expect_true_arrangement(const testing::DirectedCase& made,
                             const Stages& map,
                             const testing::Truth& truth) {
    const Problem& problem = made.problem;
    const Placement placement = Placement::from_stages(map, problem.devices());
    const double mapped = testing::Definition(made).score(map);
    EXPECT_NEAR(score_as_mapped(problem, placement).total(), mapped, kRounding * mapped);
    EXPECT_NEAR(
        best_arrangement(problem, placement).total(), truth.of_groups, kRounding * truth.of_groups);
    // Whatever it finds can be had, from any order of the same groups.
    const Solved solved = solve_inner(problem, map);
    EXPECT_GE(solved.score.total(), truth.of_groups * (1 - kRounding));
    const Ordered ordered = solve_in_order(problem, in_order(map, solved.order));
    EXPECT_GE(ordered.score.total(), truth.of_groups * (1 - kRounding));
    if (problem.terms.objective == Objective::kAdditive) {
        EXPECT_NEAR(ordered.score.total(), solved.score.total(), kRounding * solved.score.total());
    }
    const Stages turned(map.rbegin(), map.rend());
    EXPECT_NEAR(solve_inner(problem, turned).score.total(),
                solved.score.total(),
                kRounding * solved.score.total());
}

void expect_true_moves(const testing::DirectedCase& made,
                       const Stages& old,
                       const testing::Truth& truth) {
    const Problem& problem = made.problem;
    OldWork work{problem.shape.pp, std::vector<int>(problem.devices(), -1)};
    for (std::size_t s = 0; s < old.size(); ++s) {
        for (const int device : old[s]) {
            work.stage_of[static_cast<std::size_t>(device)] = static_cast<int>(s);
        }
    }
    ReplanOptions options;
    options.search.budget = 2'000;
    const core::Result<Replan> found =
        replan(problem, work, old, made.fabric.host_of_device(), options);
    ASSERT_TRUE(found.has_value()) << found.error().front().what;
    for (const ReplanPoint& point : found->curve) {
        const double score = point.score.total();
        EXPECT_NEAR(
            testing::Definition(made).score(point.placement.stages()), score, kRounding * score);
        EXPECT_GE(score, truth.within(point.moves) * (1 - kRounding));
    }
}

TEST(DirectedCosts, AgreeWithEveryRankMap) {
    int apart = 0;  // best maps that cost more read backwards
    for (int i = 0; i < 42; ++i) {
        SCOPED_TRACE(i);
        testing::Instance instance(884, i);
        const testing::DirectedCase made = testing::directed_case(i, instance.random);
        const Stages map = testing::random_map(made.problem, instance.random);
        const testing::Truth truth = testing::truth_of(made, map);
        expect_true_plan(made, truth);
        expect_true_bounds(made, truth);
        expect_true_arrangement(made, map, truth);
        expect_true_moves(made, map, truth);
        const Stages turned(map.rbegin(), map.rend());
        const double there = testing::Definition(made).score(map);
        apart += std::abs(testing::Definition(made).score(turned) - there) > 1e-3 * there ? 1 : 0;
        if (HasFailure()) {
            break;
        }
    }
    EXPECT_GT(apart, 10);
}

}  // namespace
}  // namespace longhaul::placement
