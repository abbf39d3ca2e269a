#include "longhaul/schedule/timed_score.hpp"

#include <gtest/gtest.h>

#include "longhaul/schedule/detail/test_support.hpp"
#include "longhaul/schedule/score.hpp"
#include "longhaul/schedule/simulate.hpp"
#include "longhaul/schedule/streamed.hpp"

namespace longhaul::schedule {
namespace {

Islands nine_cities(double memory_gb, bool unequal) {
    Islands islands = detail::shipped_islands("nine-city.json");
    for (std::size_t i = 0; i < islands.size(); ++i) {
        islands.islands[i].memory_gb = memory_gb;
        islands.islands[i].target = unequal ? 1 + static_cast<double>(i % 4) : 1;
    }
    return islands;
}

TimedSchedule timed_triangles(const Islands& islands, Pace pace, double& score_ms) {
    RoundTimes times(islands, capabilities_of(islands));
    const Schedule& rounds = islands.schedule("triangles")->schedule;
    if (pace == Pace::kStreamed) {
        const auto streamed = stream_schedule(rounds, times, {});
        score_ms = streamed->score_ms;
        return streamed->schedule;
    }
    score_ms = score_schedule(rounds, times, pace).score_ms;
    return timed_schedule(rounds, times, pace);
}

// The file's lengths, offsets and weights give the score that they were made with, and what runs
// them measures it, with equal shares and with others.
TEST(ComputedScore, IsThatOfTheScheduleAndOfItsSimulation) {
    for (const bool unequal : {false, true}) {
        const Islands islands = nine_cities(0.2, unequal);
        for (const Pace pace : {Pace::kUniform, Pace::kOwn, Pace::kStreamed}) {
            double made_ms = 0;
            const TimedSchedule timed = timed_triangles(islands, pace, made_ms);
            EXPECT_EQ(timed.rounds[0].cliques[0].weights.empty(), !unequal);
            const auto computed = computed_score(timed, islands);
            ASSERT_TRUE(computed);
            EXPECT_NEAR(*computed, made_ms, 1e-6 * made_ms);
            SimulationOptions options;
            options.births = 4000;
            options.blocks = 200;
            const auto run = simulate(timed, islands, options);
            ASSERT_TRUE(run);
            EXPECT_NEAR(run->score_ms, *computed, 0.005 * *computed);
            EXPECT_LT(run->bias, 1e-6);
        }
    }
}

// All to all agrees after one round: A = 1/2 + 1 whatever is forgotten later; of triangles 1/2 of
// what is left after one round is lost, A = 1/2 + 1 + rho e(1) with e(1) = 3/4.
TEST(ComputedScore, ForgetsWhatTheScheduleSays) {
    const Islands islands = nine_cities(0.2, false);
    double made_ms = 0;
    TimedSchedule timed = timed_triangles(islands, Pace::kUniform, made_ms);
    EXPECT_NEAR(*computed_score(timed, islands), 2.25 * 515.828, 1e-2);
    timed.forgetting = 0.5;
    EXPECT_NEAR(*computed_score(timed, islands), (1.5 + 0.5 * 0.75) * 515.828, 1e-2);
}

TEST(TimedSchedule, WeighsByTarget) {
    const Islands islands = nine_cities(0, true);
    double score_ms = 0;
    const TimedSchedule timed = timed_triangles(islands, Pace::kUniform, score_ms);
    // NYC, LAX, WAS have targets 1, 2, 3.
    const TimedClique& americas = timed.rounds[0].cliques[0];
    ASSERT_EQ(members_of(americas.members), (std::vector{0, 1, 2}));
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_DOUBLE_EQ(americas.weights(i, 0), 1.0 / 6);
        EXPECT_DOUBLE_EQ(americas.weights(i, 1), 2.0 / 6);
        EXPECT_DOUBLE_EQ(americas.weights(i, 2), 3.0 / 6);
    }
}

TEST(ComputedScore, SaysWhyThereIsNone) {
    const Islands islands = nine_cities(0, true);
    double score_ms = 0;
    TimedSchedule timed = timed_triangles(islands, Pace::kUniform, score_ms);
    std::string reason;
    TimedSchedule equal = timed;
    for (TimedRound& round : equal.rounds) {
        for (TimedClique& clique : round.cliques) {
            clique.weights = {};
        }
    }
    EXPECT_FALSE(computed_score(equal, islands, &reason));
    EXPECT_NE(reason.find("do not keep the mean"), std::string::npos) << reason;
    timed.rounds.resize(1);
    EXPECT_FALSE(computed_score(timed, islands, &reason));
    EXPECT_NE(reason.find("never spread"), std::string::npos) << reason;
}

// Files hold lengths above 0, so a schedule that is planned anew must not have such a round.
TEST(ComputedScore, NoneOfARoundWithoutLength) {
    const Islands islands = nine_cities(0, false);
    RoundTimes times(islands, capabilities_of(islands));
    Schedule schedule = islands.schedule("triangles")->schedule;
    schedule.rounds.push_back(make_round({}, 9));
    std::string reason;
    EXPECT_FALSE(computed_score(timed_schedule(schedule, times, Pace::kOwn), islands, &reason));
    EXPECT_NE(reason.find("takes no time"), std::string::npos) << reason;
    EXPECT_TRUE(computed_score(timed_schedule(schedule, times, Pace::kUniform), islands));
}

}  // namespace
}  // namespace longhaul::schedule
