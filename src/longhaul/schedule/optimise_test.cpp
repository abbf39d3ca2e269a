#include "longhaul/schedule/optimise.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "longhaul/core/random.hpp"
#include "longhaul/schedule/detail/bounds.hpp"
#include "longhaul/schedule/detail/random_islands.hpp"
#include "longhaul/schedule/detail/test_support.hpp"

namespace longhaul::schedule {
namespace {

Capabilities with_memory(const Islands& islands, double memory_gb) {
    Capabilities can = capabilities_of(islands);
    can.memory_gb.assign(islands.size(), memory_gb);
    return can;
}

// Section 7 of the background page: optimal over all periods, bound equal to value.
TEST(OptimiseNineCities, WithoutMemoryIsProved) {
    const Islands islands = detail::shipped_islands("nine-city.json");
    const Capabilities can = with_memory(islands, 0);
    RoundTimes times(islands, can);
    const Optimised found = optimise_schedule(times, {});
    ASSERT_TRUE(found.schedule) << found.reason;
    EXPECT_NEAR(found.score.score_ms, 1246.563, 5e-4);
    EXPECT_TRUE(found.optimal) << found.bound_ms;
    EXPECT_NEAR(found.bound_ms, 1246.563, 5e-4);
}

TEST(OptimiseNineCities, WithMemoryIsProved) {
    const Islands islands = detail::shipped_islands("nine-city.json");
    const Capabilities can = with_memory(islands, 32);
    RoundTimes times(islands, can);
    const Optimised found = optimise_schedule(times, {});
    ASSERT_TRUE(found.schedule) << found.reason;
    EXPECT_NEAR(found.score.score_ms, 1001.432, 5e-4);
    EXPECT_TRUE(found.optimal) << found.bound_ms;
}

TEST(OptimiseNineCities, RoundsOfTheirOwnLength) {
    const Islands islands = detail::shipped_islands("nine-city.json");
    for (const auto& [memory, most] : {std::pair(0.0, 1144.1), std::pair(32.0, 983.5)}) {
        const Capabilities can = with_memory(islands, memory);
        RoundTimes times(islands, can);
        OptimiseOptions options;
        options.pace = Pace::kOwn;
        const Optimised found = optimise_schedule(times, options);
        EXPECT_LE(found.score.score_ms, most + 0.05);
        EXPECT_LE(found.bound_ms, found.score.score_ms);
        EXPECT_GT(found.bound_ms, 0.8 * found.score.score_ms);
    }
}

/// The least score of all schedules of at most `period` rounds, one after the other.
double least_of_all(RoundTimes& times,
                    int islands,
                    std::size_t period,
                    Pace pace,
                    const MixingOptions& mixing = {}) {
    const std::vector<Round> rounds = all_rounds(islands, islands);
    double least = INFINITY;
    const auto extend = [&](const auto& self, Schedule& schedule) -> void {
        if (!schedule.rounds.empty()) {
            least = std::min(least, score_schedule(schedule, times, pace, mixing).score_ms);
        }
        if (schedule.rounds.size() == period) {
            return;
        }
        for (const Round& round : rounds) {
            schedule.rounds.push_back(round);
            self(self, schedule);
            schedule.rounds.pop_back();
        }
    };
    Schedule schedule;
    extend(extend, schedule);
    return least;
}

TEST(Optimise, FindsTheBestOfAllShortPeriodsAndBoundsThem) {
    for (const double memory : {0.0, 0.01, 1.0}) {
        for (const Pace pace : {Pace::kUniform, Pace::kOwn}) {
            for (const auto& [n, period, seed] :
                 {std::tuple(3, 3, 1U), std::tuple(4, 3, 2U), std::tuple(5, 2, 3U)}) {
                const Islands islands = detail::planar_islands(n, memory, seed);
                const Capabilities can = capabilities_of(islands);
                RoundTimes times(islands, can);
                OptimiseOptions options;
                options.pace = pace;
                options.max_period = period;
                const Optimised found = optimise_schedule(times, options);
                const double least = least_of_all(times, n, static_cast<std::size_t>(period), pace);
                ASSERT_TRUE(found.schedule);
                EXPECT_NEAR(found.score.score_ms, least, 1e-6 * least)
                    << n << " islands, memory " << memory;
                EXPECT_LE(found.bound_ms, least * (1 + 1e-9));
                EXPECT_GE(found.bound_ms, 0.6 * least);
                const double reach = detail::reach_bound(times, n, {}, pace, least);
                const double loose = detail::reach_bound(times, n, {}, pace, 3 * least);
                EXPECT_LE(loose, least * (1 + 1e-9));
                EXPECT_GE(loose, 0.4 * least);
                EXPECT_LE(reach, least * (1 + 1e-9));
                EXPECT_GT(reach, 0);
            }
        }
    }
}

// Rounds in which all are alone take no time, so they must not pass for rounds of forgetting.
TEST(Optimise, OwnLengthsWithForgettingAreTheBestOfAllShortPeriods) {
    for (const double memory : {0.0, 1.0}) {
        for (const double forgetting : {0.5, 0.01}) {
            for (const auto& [n, seed] : {std::pair(3, 1U), std::pair(4, 2U), std::pair(3, 5U)}) {
                const Islands islands = detail::planar_islands(n, memory, seed);
                const Capabilities can = capabilities_of(islands);
                RoundTimes times(islands, can);
                OptimiseOptions options;
                options.pace = Pace::kOwn;
                options.max_period = 3;
                options.mixing.forgetting = forgetting;
                options.effort = 0.2;
                const Optimised found = optimise_schedule(times, options);
                const double least = least_of_all(times, n, 3, Pace::kOwn, options.mixing);
                ASSERT_TRUE(found.schedule);
                EXPECT_NEAR(found.score.score_ms, least, 1e-6 * least)
                    << n << " islands, memory " << memory << ", forgetting " << forgetting;
                EXPECT_LE(found.bound_ms, least * (1 + 1e-9));
            }
        }
    }
}

// A bound holds for longer periods than the search may use.
TEST(Optimise, BoundsHoldForLongerPeriods) {
    core::Random random(31);
    const Islands islands = detail::planar_islands(6, 0, 4);
    const Capabilities can = capabilities_of(islands);
    RoundTimes times(islands, can);
    OptimiseOptions options;
    options.max_period = 2;
    options.effort = 0.1;
    const Optimised found = optimise_schedule(times, options);
    const std::vector<Round> rounds = all_rounds(6, 3);
    for (int i = 0; i < 20000; ++i) {
        Schedule schedule;
        for (std::size_t k = 3 + random.index(4); k > 0; --k) {
            schedule.rounds.push_back(rounds[random.index(rounds.size())]);
        }
        const ScheduleScore score = score_schedule(schedule, times, Pace::kUniform);
        ASSERT_GE(score.score_ms, found.bound_ms * (1 - 1e-9));
    }
}

TEST(Optimise, OneIslandAndTwo) {
    const Islands one = detail::planar_islands(1, 0, 1);
    const Capabilities can_one = capabilities_of(one);
    RoundTimes times_one(one, can_one);
    const Optimised alone = optimise_schedule(times_one, {});
    ASSERT_TRUE(alone.schedule) << alone.reason;
    EXPECT_EQ(alone.score.score_ms, 0);
    EXPECT_TRUE(alone.optimal);
    const Islands two = detail::planar_islands(2, 0, 1);
    const Capabilities can_two = capabilities_of(two);
    RoundTimes times_two(two, can_two);
    const Optimised pair = optimise_schedule(times_two, {});
    ASSERT_TRUE(pair.schedule) << pair.reason;
    EXPECT_NEAR(pair.score.score_ms, 1.5 * (400 + times_two.latency_ms()(0, 1)), 1e-9);
    EXPECT_TRUE(pair.optimal);
}

TEST(Optimise, ABudgetOfSchedulesEndsTheSearch) {
    const Islands islands = detail::planar_islands(12, 0.05, 3);
    const Capabilities can = capabilities_of(islands);
    OptimiseOptions options;
    options.most_evaluated = 3'000;
    const auto find = [&] {
        RoundTimes times(islands, can);
        return optimise_schedule(times, options);
    };
    const Optimised one = find();
    const Optimised other = find();
    ASSERT_TRUE(one.schedule);
    EXPECT_TRUE(one.stopped);
    EXPECT_GE(one.evaluated, 3'000U);
    EXPECT_LT(one.evaluated, 6'000U);  // one step of a walk looks at many
    EXPECT_EQ(one.evaluated, other.evaluated);
    EXPECT_EQ(one.score.score_ms, other.score.score_ms);
    options.most_evaluated = 20'000;
    const Optimised longer = find();
    EXPECT_GT(longer.evaluated, one.evaluated);
    EXPECT_LE(longer.score.score_ms, one.score.score_ms);  // it goes the same way, and on
}

TEST(Optimise, SameSeedSameSchedule) {
    const Islands islands = detail::planar_islands(12, 0.02, 5);
    const Capabilities can = capabilities_of(islands);
    OptimiseOptions options;
    options.effort = 0.02;
    RoundTimes first_times(islands, can);
    RoundTimes second_times(islands, can);
    const Optimised first = optimise_schedule(first_times, options);
    const Optimised second = optimise_schedule(second_times, options);
    ASSERT_TRUE(first.schedule && second.schedule);
    EXPECT_EQ(*first.schedule, *second.schedule);
    EXPECT_LE(first.bound_ms, first.score.score_ms);
    EXPECT_GT(first.bound_ms, 0);
}

}  // namespace
}  // namespace longhaul::schedule
