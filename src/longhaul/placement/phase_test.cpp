#include "longhaul/placement/phase.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "longhaul/placement/detail/term_cases.hpp"
#include "longhaul/placement/units.hpp"

namespace longhaul::placement {
namespace {

TEST(Phase, AxesRunFromEndToEnd) {
    const PhaseAxisValues axis = parse_axis("0.01:1:3", "x").value();
    ASSERT_EQ(axis.gigabytes.size(), 3U);
    EXPECT_EQ(axis.gigabytes[0], 0.01);
    EXPECT_NEAR(axis.gigabytes[1], 0.1, 1e-15);  // the geometric mean
    EXPECT_EQ(axis.gigabytes[2], 1);
    EXPECT_TRUE(axis.logarithmic);
    for (const char* text : {"1e-300:1e9:3", "1e-320:1e9:4", "1e-9:1e9:1000"}) {
        const std::vector<double> values = parse_axis(text, "x").value().gigabytes;
        EXPECT_TRUE(std::ranges::is_sorted(values, std::less_equal<>())) << text;
        EXPECT_EQ(values.back(), 1e9) << text;
    }
    EXPECT_NEAR(parse_axis("1e-300:1e8:3", "x").value().gigabytes[1] / 1e-146, 1, 1e-9);
    const PhaseAxisValues linear = parse_axis("0:1:5:lin", "x").value();
    EXPECT_EQ(linear.gigabytes, (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
    EXPECT_FALSE(linear.logarithmic);
    EXPECT_EQ(parse_axis("2:2:1", "x").value().gigabytes, std::vector<double>{2});
}

TEST(Phase, RefusesAxesThatMakeNoSense) {
    for (const char* text :
         {"",        "1",      "1:2",      "0:1:3",     "-1:1:3",      "1:1:2",   "2:1:3",
          "1:2:0",   "1:2:-3", "1:2:1001", "1:2:3:log", "1:2:3:lin:4", "nan:1:3", "1:inf:3",
          "1:2:2.5", "1:2:x",  "0.1:0.2:", " 1:2:3",    "1:2:1",       "1:1e10:3"}) {
        const auto axis = parse_axis(text, "--phase c_pp");
        ASSERT_FALSE(axis) << text;
        EXPECT_EQ(axis.error().front().where, "--phase c_pp");
    }
}

/// A small fabric with two regions, 2 devices each: 1 s a GB inside, 10 s a GB between them.
fabric::Fabric two_regions() {
    return fabric::read_fabric(R"({"regions": ["a", "b"], "gpus_per_region": 2,
        "intra_region": {"delay_ms": 0, "bandwidth_gbps": 8},
        "pairs": [{"a": "a", "b": "b", "delay_ms": 0, "bandwidth_gbps": 0.8}]})",
                               "two.json")
        .value();
}

// pp 2 x dp 2 by hand. One region a stage: exchange 2 c_dp / 2 * 1, edge 2 c_pp * 10. Pipelines
// inside regions: exchange 2 c_dp / 2 * 10, edge 2 c_pp * 1. The second is better when
// 9 c_dp < 18 c_pp, that is c_dp < 2 c_pp.
TEST(Phase, FindsTheBorderByHand) {
    const fabric::Fabric fabric = two_regions();
    const ProblemAt problem_at = [&](core::Gigabytes c_pp, core::Gigabytes c_dp) {
        return make_problem(fabric, "f", testing::payloads(c_pp.value(), c_dp.value()), {2, 2})
            .value();
    };
    PhaseOptions options;
    options.solve.search.budget = 200;
    const std::vector<double> c_pp{0.1, 0.2, 0.4, 0.8, 1.6};
    const std::vector<double> c_dp{0.3, 0.9, 2.7};
    for (const int threads : {1, 3}) {
        options.solve.search.threads = threads;
        const PhaseResult result = phase_map(problem_at, fabric, c_pp, c_dp, options).value();
        ASSERT_EQ(result.cells.size(), 15U);
        for (const PhaseCell& cell : result.cells) {
            const bool inside = cell.c_dp_gb < 2 * cell.c_pp_gb;
            EXPECT_EQ(result.structures[cell.structure].name,
                      inside ? "pipelines inside regions" : "one region a stage");
            EXPECT_NEAR(
                cell.score.total(),
                inside ? 10 * cell.c_dp_gb + 2 * cell.c_pp_gb : cell.c_dp_gb + 20 * cell.c_pp_gb,
                1e-9);
            EXPECT_LE(cell.bound.value, cell.score.total());
            EXPECT_NEAR(cell.bound.value, cell.score.total(), 1e-9);
        }
        EXPECT_EQ(result.share.size(), 2U);
        EXPECT_EQ(result.share[0] + result.share[1], 15U);
        EXPECT_GE(result.share[0], result.share[1]);
    }
}

// No cell may be worse than a search of its own: cells that take placements of others are proved.
TEST(Phase, IsNoWorseThanSolvingEachCell) {
    const fabric::Fabric fabric = testing::shipped("dtfm-table2-worldwide.json");
    const ProblemAt problem_at = [&](core::Gigabytes c_pp, core::Gigabytes c_dp) {
        return make_problem(fabric, "f", testing::payloads(c_pp.value(), c_dp.value()), {8, 8})
            .value();
    };
    PhaseOptions options;
    options.solve.search.budget = 20'000;
    const std::vector<double> c_pp{0.05, 0.2, 0.512};
    const std::vector<double> c_dp{0.3, 0.65, 1.3};
    const PhaseResult result = phase_map(problem_at, fabric, c_pp, c_dp, options).value();
    for (const PhaseCell& cell : result.cells) {
        SolveOptions alone = options.solve;
        alone.baseline_samples = 0;
        const Plan plan =
            solve(problem_at(core::Gigabytes(cell.c_pp_gb), core::Gigabytes(cell.c_dp_gb)),
                  fabric,
                  alone)
                .value();
        EXPECT_NEAR(cell.score.total(), plan.score.total(), 1e-9);
    }
    // Table 2 with 0.512 / 0.650 and 0.512 / 1.3: docs/mathematics/placement.md.
    EXPECT_NEAR(result.cells[5].score.total(), 51.500424, 1e-6);
    EXPECT_NEAR(result.cells[8].score.total(), 62.201579, 1e-6);
}

TEST(Phase, CsvQuotesWhatComesFromOutside) {
    PhaseResult result;
    result.cells.push_back({0.1, 2, {1, 2, 0.5}, {3.5, "m", 0, 0, 0}, 0, {}});
    result.structures.push_back({"one, \"two\"", "x", {}});
    EXPECT_EQ(phase_csv(result),
              "c_pp_gb,c_dp_gb,score,data_parallel,pipeline,compute,bound,gap,structure,"
              "structure_id,signature\n0.1,2,3.5,1,2,0.5,3.5,0,\"one, \"\"two\"\"\",1,\"x\"\n");
}

// Twin under every term, with spare devices and tensor groups: all placements of every cell.
TEST(Phase, EveryCellIsTheBestOfAllUnderEveryTerm) {
    for (const testing::TermChoice& choice : testing::term_choices()) {
        core::Random random(20221206, 4220);
        const testing::TermCase made = testing::term_case(choice, 2, 2, random);
        const std::vector<int> hosts = made.fabric.host_of_device();
        const ProblemAt problem_at = [&](core::Gigabytes c_pp, core::Gigabytes c_dp) {
            testing::TermCase other = made;
            other.workload.c_pp = c_pp;
            other.workload.c_dp = c_dp;
            return other.problem();
        };
        PhaseOptions options;
        options.solve.search.budget = 4'000;
        options.solve.proof.work = 100'000;
        const PhaseResult result =
            phase_map(problem_at, made.fabric, {0.1, 1}, {0.2, 2}, options).value();
        for (const PhaseCell& cell : result.cells) {
            const Problem unit = units_to_place(
                problem_at(core::Gigabytes(cell.c_pp_gb), core::Gigabytes(cell.c_dp_gb)), hosts);
            const double best = testing::best_of_all_stages(unit);
            EXPECT_NEAR(cell.score.total(), best, testing::slack_of(choice) * best) << choice.name;
            EXPECT_LE(cell.bound.value, best * (1 + 1e-9)) << choice.name;
        }
    }
}

}  // namespace
}  // namespace longhaul::placement
