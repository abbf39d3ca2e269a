#include <gtest/gtest.h>

#include "longhaul/schedule/detail/test_support.hpp"
#include "longhaul/schedule/score.hpp"
#include "longhaul/schedule/simulate.hpp"

namespace longhaul::schedule {
namespace {

using detail::shipped_islands;

TimedSchedule uniform_rounds(const Islands& islands, const char* name, double memory_gb) {
    Capabilities can = capabilities_of(islands);
    can.memory_gb.assign(islands.size(), memory_gb);
    RoundTimes times(islands, can);
    return timed_schedule(islands.schedule(name)->schedule, times, Pace::kUniform);
}

// Section 4 of the background page: without memory any noise splits every sum; a quarter of the
// payload bears noise of 5 ms on every link.
TEST(SimulateNineCities, MemoryBearsJitter) {
    const Islands islands = shipped_islands("nine-city.json");
    const TimedSchedule exact = uniform_rounds(islands, "triangles", 0);
    SimulationOptions options;
    options.births = 0;
    options.rounds = 2;
    options.blocks = 20000;  // one every 0.02 ms
    options.patience_ms = 1000;
    options.jitter_ms = 1;
    EXPECT_GT(simulate(exact, islands, options)->split_rate(), 0.97);
    options.blocks = 2000;
    TimedSchedule roomy = exact;
    roomy.memory_gb.assign(islands.size(), 0.25);
    for (const double jitter : {0.01, 1.0, 5.0}) {
        options.jitter_ms = jitter;
        const auto run = simulate(roomy, islands, options);
        EXPECT_EQ(run->split, 0U) << jitter;
        EXPECT_EQ(run->outputs_per_weight(), 1.0);
        EXPECT_EQ(run->contributions.missing, 0U);
    }
}

TEST(Simulate, ARingSplitsLessThanAHash) {
    const Islands islands = shipped_islands("nine-city.json");
    TimedSchedule schedule = uniform_rounds(islands, "all_to_all", 32);
    schedule.memory_gb.assign(islands.size(), 0.25);
    schedule.timeout_ms = 200;  // sums that lost a part to a conflict are never complete
    SimulationOptions options;
    options.births = 0;
    options.rounds = 2;
    options.grace_ms = 5000;
    EXPECT_EQ(simulate(schedule, islands, options)->outputs_per_weight(), 1.0);
    options.index = SlotIndex::kHash;
    const auto run = simulate(schedule, islands, options);
    EXPECT_GT(run->outputs_per_weight(), 2);
    EXPECT_EQ(run->contributions.missing, 0U);
    EXPECT_EQ(run->wrong_sums, 0U);
}

TEST(Simulate, TheSameSeedGivesTheSameRun) {
    const Islands islands = shipped_islands("nine-city.json");
    const TimedSchedule schedule = uniform_rounds(islands, "triangles", 0);
    SimulationOptions options;
    options.rounds = 6;
    options.blocks = 100;
    options.births = 100;
    options.jitter_ms = 2;
    options.loss = 0.01;
    const auto one = simulate(schedule, islands, options);
    const auto two = simulate(schedule, islands, options);
    options.seed = 8;
    const auto other = simulate(schedule, islands, options);
    EXPECT_EQ(one->score_ms, two->score_ms);
    EXPECT_EQ(one->round_ms, two->round_ms);
    EXPECT_EQ(one->resends, two->resends);
    EXPECT_NE(one->score_ms, other->score_ms);
    EXPECT_NE(one->round_ms, other->round_ms);
}

}  // namespace
}  // namespace longhaul::schedule
