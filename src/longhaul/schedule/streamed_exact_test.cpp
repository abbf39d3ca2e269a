// The score of streamed schedules against closed forms and the event simulation.
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "longhaul/core/random.hpp"
#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/random_islands.hpp"
#include "longhaul/schedule/detail/stream_fit.hpp"
#include "longhaul/schedule/simulate.hpp"
#include "longhaul/schedule/streamed.hpp"
#include "longhaul/schedule/timed_score.hpp"

namespace longhaul::schedule {
namespace {

using detail::slot;

/// A planar network; every second one has other latencies back than forth, every second pair links
/// of 8 to 100 Gbit/s, every third access links of 10 to 40.
Islands uneven_network(int n, double memory_gb, std::uint64_t seed, core::Random& random) {
    Islands islands = detail::planar_islands(n, memory_gb, seed);
    const bool asymmetric = random.below(2) == 1;
    const bool slow = random.below(2) == 1;
    for (topology::Link& link : islands.network.links) {
        link.latency_ms *= asymmetric ? 0.8 + 0.4 * random.uniform() : 1;
        link.gbps = slow ? std::array{8.0, 12.0, 20.0, 40.0, 100.0}[random.below(5)] : link.gbps;
    }
    if (random.below(3) == 0) {
        for (Island& island : islands.islands) {
            island.egress_gbps = std::array{10.0, 20.0, 40.0}[random.below(3)];
            island.ingress_gbps = island.egress_gbps;
        }
    }
    return islands;
}

Schedule drawn_rounds(int n, std::size_t period, core::Random& random) {
    Schedule schedule;
    for (std::size_t k = 0; k < period; ++k) {
        std::vector<Clique> cliques(slot(n), 0);
        const std::uint32_t most = 1 + random.below(static_cast<std::uint32_t>(n));
        for (int i = 0; i < n; ++i) {
            cliques[random.below(most)] |= Clique{1} << i;
        }
        schedule.rounds.push_back(make_round(std::move(cliques), n));
    }
    return schedule;
}

// What is computed is what happens: 32 networks of 3 to 9 islands, 1 to 3 rounds, without, with
// little and with much memory.
TEST(StreamedScore, IsWhatTheEventSimulationMeasures) {
    int runs = 0;
    for (std::uint64_t seed = 0; seed < 32; ++seed) {
        core::Random random(seed, 77);
        const int n = 3 + static_cast<int>(random.below(7));
        const double memory_gb = std::array{0.0, 0.05, 0.3, 32.0}[random.below(4)];
        const Islands islands = uneven_network(n, memory_gb, seed + 100, random);
        RoundTimes times(islands, capabilities_of(islands));
        const std::size_t period = 1 + random.below(3);
        std::optional<StreamedTimes> streamed;
        for (int draw = 0; draw < 200 && !streamed; ++draw) {
            streamed = stream_schedule(drawn_rounds(n, period, random), times, {});
        }
        if (!streamed) {
            continue;  // many islands without memory in one round
        }
        EXPECT_NEAR(computed_score(streamed->schedule, islands).value_or(0),
                    streamed->score_ms,
                    1e-6 * streamed->score_ms);
        SimulationOptions options;
        options.blocks = 50;
        options.births = 6000;
        options.grace_ms = 2000;
        const auto run = simulate(streamed->schedule, islands, options);
        ASSERT_TRUE(run);
        const double error = 0.005 * streamed->score_ms + run->score_error_ms;
        EXPECT_NEAR(run->score_ms, streamed->score_ms, error) << "seed " << seed;
        EXPECT_EQ(run->contributions.missing, 0U) << "seed " << seed;
        ++runs;
    }
    EXPECT_GE(runs, 30);
}

// Two islands d apart, two rounds of both, the second u late and its sending longer by e. Element x
// of the second is u + x e late, so a snapshot comes I + u + x e and I - u - x e after the one
// before: updates wait I / 2 + (u^2 + u e + e^2 / 3) / 2 I, and d on the way.
TEST(StreamedScore, OfTwoIslandsInClosedForm) {
    const Islands islands = detail::planar_islands(2, 0, 3);
    const RoundTimes times(islands, capabilities_of(islands));
    const double d = times.latency_ms()(0, 1);
    for (const auto& [u, e] : {std::pair{0.0, 0.0}, {60.0, 0.0}, {0.0, 90.0}, {-40.0, 70.0}}) {
        TimedSchedule timed;
        timed.pace = Pace::kStreamed;
        timed.memory_gb = {0, 0};
        for (const bool second : {false, true}) {
            TimedClique& clique = timed.rounds.emplace_back().cliques.emplace_back();
            timed.rounds.back().length_ms = 700;
            clique.members = 3;
            clique.sending_ms = second ? 400 + e : 400;
            clique.offset_ms = {second ? u : 0, second ? u : 0};
            clique.trees = {{{0}}, {{1}}};  // the links there and back
        }
        const double wait = 350 + (u * u + u * e + e * e / 3) / 1400;
        EXPECT_NEAR(computed_score(timed, islands).value_or(0), wait + d, 1e-9) << u << " " << e;
    }
}

// The slopes that lead the descent, against differences of the score.
TEST(StreamedScore, SlopesAreThoseOfTheScore) {
    core::Random random(4, 1);
    const Islands islands = uneven_network(5, 0.3, 8, random);
    RoundTimes times(islands, capabilities_of(islands));
    const Schedule schedule{{make_round({7, 24}, 5), make_round({9, 6}, 5), make_round({31}, 5)}};
    std::vector<MixingMatrix> matrices;
    for (const Round& round : schedule.rounds) {
        matrices.push_back(mixing_matrix(round, 5));
    }
    const detail::StreamModel model =
        detail::stream_model(schedule, times, detail::row_weights(matrices, {}), {});
    auto point = detail::relaxed_score(model);
    ASSERT_TRUE(point);
    for (double& offset : point->offset_ms) {
        offset += 20 * random.uniform();
    }
    for (double& sending : point->sending_ms) {
        sending += 50 * random.uniform();
    }
    detail::evaluate(model, *point);
    const detail::ScoreSlopes slopes = detail::score_slopes(model, *point);
    // `change` moves what one slope belongs to by a number of ms.
    const auto expect = [&](double slope, const auto& change) {
        detail::StreamPoint more = *point;
        detail::StreamPoint less = *point;
        change(more, 0.01);
        change(less, -0.01);
        const double rise = detail::exact_score(model, more) - detail::exact_score(model, less);
        EXPECT_NEAR(slope, rise / 0.02, 1e-6);
    };
    using Point = detail::StreamPoint;
    expect(slopes.interval, [](Point& p, double by) { p.interval_ms += by; });
    for (std::size_t c = 0; c < point->sending_ms.size(); ++c) {
        expect(slopes.sending[c], [&](Point& p, double by) { p.sending_ms[c] += by; });
    }
    for (std::size_t q = 0; q < point->offset_ms.size(); ++q) {
        expect(slopes.offset[q], [&](Point& p, double by) { p.offset_ms[q] += by; });
        expect(slopes.mixed[q], [&](Point& p, double by) { p.mixed_ms[q] += by; });
    }
}

// The closed form above, u = 200 and e = 0. An island makes 25 updates in each of 30 rounds; were
// they spread by one sequence over all rounds, those of every second round would fall into the same
// parts of it, and the mean miss by up to a standard error.
TEST(StreamedScore, UpdatesAreEvenInEachRoundOfThePeriod) {
    Islands islands = detail::planar_islands(2, 0, 3);
    const double d = 20;
    for (topology::Link& link : islands.network.links) {
        link.latency_ms = d;
    }
    TimedSchedule timed;
    timed.pace = Pace::kStreamed;
    timed.memory_gb = {0, 0};
    for (const double late : {0.0, 200.0}) {
        TimedClique& clique = timed.rounds.emplace_back().cliques.emplace_back();
        timed.rounds.back().length_ms = 700;
        clique.members = 3;
        clique.sending_ms = 400;
        clique.time_ms = 400 + d + late;
        clique.offset_ms = {late, late};
        clique.trees = {{{0}}, {{1}}};
    }
    const double score = 350 + 200.0 * 200 / 1400 + d;
    SimulationOptions options;
    options.rounds = 30;
    options.births = 1500;
    options.blocks = 400;
    for (options.seed = 1; options.seed <= 12; ++options.seed) {
        const auto run = simulate(timed, islands, options);
        ASSERT_TRUE(run);
        EXPECT_EQ(run->births, 1500);
        EXPECT_NEAR(run->score_ms, score, 0.35 * run->score_error_ms) << options.seed;
    }
}

}  // namespace
}  // namespace longhaul::schedule
