#include "longhaul/schedule/streamed.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "longhaul/core/random.hpp"
#include "longhaul/schedule/detail/stream_fit.hpp"
#include "longhaul/schedule/detail/test_support.hpp"
#include "longhaul/schedule/simulate.hpp"

namespace longhaul::schedule {
namespace {

StreamedTimes stream_named(const char* name, double memory_gb, Trees trees = Trees::kShortest) {
    const Islands islands = detail::shipped_islands("nine-city.json");
    Capabilities can = capabilities_of(islands);
    can.memory_gb.assign(islands.size(), memory_gb);
    can.trees = trees;
    RoundTimes times(islands, can);
    std::string reason;
    auto found = stream_schedule(islands.schedule(name)->schedule, times, {}, &reason);
    EXPECT_TRUE(found) << reason;
    return found ? std::move(*found) : StreamedTimes{};
}

/// The fullest link by plain sampling of one period, each moment just after a stream starts.
double sampled_peak(const StreamedTimes& streamed, const Islands& islands) {
    struct Stay {
        std::uint32_t link;
        double start;
        double length;
    };
    std::vector<Stay> stays;
    const auto& rounds = streamed.schedule.rounds;
    const double period = streamed.interval_ms * static_cast<double>(rounds.size());
    for (std::size_t k = 0; k < rounds.size(); ++k) {
        for (const TimedClique& clique : rounds[k].cliques) {
            for (std::size_t i = 0; i < clique.trees.size(); ++i) {
                const auto members = members_of(clique.members);
                std::vector<double> reached(static_cast<std::size_t>(islands.network.nodes), 1e300);
                reached[static_cast<std::size_t>(members[i])] =
                    static_cast<double>(k) * streamed.interval_ms + clique.offset_ms[i];
                for (const std::uint32_t link : clique.trees[i].links) {
                    const auto& wire = islands.network.links[link];
                    stays.push_back({link, reached[wire.from], clique.sending_ms});
                    reached[wire.to] = reached[wire.from] + wire.latency_ms;
                }
            }
        }
    }
    double peak = 0;
    for (const Stay& at : stays) {
        double load = 0;
        for (const Stay& stay : stays) {
            const double since = std::fmod(at.start + 1e-5 - stay.start + 50 * period, period);
            if (stay.link == at.link && since < stay.length) {
                load += 8000 / stay.length / islands.network.links[at.link].gbps;
            }
        }
        peak = std::max(peak, load);
    }
    return peak;
}

// Section 3 of the background page.
TEST(Streamed, KnownAnswersOfNineCities) {
    const Islands islands = detail::shipped_islands("nine-city.json");
    struct Answer {
        const char* name;
        double memory_gb;
        double interval_ms;
        double score_ms;
    };
    for (const Answer& known : {Answer{"triangles", 0, 477.0, 644.06},
                                {"triangles", 0.05, 450.3, 616.6},
                                {"triangles", 0.2, 413.3, 590.1},
                                {"triangles", 32, 400, 578.9},
                                {"all_to_all", 0.2, 560, 378.4},
                                {"all_to_all", 32, 560, 373.07}}) {
        const StreamedTimes found = stream_named(known.name, known.memory_gb);
        EXPECT_NEAR(found.interval_ms, known.interval_ms, 0.06) << known.name << known.memory_gb;
        EXPECT_NEAR(found.score_ms, known.score_ms, 0.3) << known.name << known.memory_gb;
        EXPECT_LE(found.core_peak, 1 + 1e-6);
        EXPECT_NEAR(found.core_peak, sampled_peak(found, islands), 1e-6);
        EXPECT_LE(*std::ranges::max_element(found.memory_peak_gb), known.memory_gb + 1e-6);
    }
}

TEST(Streamed, CongestionAwareTreesOfAllToAll) {
    const StreamedTimes found = stream_named("all_to_all", 32, Trees::kFlexible);
    EXPECT_NEAR(found.interval_ms, 400, 1e-6);
    EXPECT_LE(found.score_ms, 293.1);
    EXPECT_LE(found.core_peak, 1 + 1e-6);
}

/// A and C behind M, B and D behind N: 1 ms to each; M - N is 10 ms long and bears one stream.
Islands two_towns() {
    Islands islands;
    islands.name = islands.file = "two towns";
    for (const char* name : {"A", "B", "C", "D"}) {
        Island& island = islands.islands.emplace_back();
        island.name = name;
        island.egress_gbps = island.ingress_gbps = 20;
    }
    islands.transit = {"M", "N"};
    islands.network.nodes = 6;
    const auto join = [&](topology::NodeId a, topology::NodeId b, double latency, double gbps) {
        const int cost = latency_cost(latency);
        islands.network.links.push_back({a, b, gbps, latency, cost, false});
        islands.network.links.push_back({b, a, gbps, latency, cost, false});
    };
    join(0, 4, 1, 100);
    join(2, 4, 1, 100);
    join(1, 5, 1, 100);
    join(3, 5, 1, 100);
    join(4, 5, 10, 20);
    islands.jitter_ms.assign(islands.network.links.size(), 0);
    return islands;
}

// Rounds {A B}, {C D}, {A D}{B C}. Each stream of the first two fills M - N for 400 ms, those of
// the third share it for 800. As links come, the first two rounds run at once and a period takes
// 400 + 800; one after the other on M - N, 400 + 400 + 800. Sharing M - N among all rounds instead
// would make each stream take 1600.
TEST(Streamed, StreamsOfTwoRoundsThatMeetOnALinkArePutApart) {
    const Islands islands = two_towns();
    RoundTimes times(islands, capabilities_of(islands));
    const Schedule schedule{
        {make_round({0b0011}, 4), make_round({0b1100}, 4), make_round({0b1001, 0b0110}, 4)}};
    std::vector<MixingMatrix> matrices;
    for (const Round& round : schedule.rounds) {
        matrices.push_back(mixing_matrix(round, 4));
    }
    const detail::StreamModel model =
        detail::stream_model(schedule, times, detail::row_weights(matrices, {}), {});
    const auto naive = detail::relaxed_score(model);
    ASSERT_TRUE(naive);
    EXPECT_NEAR(naive->interval_ms, 400, 1e-6);
    EXPECT_NEAR(detail::fullest_link(model, *naive).load, 2, 1e-6);

    const auto found = stream_schedule(schedule, times, {});
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->interval_ms, 1600.0 / 3, 1e-6);
    EXPECT_NEAR(found->schedule.rounds[0].cliques[0].sending_ms, 400, 1e-6);
    EXPECT_NEAR(found->core_peak, 1, 1e-6);
    EXPECT_NEAR(sampled_peak(*found, islands), 1, 1e-6);
    EXPECT_GT(found->score_ms, naive->score_ms);
    const auto run = simulate(found->schedule, islands);
    ASSERT_TRUE(run);
    EXPECT_NEAR(run->score_ms, found->score_ms, 0.005 * found->score_ms + run->score_error_ms);
    EXPECT_LE(*std::ranges::max_element(run->link_peak), 1 + 1e-6);
}

TEST(Streamed, WithoutMemoryAllToAllHasAReason) {
    const Islands islands = detail::shipped_islands("nine-city.json");
    Capabilities can = capabilities_of(islands);
    can.memory_gb.assign(islands.size(), 0);
    RoundTimes times(islands, can);
    std::string reason;
    EXPECT_FALSE(stream_schedule(islands.schedule("all_to_all")->schedule, times, {}, &reason));
    EXPECT_NE(reason.find("arrive together"), std::string::npos) << reason;
}

}  // namespace
}  // namespace longhaul::schedule
