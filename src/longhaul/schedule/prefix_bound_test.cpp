#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>

#include <gtest/gtest.h>

#include "longhaul/core/random.hpp"
#include "longhaul/schedule/detail/bounds.hpp"
#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/fast_mixing.hpp"
#include "longhaul/schedule/detail/prefix_bound.hpp"
#include "longhaul/schedule/optimise.hpp"

namespace longhaul::schedule {
namespace {

using detail::ListedRound;

/// A link for each ordered pair, of any latency and rate: nothing aligns without memory but pairs.
Islands uneven_islands(int n, double memory_gb, std::uint64_t seed) {
    core::Random random(seed, 21);
    Islands drawn;
    drawn.network.nodes = n;
    for (int i = 0; i < n; ++i) {
        Island& island = drawn.islands.emplace_back();
        island.name = "u" + std::to_string(i);
        island.egress_gbps = island.ingress_gbps = 20;
        island.memory_gb = memory_gb;
    }
    for (int a = 0; a < n; ++a) {
        for (int b = 0; b < n; ++b) {
            if (a != b) {
                const double latency = 5 + 195 * random.uniform();
                drawn.network.links.push_back({static_cast<topology::NodeId>(a),
                                               static_cast<topology::NodeId>(b),
                                               2 + 18 * random.uniform(),
                                               latency,
                                               latency_cost(latency),
                                               false});
            }
        }
    }
    drawn.jitter_ms.assign(drawn.network.links.size(), 0);
    return drawn;
}

/// The least score of all schedules of at most `period` rounds of the list.
double least_of_schedules(const std::vector<ListedRound>& rounds,
                          RoundTimes& times,
                          std::size_t period,
                          const MixingOptions& mixing) {
    double least = INFINITY;
    Schedule schedule;
    const std::function<void()> extend = [&] {
        if (!schedule.rounds.empty()) {
            least =
                std::min(least, score_schedule(schedule, times, Pace::kUniform, mixing).score_ms);
        }
        for (std::size_t r = 0; r < rounds.size() && schedule.rounds.size() < period; ++r) {
            schedule.rounds.push_back(rounds[r].round);
            extend();
            schedule.rounds.pop_back();
        }
    };
    extend();
    return least;
}

std::vector<ListedRound> listed(RoundTimes& times, int n, const detail::SetErrors& errors) {
    auto rounds = detail::list_rounds(times, n, errors, 10'000).value();
    detail::prepare_for_bounds(rounds, n, Pace::kUniform);
    return rounds;
}

double bound_of(const std::vector<ListedRound>& rounds,
                const detail::SetErrors& errors,
                int n,
                const MixingOptions& mixing,
                double above,
                double work) {
    return detail::PrefixBound(rounds, errors, n, mixing, above).prove(0, above, work, {});
}

// Every schedule of one to three rounds is the twin; longer ones only score less.
TEST(PrefixBound, NoScheduleOfUpToThreeRoundsIsBelow) {
    for (const auto& [n, memory, seed] : {std::tuple(3, 0.0, 1U),
                                          std::tuple(3, 1.0, 2U),
                                          std::tuple(4, 0.0, 3U),
                                          std::tuple(4, 0.02, 4U),
                                          std::tuple(4, 1.0, 5U)}) {
        for (const double forgetting : {1.0, 0.8}) {
            const Islands islands = uneven_islands(n, memory, seed);
            const Capabilities can = capabilities_of(islands);
            RoundTimes times(islands, can);
            MixingOptions mixing;
            mixing.forgetting = forgetting;
            const detail::SetErrors errors(n, mixing);
            const auto rounds = listed(times, n, errors);
            const double least = least_of_schedules(rounds, times, 3, mixing);
            double before = 0;
            for (const double work : {1e2, 1e3, 1e5}) {
                const double bound = bound_of(rounds, errors, n, mixing, least, work);
                EXPECT_LE(bound, least * (1 + 1e-9)) << n << " islands, memory " << memory;
                EXPECT_GE(bound, before);  // more work proves no less
                before = bound;
            }
            EXPECT_GE(before, 0.7 * least) << n << " islands, memory " << memory;
            // A score far above says nothing wrong.
            EXPECT_LE(bound_of(rounds, errors, n, mixing, 1.2 * least, 1e4), least * (1 + 1e-9));
        }
    }
}

// With shares that differ.
TEST(PrefixBound, HoldsForTargets) {
    const Islands islands = uneven_islands(4, 0.05, 8);
    const Capabilities can = capabilities_of(islands);
    RoundTimes times(islands, can);
    MixingOptions mixing;
    mixing.target = {0.4, 0.3, 0.2, 0.1};
    const detail::SetErrors errors(4, mixing);
    const auto rounds = listed(times, 4, errors);
    const double least = least_of_schedules(rounds, times, 3, mixing);
    const double bound = bound_of(rounds, errors, 4, mixing, least, 1e5);
    EXPECT_LE(bound, least * (1 + 1e-9));
    EXPECT_GE(bound, 0.8 * least);
}

// Five islands of which only pairs align, so disagreement outlasts two rounds.
TEST(PrefixBound, ClosesWhatPairsLeaveOpen) {
    for (const std::uint64_t seed : {1U, 2U}) {
        const Islands islands = uneven_islands(5, 0, seed);
        const Capabilities can = capabilities_of(islands);
        RoundTimes times(islands, can);
        OptimiseOptions options;
        options.effort = 0.3;
        const Optimised found = optimise_schedule(times, options);
        ASSERT_TRUE(found.schedule) << found.reason;
        EXPECT_LE(found.gap(), 0.1) << found.bound_method;
        const detail::SetErrors errors(5, {});
        const auto pairs = detail::least_pairs(
            listed(times, 5, errors), errors, 1, found.score.score_ms, 1, 1'000'000);
        EXPECT_GE(found.bound_ms, 1.1 * pairs.least);
    }
}

/// Two groups of islands near to each other; one link between the groups is fast, others are slow.
Islands grouped_islands(int n, std::uint64_t seed) {
    core::Random random(seed, 22);
    Islands drawn = uneven_islands(n, 0, seed);
    for (auto& link : drawn.network.links) {
        const auto a = static_cast<int>(link.from);
        const auto b = static_cast<int>(link.to);
        const bool bridge = std::min(a, b) == 0 && std::max(a, b) == 1;
        const bool near = a % 2 == b % 2 || bridge;
        link.latency_ms = (near ? 10 : 300) * (1 + random.uniform());
        link.cost = latency_cost(link.latency_ms);
        link.gbps = 20;
    }
    return drawn;
}

// Disagreement between the groups lasts for many rounds: floors of long products matter.
TEST(PrefixBound, HoldsWhereOneExchangeJoinsGroups) {
    for (const auto& [n, seed] : {std::tuple(6, 1U), std::tuple(7, 2U)}) {
        const Islands islands = grouped_islands(n, seed);
        const Capabilities can = capabilities_of(islands);
        RoundTimes times(islands, can);
        OptimiseOptions options;
        options.effort = 0.2;
        const Optimised found = optimise_schedule(times, options);
        ASSERT_TRUE(found.schedule) << found.reason;
        const double best = found.score.score_ms;
        const detail::SetErrors errors(n, {});
        const double bound = bound_of(listed(times, n, errors), errors, n, {}, 1.1 * best, 4e5);
        EXPECT_LE(bound, best * (1 + 1e-9)) << n;
        EXPECT_GE(bound, 0.8 * best) << n;
    }
}

}  // namespace
}  // namespace longhaul::schedule
