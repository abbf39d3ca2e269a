#include "longhaul/schedule/comparators.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "longhaul/schedule/detail/exchange_graphs.hpp"
#include "longhaul/schedule/detail/random_islands.hpp"
#include "longhaul/schedule/detail/test_support.hpp"
#include "longhaul/schedule/optimise.hpp"

namespace longhaul::schedule {
namespace {

// Base-(k+1) graphs end in exact consensus after one period, for any number of islands, with at
// most k partners a step; every step keeps the mean.
TEST(BaseGraph, EndsInConsensusForAnyNumberOfIslands) {
    for (int n = 2; n <= 40; ++n) {
        for (int degree = 1; degree <= 4; ++degree) {
            const auto steps = detail::base_graph(n, degree);
            ASSERT_FALSE(steps.empty());
            MixingMatrix phi(static_cast<std::size_t>(n), static_cast<std::size_t>(n), 0);
            for (std::size_t i = 0; i < phi.rows(); ++i) {
                phi(i, i) = 1;
            }
            for (const MixingMatrix& step : steps) {
                MixingMatrix next(phi.rows(), phi.rows(), 0);
                for (std::size_t i = 0; i < phi.rows(); ++i) {
                    double row = 0;
                    double column = 0;
                    int partners = 0;
                    for (std::size_t j = 0; j < phi.rows(); ++j) {
                        ASSERT_GE(step(i, j), -1e-12);
                        row += step(i, j);
                        column += step(j, i);
                        partners += i != j && step(i, j) != 0 ? 1 : 0;
                        for (std::size_t x = 0; x < phi.rows(); ++x) {
                            next(i, x) += step(i, j) * phi(j, x);
                        }
                    }
                    ASSERT_NEAR(row, 1, 1e-12);
                    ASSERT_NEAR(column, 1, 1e-12);
                    ASSERT_LE(partners, degree) << n << " " << degree;
                }
                phi = next;
            }
            for (const double value : phi.cells()) {
                ASSERT_NEAR(value, 1.0 / n, 1e-9) << n << " islands, degree " << degree;
            }
        }
    }
}

const Comparator& named(const std::vector<Comparator>& all, std::string_view name) {
    return *std::ranges::find(all, name, &Comparator::name);
}

// Section 3 of the background page; the random ones differ with the draw.
TEST(Comparators, KnownValuesOnNineCities) {
    const Islands islands = detail::shipped_islands("nine-city.json");
    Capabilities can = capabilities_of(islands);
    can.memory_gb.assign(islands.size(), 32);
    RoundTimes times(islands, can);
    const auto all = compare_schedules(times, {});
    EXPECT_NEAR(named(all, "all_to_all").score_ms, 1013.7, 0.05);
    EXPECT_NEAR(named(all, "triangles").score_ms, 1160.6, 0.05);
    EXPECT_NEAR(named(all, "static Metropolis").area, 5.95, 0.005);
    EXPECT_NEAR(named(all, "static Metropolis").score_ms, 2836, 1);
    EXPECT_NEAR(named(all, "ring of least latency").area, 5.50, 0.005);
    EXPECT_NEAR(named(all, "ring of least latency").score_ms, 2622, 1);
    EXPECT_NEAR(named(all, "random pairs").area, 4.54, 0.25);
    EXPECT_NEAR(named(all, "copies to each").round_ms, 3200 + 115.83, 0.01);
    EXPECT_NEAR(named(all, "ring all-reduce").round_ms, 711.1 + 16 * 76.684, 0.1);
    const Comparator& base = named(all, "Base-(k+1)");
    EXPECT_TRUE(base.feasible) << base.reason;
    EXPECT_LE(base.area, 3.2);
    for (const Comparator& one : all) {
        EXPECT_TRUE(one.feasible) << one.name << one.reason;
        EXPECT_GE(one.area, 1.5 - 1e-12) << one.name;
    }
}

TEST(Comparators, WhatCannotBeAlignedSaysSo) {
    const Islands islands = detail::shipped_islands("nine-city.json");
    Capabilities can = capabilities_of(islands);
    can.memory_gb.assign(islands.size(), 0);
    RoundTimes times(islands, can);
    const auto all = compare_schedules(times, {});
    EXPECT_FALSE(named(all, "all_to_all").feasible);
    // 100.606 ms at 20 Gbit/s are 0.2515 GB: what schedule score says of these four.
    EXPECT_EQ(named(all, "all_to_all").reason, "apart by 100.606 ms, needs 0.2515 GB or more");
    for (const Comparator& one : all) {
        EXPECT_EQ(one.reason.empty(), one.feasible) << one.name;
    }
    EXPECT_TRUE(named(all, "pairs").feasible);
    EXPECT_TRUE(named(all, "one-peer exponential").feasible);  // one stream comes in
}

// Islands may state targets. Cliques then weigh by them, as in any schedule, so that no row of the
// same aim is below the bound; graphs know equal shares, and say so.
TEST(Comparators, CliquesWeighByTarget) {
    Islands islands = detail::planar_islands(5, 1, 3);
    islands.islands[3].target = 2;
    const Capabilities can = capabilities_of(islands);
    RoundTimes times(islands, can);
    OptimiseOptions search;
    search.effort = 0.05;
    const Optimised best = optimise_schedule(times, search);
    int graphs = 0;
    for (const Comparator& one : compare_schedules(times, {})) {
        if (one.equal_shares) {
            ++graphs;
            EXPECT_TRUE(one.detail.ends_with("equal shares")) << one.detail;
        } else if (one.schedule) {
            const ScheduleScore score = score_schedule(*one.schedule, times, Pace::kUniform);
            EXPECT_NEAR(one.score_ms, score.score_ms, 1e-3 * score.score_ms) << one.name;
            EXPECT_GE(one.score_ms, best.bound_ms * (1 - 1e-9)) << one.name;
        }
    }
    EXPECT_EQ(graphs, 5);  // Base-(k+1), one-peer exponential, MATCHA, ring, static Metropolis
}

TEST(Comparators, EqualTargetsAreEqualShares) {
    Islands islands = detail::shipped_islands("nine-city.json");
    for (Island& island : islands.islands) {
        island.target = 3;
    }
    const Capabilities can = capabilities_of(islands);
    RoundTimes times(islands, can);
    const auto all = compare_schedules(times, {});
    EXPECT_NEAR(named(all, "triangles").area, 2.25, 1e-12);
    EXPECT_TRUE(std::ranges::none_of(all, &Comparator::equal_shares));
}

// A schedule of the network file scores in the table what it scores alone, also where it mixes
// slowly: pairs of nine cities need 10.125 rounds.
TEST(Comparators, NamedSchedulesScoreAsTheyDoAlone) {
    const Islands islands = detail::shipped_islands("nine-city.json");
    const Capabilities can = capabilities_of(islands);
    RoundTimes times(islands, can);
    for (const Pace pace : {Pace::kUniform, Pace::kOwn}) {
        const auto all = compare_schedules(times, {.pace = pace, .mixing = {}});
        for (const NamedSchedule& one : islands.schedules) {
            const double alone = score_schedule(one.schedule, times, pace).score_ms;
            EXPECT_DOUBLE_EQ(named(all, one.name).score_ms, alone) << one.name;
        }
    }
}

// Two islands: 8 Gbit at 20 Gbit/s and the latency make the one round there is; A is 1.5. Steps of
// matchings that send nothing take no time at own pace, so they neither count as rounds nor forget.
TEST(Comparators, StepsThatSendNothingTakeNoTimeAtOwnPace) {
    const Islands islands = detail::planar_islands(2, 0, 1);
    const Capabilities can = capabilities_of(islands);
    RoundTimes times(islands, can);
    const double round_ms = 400 + times.latency_ms()(0, 1);
    MixingOptions mixing;
    mixing.forgetting = 0.5;
    const auto own = compare_schedules(times, {.pace = Pace::kOwn, .mixing = mixing});
    EXPECT_DOUBLE_EQ(named(own, "MATCHA").area, 1.5);
    EXPECT_NEAR(named(own, "MATCHA").score_ms, 1.5 * round_ms, 1e-9);
    EXPECT_TRUE(named(own, "MATCHA").detail.starts_with("1 matching, "));
    EXPECT_EQ(named(own, "two-level all-reduce").detail, "1 group");
    // One row of two, then columns of one: islands are joined, but one round does nothing.
    EXPECT_FALSE(named(own, "grid groups").feasible);
    EXPECT_EQ(named(own, "grid groups").reason, "a round in which all are alone takes no time");
    const auto uniform = compare_schedules(times, {});
    EXPECT_NEAR(named(uniform, "grid groups").score_ms, 2 * round_ms, 1e-9);
}

}  // namespace
}  // namespace longhaul::schedule
