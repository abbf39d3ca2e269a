#include "longhaul/schedule/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "longhaul/schedule/detail/test_simulation.hpp"
#include "longhaul/schedule/detail/test_support.hpp"
#include "longhaul/schedule/score.hpp"

namespace longhaul::schedule {
namespace {

using detail::shipped_islands;
using detail::slot;

constexpr double kForever = std::numeric_limits<double>::infinity();

TimedSchedule timed_named(const Islands& islands, const char* name, double memory_gb, Pace pace) {
    Capabilities can = capabilities_of(islands);
    can.memory_gb.assign(islands.size(), memory_gb);
    RoundTimes times(islands, can);
    return timed_schedule(islands.schedule(name)->schedule, times, pace);
}

// The scores of uniform rounds and of rounds with lengths of their own are closed forms of the
// mixing (score.hpp), equal to the known answers of the background page: score_test.cpp.
TEST(SimulateNineCities, MeasuresTheScoresThatAreComputed) {
    const Islands islands = shipped_islands("nine-city.json");
    struct Measured {
        const char* name;
        double memory_gb;
        Pace pace;
        double score_ms;
    };
    for (const Measured& c : {Measured{"triangles", 0, Pace::kUniform, 1271.06},
                              Measured{"triangles", 0, Pace::kOwn, 1156.57},
                              Measured{"regional", 0, Pace::kUniform, 1926.6},
                              Measured{"pairs", 0, Pace::kUniform, 4549.7},
                              Measured{"all_to_all", 32, Pace::kUniform, 1013.74}}) {
        const auto run = simulate(timed_named(islands, c.name, c.memory_gb, c.pace), islands);
        ASSERT_TRUE(run);
        EXPECT_NEAR(run->score_ms, c.score_ms, 0.005 * c.score_ms) << c.name;
        EXPECT_LT(run->score_error_ms, 0.007 * c.score_ms);
        EXPECT_GE(run->births, 2000);
        EXPECT_EQ(run->unsettled, 0);
        EXPECT_LT(run->bias, 1e-6);
        EXPECT_EQ(run->contributions.merged, run->contributions.planned);
        EXPECT_EQ(run->split, 0U);
        EXPECT_EQ(run->resends, 0U);
        EXPECT_EQ(run->wrong_sums, 0U);
    }
}

// Section 2.4 of the background page: all-to-all sends 7 of 9 streams over London's links, at
// 100 / 7 Gbit/s each; triangles at 20 Gbit/s put at most four on a link.
TEST(SimulateNineCities, FillsLinksAndMemoryAsPlanned) {
    const Islands islands = shipped_islands("nine-city.json");
    SimulationOptions options;
    options.births = 0;
    options.rounds = 4;
    const auto all =
        simulate(timed_named(islands, "all_to_all", 32, Pace::kUniform), islands, options);
    const auto triangles =
        simulate(timed_named(islands, "triangles", 0, Pace::kUniform), islands, options);
    ASSERT_TRUE(all && triangles);
    EXPECT_NEAR(std::ranges::max(all->link_peak), 1, 1e-9);
    EXPECT_NEAR(std::ranges::max(all->egress_peak), 5.0 / 7, 1e-9);
    EXPECT_NEAR(std::ranges::max(triangles->link_peak), 0.8, 1e-9);
    EXPECT_NEAR(std::ranges::max(triangles->egress_peak), 1, 1e-9);
    EXPECT_NEAR(all->round_ms[0], 675.83, 0.005);
    EXPECT_NEAR(triangles->round_ms[0], 462.0, 0.005);
    EXPECT_NEAR(triangles->round_ms[1], 564.92, 0.005);
    for (const AggregatorUse& use : triangles->aggregators) {
        EXPECT_EQ(use.slots, 1U);
        EXPECT_EQ(use.peak_slots, 1U);
    }
    // Memory is rate times spread of the first and last arrival; a slot holds a whole block.
    const TimedSchedule timed = timed_named(islands, "all_to_all", 32, Pace::kUniform);
    const TimedClique& clique = timed.rounds[0].cliques[0];
    std::vector<double> first(9, kForever);
    std::vector<double> last(9, 0);
    for (std::size_t i = 0; i < 9; ++i) {
        topology::Stream stream{static_cast<int>(i), {0, 1, 2, 3, 4, 5, 6, 7, 8}, 1};
        const auto far = topology::stream_latencies(islands.network, stream, clique.trees[i]);
        for (std::size_t r = 0; r < 9; ++r) {
            if (r != i) {
                first[r] = std::min(first[r], clique.offset_ms[i] + far[r]);
                last[r] = std::max(last[r], clique.offset_ms[i] + far[r]);
            }
        }
    }
    for (std::size_t r = 0; r < 9; ++r) {
        const double spread_gb = (last[r] - first[r]) / clique.sending_ms;
        EXPECT_NEAR(all->aggregators[r].peak_gb, spread_gb, 0.0011) << r;
    }
}

// Without failures every block arrives at offset + latency + (x + 1) / blocks of the time of
// sending, and is mixed when the last has come.
TEST(Simulate, ArrivalsAreThoseOfTheClosedForm) {
    core::Random random(31);
    int arrivals = 0;
    for (int run = 0; run < 200; ++run) {
        const Islands islands = detail::ring_islands(3 + static_cast<int>(random.below(5)), random);
        TimedSchedule schedule = detail::random_schedule(islands, random);
        schedule.pace = Pace::kStreamed;
        for (TimedRound& round : schedule.rounds) {
            round.length_ms = 130;
        }
        schedule.timeout_ms = 0;
        schedule.memory_gb.assign(islands.size(), 10);
        SimulationOptions options;
        options.rounds = 3;
        options.blocks = 16;
        options.births = 0;
        options.log_rounds = 3;
        const auto found = simulate(schedule, islands, options);
        ASSERT_TRUE(found);
        EXPECT_EQ(found->split, 0U);
        std::vector<double> last(3, 0);
        for (const SimulationEvent& event : found->log) {
            if (event.kind != SimulationEvent::Kind::kArrive) {
                continue;
            }
            const std::size_t phase = slot(event.round) % schedule.rounds.size();
            for (const TimedClique& clique : schedule.rounds[phase].cliques) {
                const std::vector<int> list = members_of(clique.members);
                const auto from = std::ranges::find(list, event.from);
                if (from == list.end()) {
                    continue;
                }
                const auto place = static_cast<std::size_t>(from - list.begin());
                const topology::Stream stream{event.from, {event.to}, 1};
                const double starts =
                    130.0 * event.round + clique.offset_ms[place] +
                    topology::stream_latencies(islands.network, stream, clique.trees[place])[0];
                ASSERT_NEAR(event.start_ms, starts + clique.sending_ms / 16, 1e-9);
                ASSERT_NEAR(event.end_ms, starts + clique.sending_ms, 1e-9);
                last[slot(event.round)] =
                    std::max(last[slot(event.round)], event.end_ms - 130.0 * event.round);
                ++arrivals;
            }
        }
        for (std::size_t k = 0; k < 3; ++k) {
            ASSERT_NEAR(found->round_ms[k], last[k], 1e-9);
        }
    }
    EXPECT_GT(arrivals, 1000);
}

/// Two islands, 10 ms apart, that exchange for 100 ms in rounds of 110.
struct TwoIslands {
    Islands islands;
    TimedSchedule schedule;
    SimulationOptions options;
};

TwoIslands two_islands() {
    TwoIslands two;
    two.islands.network.nodes = 2;
    two.islands.islands = {{.name = "A", .region = "", .egress_gbps = 80, .ingress_gbps = 8000},
                           {.name = "B", .region = "", .egress_gbps = 80, .ingress_gbps = 8000}};
    two.islands.network.links = {{0, 1, 100, 10, 1, false}, {1, 0, 100, 10, 1, false}};
    two.islands.jitter_ms = {0, 0};
    two.schedule.memory_gb = {0, 0};
    two.schedule.rounds = {{110, {detail::clique_of(two.islands, 3, 100, {0, 0})}}};
    two.options.rounds = 10;
    two.options.blocks = 10;
    two.options.births = 0;
    return two;
}

TEST(Simulate, WhatEntersALinkThatIsDownIsLostAndAskedForAgain) {
    TwoIslands two = two_islands();
    // Links that a resend hardly takes anything of: 0.1 ms of an idle one.
    two.islands.islands[0].egress_gbps = two.islands.network.links[0].gbps = 8000;
    // Blocks of round 0 are sent at 10, 20, .. 100: five of them from A meet the outage.
    two.options.outages = {{Outage::What::kLink, 0, 20, 70}};
    two.options.tries = 0;
    auto run = simulate(two.schedule, two.islands, two.options);
    EXPECT_EQ(run->copies.lost_on_links, 5U);
    EXPECT_EQ(run->contributions.missing, 5U);
    // Each is asked for 20 ms after it should have come and sent again 10 ms later, 40 ms after it
    // was sent first: that of 20 at 60, in vain, so at 100; those of 30 to 60 at 70 to 100.
    two.options.tries = 3;
    run = simulate(two.schedule, two.islands, two.options);
    EXPECT_EQ(run->contributions.missing, 0U);
    EXPECT_EQ(run->resends, 6U);
    EXPECT_EQ(run->copies.lost_on_links, 6U);
    // The last come at 110: the last block, and two resends behind it. The second of these was sent
    // again first beside the stream, which leaves 7,920 Gbit/s: 0.101 ms.
    EXPECT_NEAR(run->round_ms[0], 110.1 + 800.0 / 7920, 1e-9);
}

// The stream fills the access link until 100 of every 110 ms, so that a resend, which takes 10 ms
// of it, leaves in every pause: those of round 0 at 110, 220 and so on. They arrive 10 ms later; B
// mixes what has come by 110 + 200 ms, and A does not send what would come after that.
TEST(Simulate, ResendsWaitForTheAccessLink) {
    TwoIslands two = two_islands();
    two.options.outages = {{Outage::What::kLink, 0, 20, 70}};
    const auto run = simulate(two.schedule, two.islands, two.options);
    EXPECT_EQ(run->resends, 2U);
    EXPECT_EQ(run->copies.lost_on_links, 5U);
    EXPECT_EQ(run->copies.stale, 0U);
    EXPECT_EQ(run->contributions.missing, 3U);
    EXPECT_NEAR(run->round_ms[0], 230, 1e-9);
}

TEST(Simulate, DuplicatesAreNeverAddedTwice) {
    TwoIslands two = two_islands();
    two.options.duplication = 0.5;
    two.options.blocks = 1000;
    const auto run = simulate(two.schedule, two.islands, two.options);
    EXPECT_NEAR(static_cast<double>(run->copies.duplicate + run->copies.stale), 10000, 400);
    EXPECT_EQ(run->contributions.merged, 20000U);
    EXPECT_EQ(run->wrong_sums, 0U);
}

TEST(Simulate, AnAggregatorThatFailsPassesAllOrNothing) {
    const Islands islands = shipped_islands("nine-city.json");
    const TimedSchedule schedule = timed_named(islands, "triangles", 0, Pace::kUniform);
    SimulationOptions options;
    options.births = 0;
    options.rounds = 2;
    options.tries = 0;
    options.outages = {{Outage::What::kAggregatorOpen, 0, -1, kForever}};
    // Two streams of 20 Gbit/s into 20 Gbit/s: twice the 400 ms, so the second half comes 400 late.
    options.grace_ms = 1000;
    auto run = simulate(schedule, islands, options);
    EXPECT_EQ(run->contributions.missing, 0U);
    EXPECT_EQ(run->split, 2000U);  // of one receiver, both rounds
    EXPECT_EQ(run->outputs, run->weights + 2000);
    EXPECT_NEAR(run->round_ms[0], 834.0, 1e-6);  // LAX arrives after 31 + 3 ms
    options.outages[0].what = Outage::What::kAggregatorClosed;
    run = simulate(schedule, islands, options);
    EXPECT_EQ(run->contributions.missing, 4000U);
    EXPECT_EQ(run->copies.lost_at_island, 4000U);
    EXPECT_EQ(run->split, 0U);
}

// A never hears B: with half of the weight renormalised or kept A stays as it is, so that after
// many rounds B has what A has, and an update of A counts twice its share, one of B nothing.
TEST(Simulate, ALossForGoodBiasesTheMean) {
    TwoIslands two = two_islands();
    two.options.rounds = 60;
    two.options.births = 400;
    two.options.tries = 0;
    two.options.outages = {{Outage::What::kLink, 1, -1, kForever}};
    for (const Missing missing : {Missing::kRenormalise, Missing::kOwn}) {
        two.options.missing = missing;
        const auto run = simulate(two.schedule, two.islands, two.options);
        EXPECT_NEAR(run->bias, 1, 0.06);
        EXPECT_EQ(run->contributions.missing, 600U);
    }
}

// Three islands, weights 1/3; A never gets what C sends. Renormalised, A takes half of itself and
// half of B: what counts in the end are (2, 2, 1) / 5, the left eigenvector of the rows. With the
// own in its place A takes two thirds of itself: (3, 2, 1) / 6.
TEST(Simulate, MissingWeightGoesToAllOrToTheOwn) {
    core::Random random(5);
    Islands islands = detail::ring_islands(3, random);
    for (topology::Link& link : islands.network.links) {
        link.latency_ms = 10;
        link.cost = latency_cost(10);
    }
    TimedSchedule schedule;
    schedule.memory_gb.assign(3, 1);
    schedule.timeout_ms = 10;
    schedule.rounds = {{110, {detail::clique_of(islands, 7, 100, {0, 0, 0})}}};
    ASSERT_EQ(islands.network.links[4].from, 2U);
    ASSERT_EQ(islands.network.links[4].to, 0U);
    SimulationOptions options;
    options.rounds = 200;
    options.blocks = 10;
    options.births = 3000;
    options.tries = 0;
    options.outages = {{Outage::What::kLink, 4, -1, kForever}};
    const auto renormalised = simulate(schedule, islands, options);
    EXPECT_EQ(renormalised->contributions.missing, 2000U);
    EXPECT_LT(renormalised->worst_row_error, 1e-12);
    EXPECT_NEAR(renormalised->bias, (0.2 + 0.2 + 0.4) / 3, 0.02 * 0.27);
    options.missing = Missing::kOwn;
    const auto kept = simulate(schedule, islands, options);
    EXPECT_EQ(kept->contributions.missing, 2000U);
    EXPECT_LT(kept->worst_row_error, 1e-12);
    EXPECT_NEAR(kept->bias, (0.5 + 0 + 0.5) / 3, 0.02 * 0.34);
}

TEST(Simulate, IslandsJoinAndLeaveBetweenRounds) {
    const Islands islands = shipped_islands("nine-city.json");
    const TimedSchedule schedule = timed_named(islands, "triangles", 0, Pace::kUniform);
    SimulationOptions options;
    options.rounds = 20;
    options.blocks = 100;
    options.births = 800;
    const auto whole = simulate(schedule, islands, options);
    EXPECT_EQ(whole->contributions.planned, 20U * 100 * 18);
    options.changes = {{5, 0, false}, {10, 0, true}};
    const auto run = simulate(schedule, islands, options);
    // Away in five rounds: 2 contributions to it and 2 of it less; in round 10 it only listens.
    EXPECT_EQ(run->contributions.planned, whole->contributions.planned - 5U * 400 - 200);
    EXPECT_EQ(run->contributions.missing, 0U);
    EXPECT_EQ(run->unsettled, 0);
    EXPECT_LT(run->worst_row_error, 1e-12);
    // Those that stayed go on to agree in the same time, or nearly.
    EXPECT_NEAR(run->score_ms, whole->score_ms, 0.15 * whole->score_ms);
}

TEST(Simulate, AnIslandThatFailsInARoundDelaysNobodyBeyondTheGrace) {
    const Islands islands = shipped_islands("nine-city.json");
    TimedSchedule schedule = timed_named(islands, "triangles", 0, Pace::kUniform);
    schedule.timeout_ms = 50;
    SimulationOptions options;
    options.rounds = 20;
    options.blocks = 200;
    options.births = 800;
    options.tries = 0;
    const double fails = 7.3 * schedule.rounds[0].length_ms;
    options.outages = {{Outage::What::kIsland, 3, fails, kForever}};
    const auto run = simulate(schedule, islands, options);
    EXPECT_GT(run->evictions[static_cast<std::size_t>(Eviction::kTimeout)] +
                  run->evictions[static_cast<std::size_t>(Eviction::kConflict)],
              100U);
    EXPECT_GT(run->contributions.absent, 12U * 2 * 200);
    EXPECT_EQ(run->contributions.merged + run->contributions.absent + run->contributions.missing,
              run->contributions.planned);
    EXPECT_EQ(run->unsettled, 0);
    EXPECT_TRUE(std::isfinite(run->score_ms));
    for (const double round : run->round_ms) {
        EXPECT_LE(round, schedule.rounds[0].length_ms + options.grace_ms);
    }
}

TEST(Simulate, ReportsOptionsThatMakeNoSense) {
    const TwoIslands two = two_islands();
    SimulationOptions options;
    options.rounds = 0;
    options.loss = 1;
    options.grace_ms = std::nan("");
    options.outages = {{Outage::What::kIsland, 2, 0, 1}, {Outage::What::kLink, 1, 5, 1}};
    options.changes = {{0, 7, true}, {0, 1, false}, {3, 1, false}};
    const auto run = simulate(two.schedule, two.islands, options);
    ASSERT_FALSE(run);
    std::string text;
    for (const core::Diagnostic& problem : run.error()) {
        text += core::to_string(problem) + "\n";
    }
    for (const char* part : {"rounds: 0; 1 to",
                             "loss: 1; 0 to 0.999",
                             "grace_ms: nan",
                             "outages[0]: island 2; 0 to 1",
                             "outages[1]: from 5 to 1 ms",
                             "changes[0]: island 7; 0 to 1",
                             "changes[2]: B leaves twice"}) {
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    }
    options = {};
    options.blocks = 1000000;
    EXPECT_FALSE(simulate(two.schedule, two.islands, options));
}

}  // namespace
}  // namespace longhaul::schedule
