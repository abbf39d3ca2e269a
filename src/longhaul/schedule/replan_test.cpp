#include "longhaul/schedule/replan.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "longhaul/schedule/detail/random_islands.hpp"
#include "longhaul/schedule/detail/test_simulation.hpp"
#include "longhaul/schedule/detail/test_support.hpp"
#include "longhaul/schedule/schedule_file.hpp"
#include "longhaul/schedule/score.hpp"
#include "longhaul/schedule/simulate.hpp"
#include "longhaul/schedule/streamed.hpp"
#include "longhaul/schedule/timed_score.hpp"

namespace longhaul::schedule {
namespace {

Islands cities_with(double memory_gb) {
    Islands islands = detail::shipped_islands("nine-city.json");
    for (Island& island : islands.islands) {
        island.memory_gb = memory_gb;
    }
    return islands;
}

Schedule drawn_schedule(int islands, core::Random& random) {
    Schedule schedule;
    for (int k = 0; k < 2; ++k) {
        std::vector<Clique> cliques(2 + random.index(2), 0);
        for (int i = 0; i < islands; ++i) {
            cliques[random.index(cliques.size())] |= Clique{1} << i;
        }
        schedule.rounds.push_back(make_round(cliques, islands));
    }
    return schedule;
}

void expect_same_times(const TimedSchedule& a, const TimedSchedule& b) {
    ASSERT_EQ(a.rounds.size(), b.rounds.size());
    for (std::size_t k = 0; k < a.rounds.size(); ++k) {
        EXPECT_DOUBLE_EQ(a.rounds[k].length_ms, b.rounds[k].length_ms);
        for (std::size_t c = 0; c < a.rounds[k].cliques.size(); ++c) {
            EXPECT_EQ(a.rounds[k].cliques[c].members, b.rounds[k].cliques[c].members);
            EXPECT_EQ(a.rounds[k].cliques[c].trees, b.rounds[k].cliques[c].trees);
            EXPECT_DOUBLE_EQ(a.rounds[k].cliques[c].time_ms, b.rounds[k].cliques[c].time_ms);
        }
    }
}

// On shortest trees, planning anew is planning: other memory, other paces, the best shares.
TEST(TimedAnew, IsPlanningWhereTreesAreTheSame) {
    for (std::uint64_t i = 0; i < 40; ++i) {
        core::Random random(11, i);
        const Islands islands = detail::planar_islands(7, 0.2, i);
        RoundTimes before(islands, capabilities_of(islands));
        const Schedule rounds = drawn_schedule(7, random);
        const TimedSchedule made = timed_schedule(rounds, before, Pace::kUniform);
        Capabilities can = capabilities_of(islands);
        can.memory_gb.assign(7, 0.05 + random.uniform());
        can.guard_ms = 5 * random.uniform();
        can.payload_gb = 0.5 + random.uniform();
        can.sharing = random.below(2) == 0 ? Sharing::kBest : Sharing::kEqual;
        RoundTimes after(islands, can);
        for (const Pace pace : {Pace::kUniform, Pace::kOwn}) {
            const auto anew = timed_anew(made, after, pace);
            ASSERT_TRUE(anew);
            EXPECT_EQ(anew->pace, pace);
            EXPECT_EQ(anew->memory_gb, can.memory_gb);
            EXPECT_EQ(anew->payload_gb, can.payload_gb);
            expect_same_times(*anew, timed_schedule(rounds, after, pace));
        }
    }
}

// Trees that are not the shortest stay, and so do weights.
TEST(TimedAnew, KeepsTreesAndWeights) {
    const Islands islands = cities_with(32);
    Capabilities can = capabilities_of(islands);
    can.trees = Trees::kFlexible;
    RoundTimes flexible(islands, can);
    TimedSchedule made =
        timed_schedule(islands.schedule("all_to_all")->schedule, flexible, Pace::kUniform);
    core::Grid<double>& weights = made.rounds[0].cliques[0].weights;
    weights = core::Grid<double>(9, 9, 0.05);
    for (std::size_t i = 0; i < 9; ++i) {
        weights(i, i) = 0.6;
    }
    const RoundTimes shortest(islands, capabilities_of(islands));
    const auto anew = timed_anew(made, shortest, Pace::kUniform);
    ASSERT_TRUE(anew);
    expect_same_times(*anew, made);  // 515.828 ms; 675.828 on the shortest
    EXPECT_EQ(anew->rounds[0].cliques[0].weights, weights);
    Capabilities none = capabilities_of(islands);
    none.memory_gb.assign(9, 0);
    const RoundTimes without(islands, none);
    std::string reason;
    EXPECT_FALSE(timed_anew(made, without, Pace::kUniform, &reason));
    EXPECT_NE(reason.find("round 1"), std::string::npos) << reason;
}

// A path A - B - C of 10 and 20 ms is a star: offsets 10, 20, 0 let all arrive at once, so memory
// bears the guard alone, 1 of 400 ms of 1 GB. A sends at 0: 10 ms more at B and at C.
TEST(MemoryNeeded, IsTheSpreadOverTheTimeOfSending) {
    const auto document = core::parse_json(R"({
      "name": "path", "payload_gb": 1, "ingress_gbps": 20, "egress_gbps": 20, "nodes": ["A", "B",
      "C"], "links": [{"a": "A", "b": "B", "latency_ms": 10, "gbps": 100},
      {"a": "B", "b": "C", "latency_ms": 20, "gbps": 100}]})",
                                           "path.json");
    const Islands islands = read_islands(*document).value();
    TimedSchedule timed;
    timed.guard_ms = 1;
    timed.memory_gb = {1, 1, 1};
    timed.rounds = {{440, {detail::clique_of(islands, 0b111, 400, {10, 20, 0})}}};
    for (const double needed : memory_needed_gb(timed, islands)) {
        EXPECT_NEAR(needed, 1.0 / 400, 1e-12);
    }
    timed.rounds[0].cliques[0].offset_ms[0] = 0;
    const std::vector<double> late = memory_needed_gb(timed, islands);
    EXPECT_NEAR(late[0], 1.0 / 400, 1e-12);
    EXPECT_NEAR(late[1], 11.0 / 400, 1e-12);
    EXPECT_NEAR(late[2], 11.0 / 400, 1e-12);
    // A sends in half the time: B holds what A sent after 200 ms and C has not, x < m + x / 2.
    timed.rounds[0].cliques[0].offset_ms[0] = 10;
    timed.rounds[0].cliques[0].sender_ms = {200, 400, 400};
    timed.guard_ms = 0;
    EXPECT_NEAR(memory_needed_gb(timed, islands)[1], 0.5, 1e-12);
    // Pairs have one stream in.
    timed.rounds = {{440, {detail::clique_of(islands, 0b011, 400, {0, 0})}}};
    EXPECT_EQ(memory_needed_gb(timed, islands), (std::vector<double>{0, 0, 0}));
}

TEST(MemoryNeeded, IsEnoughForTheSameTimes) {
    for (std::uint64_t i = 0; i < 40; ++i) {
        core::Random random(12, i);
        const Islands islands = detail::planar_islands(8, 0.05 + random.uniform(), i);
        Capabilities can = capabilities_of(islands);
        can.guard_ms = 3 * random.uniform();
        RoundTimes times(islands, can);
        const Schedule rounds = drawn_schedule(8, random);
        const TimedSchedule made = timed_schedule(rounds, times, Pace::kOwn);
        can.memory_gb = memory_needed_gb(made, islands);
        for (std::size_t r = 0; r < islands.size(); ++r) {
            EXPECT_LE(can.memory_gb[r], made.memory_gb[r] * (1 + 1e-9));
            can.memory_gb[r] *= 1 + 1e-9;
        }
        RoundTimes tight(islands, can);
        for (std::size_t k = 0; k < rounds.rounds.size(); ++k) {
            EXPECT_NEAR(tight.time_ms(rounds.rounds[k]), made.rounds[k].length_ms, 1e-5);
        }
    }
}

// Streamed: what the program itself says.
TEST(MemoryNeeded, OfStreamedRoundsIsTheirPeak) {
    const Islands islands = cities_with(0.2);
    RoundTimes times(islands, capabilities_of(islands));
    const auto streamed = stream_schedule(islands.schedule("triangles")->schedule, times, {});
    ASSERT_TRUE(streamed);
    const std::vector<double> needed = memory_needed_gb(streamed->schedule, islands);
    for (std::size_t r = 0; r < needed.size(); ++r) {
        EXPECT_NEAR(needed[r], streamed->memory_peak_gb[r], 1e-9);
    }
}

// All to all without one of nine is all to all of eight: A is 1.5 of any number of islands.
TEST(Remaining, AllToAllStaysAllToAll) {
    const Islands islands = cities_with(32);
    RoundTimes times(islands, capabilities_of(islands));
    const TimedSchedule made =
        timed_schedule(islands.schedule("all_to_all")->schedule, times, Pace::kUniform);
    const Remaining left = remaining_of(made, islands, Clique{1} << *islands.find("SIN"));
    ASSERT_EQ(left.islands.size(), 8U);
    EXPECT_FALSE(left.islands.find("SIN"));
    EXPECT_EQ(left.islands.transit.front(), "SIN");
    EXPECT_NEAR(*computed_score(left.schedule, left.islands), 1.5 * 675.828, 1e-3);
}

// What runs without an island from the first round on measures the score of those that are left.
TEST(Remaining, ScoresAreWhatRunsWithoutAnIslandMeasure) {
    const Islands islands = cities_with(0.2);
    const int gone = *islands.find("SIN");
    const Schedule& rounds = islands.schedule("triangles")->schedule;
    RoundTimes times(islands, capabilities_of(islands));
    for (const Pace pace : {Pace::kUniform, Pace::kOwn, Pace::kStreamed}) {
        const TimedSchedule made = pace == Pace::kStreamed
                                       ? stream_schedule(rounds, times, {})->schedule
                                       : timed_schedule(rounds, times, pace);
        const Remaining left = remaining_of(made, islands, Clique{1} << gone);
        const auto computed = computed_score(left.schedule, left.islands);
        ASSERT_TRUE(computed);
        SimulationOptions options;
        options.births = 4000;
        options.blocks = 200;
        options.changes = {{0, gone, false}};
        const auto run = simulate(made, islands, options);
        ASSERT_TRUE(run);
        EXPECT_NEAR(run->score_ms, *computed, 0.01 * *computed) << name_of(pace);
    }
}

}  // namespace
}  // namespace longhaul::schedule
