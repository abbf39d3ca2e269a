#include "longhaul/placement/solve.hpp"

#include <gtest/gtest.h>

#include "longhaul/placement/detail/test_support.hpp"

namespace longhaul::placement {
namespace {

/// Known optima at 8 x 8 with one message each. Sources: docs/mathematics/placement.md.
struct KnownOptimum {
    const char* fabric;
    double c_pp;
    double c_dp;
    double score;
};

constexpr KnownOptimum kKnownOptima[] = {
    {"dtfm-table2-worldwide.json", 0.512, 0.650, 51.500424},
    {"dtfm-table2-worldwide.json", 0.128, 0.650, 19.447381},
    {"dtfm-table2-worldwide.json", 0.030, 0.650, 8.666324},
    {"dtfm-worldwide.json", 0.512, 0.650, 51.500424},
    // Host order, by hand: its data-parallel term, and 7 edges of 2 (0.005 + 8 c / 2).
    {"dtfm-worldwide.json", 0.4712491, 0.650, 22.758423579 + 14 * (0.005 + 4 * 0.4712491)},
    {"dtfm-regional.json", 0.512, 0.650, 37.084085},
    {"dtfm-campuses.json", 0.512, 0.650, 16.999657},
    {"dtfm-datacenter.json", 0.512, 0.650, 3.485440},
    // By hand: 7.28 + 2 (4 * 8 c / 1.25 + 3 * 8 c / 100).
    {"dtfm-spot.json",
     0.471249,
     0.650,
     7.28 + 2 * (4 * 8 * 0.471249 / 1.25 + 3 * 8 * 0.471249 / 100)}};

/// Default settings but for the number of threads.
std::pair<Problem, Plan> solved_by_default(const KnownOptimum& known, int threads) {
    const fabric::Fabric fabric = testing::shipped(known.fabric);
    Problem problem =
        make_problem(fabric, "f", testing::payloads(known.c_pp, known.c_dp), {8, 8}).value();
    SolveOptions options;
    options.baseline_samples = 5;
    options.search.threads = threads;
    Plan plan = solve(problem, fabric, options).value();
    return {std::move(problem), std::move(plan)};
}

TEST(Solve, ReachesTheKnownOptimaWithDefaultSettings) {
    for (const KnownOptimum& known : kKnownOptima) {
        const auto [problem, plan] = solved_by_default(known, 1);
        EXPECT_NEAR(plan.score.total(), known.score, 1e-6) << known.fabric << " " << known.c_pp;
        // The map realises the score, to the last bit, and the bound holds.
        EXPECT_EQ(score_as_mapped(problem.costs, plan.placement).total(), plan.score.total());
        EXPECT_LE(plan.bound.value, plan.score.total());
    }
}

TEST(Solve, NoPlanIsWorseThanItsBaselines) {
    // Host order for a search: on random links some random placement is nearly always better.
    int replaced = 0;
    for (int i = 0; i < 20; ++i) {
        core::Random random(97, i);
        const Problem problem = random_problem({2, 3}, 0, false, random);
        SolveOptions options;
        options.kind = SearchKind::kHostOrder;
        options.proof.work = 0;
        options.baseline_samples = 40;
        const std::vector<std::string> labels{"a", "b", "a", "b", "a", "b"};
        const Plan plan =
            solve(problem, std::vector<int>{0, 1, 2, 3, 4, 5}, labels, options).value();
        const Baselines& baselines = *plan.baselines;
        for (const double baseline : {baselines.host_order.total(),
                                      baselines.host_order_solved,
                                      baselines.label_per_stage.total(),
                                      baselines.maps.min,
                                      baselines.partitions.min}) {
            EXPECT_LE(plan.score.total(), baseline * (1 + 1e-9)) << i;
        }
        EXPECT_EQ(score_as_mapped(problem, plan.placement).total(), plan.score.total());
        EXPECT_LE(plan.bound.value, plan.score.total());
        replaced += plan.search.found_by != "host order" ? 1 : 0;
    }
    EXPECT_GT(replaced, 10);
}

TEST(Solve, ThreadsNeverChangeThePlan) {
    for (const std::size_t i : {1U, 5U, 8U}) {
        Plan one = solved_by_default(kKnownOptima[i], 1).second;
        Plan two = solved_by_default(kKnownOptima[i], 2).second;
        one.search.threads = two.search.threads = 0;
        EXPECT_EQ(core::write_json(to_value(one)), core::write_json(to_value(two)));
    }
}

TEST(Solve, TheMapRealisesTheScoreOnRandomFabrics) {
    for (int i = 0; i < 60; ++i) {
        testing::Instance instance(31, i);
        const Shape shape = testing::small_shape(i);
        const Problem problem =
            random_problem(shape, instance.levels, instance.equal_rows, instance.random);
        // Only its labels and hosts count here: two devices a host.
        fabric::FabricParts parts;
        const std::size_t n = shape.devices();
        parts.labels.assign(n, "x");
        parts.alpha_ms = parts.beta_gbps = core::Grid<double>(n, n, 1.0);
        parts.devices.resize(n);
        for (std::size_t d = 0; d < n; ++d) {
            parts.devices[d].host = "host " + std::to_string(d / 2);
        }
        const fabric::Fabric fabric = fabric::Fabric::make(std::move(parts), "f").value();
        SolveOptions options;
        options.search.budget = 2'000;
        options.baseline_samples = i % 2;
        const Plan plan = solve(problem, fabric, options).value();
        EXPECT_EQ(plan.baselines.has_value(), i % 2 == 1);
        const Score mapped = score_as_mapped(problem.costs, plan.placement);
        ASSERT_EQ(mapped.total(), plan.score.total());
        ASSERT_NEAR(solve_inner(problem.costs, plan.placement.stages()).score.total(),
                    plan.score.total(),
                    1e-12);
        ASSERT_LE(plan.bound.value, plan.score.total());
        ASSERT_EQ(plan.search.seed, 7U);
        ASSERT_GT(plan.search.evaluations, 0U);
    }
}

}  // namespace
}  // namespace longhaul::placement
