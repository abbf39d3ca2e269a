#include "longhaul/schedule/polish.hpp"

#include <gtest/gtest.h>

#include "longhaul/schedule/detail/test_support.hpp"
#include "longhaul/schedule/score.hpp"
#include "longhaul/schedule/simulate.hpp"
#include "longhaul/schedule/timed_score.hpp"

namespace longhaul::schedule {
namespace {

TimedSchedule timed_named(const Islands& islands,
                          const Capabilities& can,
                          const char* name,
                          Pace pace) {
    RoundTimes times(islands, can);
    return timed_schedule(islands.schedule(name)->schedule, times, pace);
}

// Section 3 of the background page: pairs A 10.12 to 5.50 by weights; times stay.
TEST(Polish, WeightsOfPairs) {
    const Islands islands = detail::shipped_islands("nine-city.json");
    Capabilities can = capabilities_of(islands);
    can.memory_gb.assign(islands.size(), 0);
    const TimedSchedule plain = timed_named(islands, can, "pairs", Pace::kUniform);
    WeightOptions quick;
    quick.restarts = 0;
    const TimedSchedule weighed = with_best_weights(plain, static_cast<int>(islands.size()), quick);
    const auto before = computed_score(plain, islands);
    const auto after = computed_score(weighed, islands);
    ASSERT_TRUE(before && after);
    EXPECT_NEAR(*before, 4549.7, 0.05);
    EXPECT_LE(*after, 0.6 * *before);
    const auto simulated = simulate(weighed, islands);
    ASSERT_TRUE(simulated);
    EXPECT_NEAR(simulated->score_ms, *after, 0.005 * *after);
    EXPECT_EQ(simulated->wrong_sums, 0U);
}

TEST(Polish, RatesOfSendersAreNeverLonger) {
    Islands islands = detail::shipped_islands("nine-city.json");
    islands.islands[2].egress_gbps = 10;  // one slow sender need not slow down all
    islands.islands[3].egress_gbps = 12;
    Capabilities can = capabilities_of(islands);
    bool better = false;
    for (const double memory : {0.0, 0.05, 0.2, 32.0}) {
        can.memory_gb.assign(islands.size(), memory);
        RoundTimes times(islands, can);
        for (const char* name : {"triangles", "regional", "pairs"}) {
            const TimedSchedule plain =
                timed_schedule(islands.schedule(name)->schedule, times, Pace::kOwn);
            const TimedSchedule own = with_sender_rates(plain, times);
            for (std::size_t k = 0; k < plain.rounds.size(); ++k) {
                EXPECT_LE(own.rounds[k].length_ms, plain.rounds[k].length_ms + 1e-6);
                better = better || own.rounds[k].length_ms < plain.rounds[k].length_ms - 0.1;
            }
            const auto simulated = simulate(own, islands);
            ASSERT_TRUE(simulated);
            EXPECT_EQ(simulated->wrong_sums, 0U);
            EXPECT_EQ(simulated->contributions.missing, 0U);
        }
    }
    EXPECT_TRUE(better);
}

}  // namespace
}  // namespace longhaul::schedule
