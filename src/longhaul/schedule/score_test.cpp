#include "longhaul/schedule/score.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "longhaul/schedule/detail/test_support.hpp"

namespace longhaul::schedule {
namespace {

using detail::shipped_islands;

struct With {
    double memory_gb = 0;
    Trees trees = Trees::kShortest;
};

ScheduleScore score_named(const Islands& islands,
                          const char* name,
                          const With& with,
                          Pace pace = Pace::kUniform) {
    Capabilities can = capabilities_of(islands);
    can.memory_gb.assign(islands.size(), with.memory_gb);
    can.trees = with.trees;
    RoundTimes times(islands, can);
    return score_schedule(islands.schedule(name)->schedule, times, pace);
}

// Table 0 of the background page: times and scores of the paper's four schedules.
TEST(NineCities, TimesOfTheFourSchedulesWithoutMemory) {
    const Islands islands = shipped_islands("nine-city.json");
    const auto longest = [&](const char* name) {
        const ScheduleScore score = score_named(islands, name, {});
        EXPECT_TRUE(score.feasible) << score.reason;
        return std::max(score.round_ms[0], score.round_ms[1]);
    };
    EXPECT_NEAR(longest("pairs"), 449.38, 0.005);
    EXPECT_NEAR(longest("regional"), 476.68, 0.005);
    EXPECT_NEAR(longest("triangles"), 564.92, 0.005);
}

TEST(NineCities, ScoresWithoutMemory) {
    const Islands islands = shipped_islands("nine-city.json");
    const ScheduleScore triangles = score_named(islands, "triangles", {});
    EXPECT_NEAR(triangles.area, 2.25, 1e-12);
    EXPECT_NEAR(triangles.score_ms, 1271.06, 0.005);
    EXPECT_NEAR(score_named(islands, "regional", {}).score_ms, 1926.6, 0.05);
    EXPECT_NEAR(score_named(islands, "pairs", {}).score_ms, 4549.7, 0.05);
    EXPECT_NEAR(score_named(islands, "triangles", {}, Pace::kOwn).score_ms, 1156.569, 5e-4);
}

// An update that some islands never hear of has not spread, however soon it is forgotten.
TEST(NineCities, RoundsThatDoNotJoinAllAreRefusedWithForgettingToo) {
    const Islands islands = shipped_islands("nine-city.json");
    const Capabilities can = capabilities_of(islands);
    RoundTimes times(islands, can);
    const Schedule pair{{make_round({0b11}, 9)}};
    for (const double forgetting : {1.0, 0.5}) {
        MixingOptions mixing;
        mixing.forgetting = forgetting;
        const ScheduleScore score = score_schedule(pair, times, Pace::kUniform, mixing);
        EXPECT_FALSE(score.feasible);
        EXPECT_TRUE(std::isinf(score.area));
        EXPECT_TRUE(std::isinf(score.score_ms));
        EXPECT_NE(score.reason.find("do not join all islands"), std::string::npos) << score.reason;
    }
}

// It would take no time and yet be a round of forgetting.
TEST(NineCities, ARoundOfNobodyHasNoLengthOfItsOwn) {
    const Islands islands = shipped_islands("nine-city.json");
    const Capabilities can = capabilities_of(islands);
    RoundTimes times(islands, can);
    Schedule schedule = islands.schedule("triangles")->schedule;
    schedule.rounds.push_back(make_round({}, 9));
    MixingOptions half;
    half.forgetting = 0.5;
    const ScheduleScore own = score_schedule(schedule, times, Pace::kOwn, half);
    EXPECT_FALSE(own.feasible);
    EXPECT_TRUE(own.reason.starts_with("round 3: all islands are alone")) << own.reason;
    // Rounds of one length: 3/4 is left behind one round of triangles, nothing behind both, so the
    // three phases have 1 + 3/4 + 3/4, 1 + 1 + 3/4 and 1 + 3/4, and half a round of waiting.
    EXPECT_NEAR(score_schedule(schedule, times, Pace::kUniform).area, 0.5 + 7.0 / 3, 1e-12);
}

TEST(NineCities, AllToAllIsRefusedWithoutMemoryWithTheReason) {
    const Islands islands = shipped_islands("nine-city.json");
    const ScheduleScore all = score_named(islands, "all_to_all", {});
    EXPECT_FALSE(all.feasible);
    EXPECT_TRUE(std::isinf(all.score_ms));
    EXPECT_NE(all.reason.find("arrive together"), std::string::npos) << all.reason;
}

TEST(NineCities, ScoresWithMemory) {
    const Islands islands = shipped_islands("nine-city.json");
    const ScheduleScore all = score_named(islands, "all_to_all", {32});
    EXPECT_NEAR(all.round_ms[0], 675.83, 0.005);
    EXPECT_NEAR(all.area, 1.5, 1e-12);
    EXPECT_NEAR(all.score_ms, 1013.7, 0.05);
    EXPECT_NEAR(score_named(islands, "triangles", {32}).score_ms, 1160.6, 0.05);
}

TEST(NineCities, CongestionAwareTreesMakeAllToAllFaster) {
    const Islands islands = shipped_islands("nine-city.json");
    const ScheduleScore all = score_named(islands, "all_to_all", {32, Trees::kFlexible});
    EXPECT_LE(all.round_ms[0], 515.83 + 0.005);
    EXPECT_LE(all.score_ms, 773.75);
}

// Section 3 of the background page: time against memory. Its 1131.8 for 0.1 GB is 1131.75 here.
TEST(NineCities, TimeAgainstMemory) {
    const Islands islands = shipped_islands("nine-city.json");
    const auto all = [&](double memory_gb) {
        return score_named(islands, "all_to_all", {memory_gb}).round_ms[0];
    };
    EXPECT_NEAR(all(0.05), 2137.8, 0.06);
    EXPECT_NEAR(all(0.1), 1131.8, 0.06);
    EXPECT_NEAR(all(0.15), 796.4, 0.06);
    EXPECT_NEAR(all(0.18), 685.5, 0.06);
    EXPECT_NEAR(all(0.2), 675.8, 0.06);
    const auto triangles = [&](double memory_gb) {
        const auto times = score_named(islands, "triangles", {memory_gb}).round_ms;
        return std::max(times[0], times[1]);
    };
    EXPECT_NEAR(triangles(0.05), 544.9, 0.06);
    EXPECT_NEAR(triangles(0.1), 524.9, 0.06);
    EXPECT_NEAR(triangles(0.15), 515.8, 0.06);
}

TEST(NineCities, OffsetsOfTheFirstTriangles) {
    const Islands islands = shipped_islands("nine-city.json");
    Capabilities can = capabilities_of(islands);
    can.memory_gb.assign(islands.size(), 0);
    RoundTimes times(islands, can);
    const auto round = times.timed(islands.schedule("triangles")->schedule.rounds[0]);
    ASSERT_TRUE(round);
    const TimedClique& americas = round->cliques.front();
    EXPECT_EQ(members_of(americas.members), (std::vector{0, 1, 2}));  // NYC, LAX, WAS
    ASSERT_EQ(americas.offset_ms.size(), 3U);
    EXPECT_NEAR(americas.time_ms, 462.21, 0.3);
    EXPECT_NEAR(americas.offset_ms[0] - americas.offset_ms[1], 28, 1e-9);
    EXPECT_NEAR(americas.offset_ms[2] - americas.offset_ms[1], 31, 0.3);
}

}  // namespace
}  // namespace longhaul::schedule
