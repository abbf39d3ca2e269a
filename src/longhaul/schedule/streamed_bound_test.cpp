// Bounds of streamed schedules against all pairs of rounds of small networks.
#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "longhaul/core/random.hpp"
#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/random_islands.hpp"
#include "longhaul/schedule/detail/stream_bounds.hpp"
#include "longhaul/schedule/detail/stream_program.hpp"
#include "longhaul/schedule/streamed_search.hpp"

namespace longhaul::schedule {
namespace {

using detail::kNever;
using detail::slot;

/// Scores of points of a model: the program's, and those that random slopes favour, with their
/// middles. All keep the rows, so a schedule could run like this.
std::vector<double> sampled_scores(const detail::StreamModel& model, core::Random& random) {
    const detail::StreamProgram program(model);
    auto point = program.solve();
    std::vector<double> scores;
    for (int draw = 0; point && draw < 12; ++draw) {
        scores.push_back(point->score_ms);
        detail::ScoreSlopes slopes = detail::score_slopes(model, *point);
        for (std::vector<double>* list : {&slopes.offset, &slopes.mixed}) {
            for (double& slope : *list) {
                slope += draw % 3 == 0 ? 0 : 0.3 * (random.uniform() - 0.5);
            }
        }
        const auto to = program.solve(slopes, *point);
        if (!to) {
            break;
        }
        scores.push_back(to->score_ms);
        point->interval_ms = (point->interval_ms + to->interval_ms) / 2;
        for (std::size_t c = 0; c < point->sending_ms.size(); ++c) {
            point->sending_ms[c] = (point->sending_ms[c] + to->sending_ms[c]) / 2;
        }
        for (std::size_t q = 0; q < point->offset_ms.size(); ++q) {
            point->offset_ms[q] = (point->offset_ms[q] + to->offset_ms[q]) / 2;
        }
        detail::evaluate(model, *point);
    }
    return scores;
}

// 12 networks of three and four islands with slow and asymmetric links: every pair of rounds, the
// same twice included, at the times that the search would take and at many others. None scores less
// than the bound of its rounds, that of its program, or that of the search; the search finds the
// best of one round and of two.
TEST(StreamedBound, HoldsForEveryPairOfRoundsOfSmallNetworks) {
    int closed = 0;
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        core::Random random(seed, 12);
        const int n = 3 + static_cast<int>(seed % 2);
        Islands islands =
            detail::planar_islands(n, std::array{0.0, 0.05, 0.3, 32.0}[seed / 2 % 4], seed + 40);
        for (topology::Link& link : islands.network.links) {
            link.latency_ms *= 0.7 + 0.6 * random.uniform();
            link.gbps = std::array{15.0, 30.0, 60.0, 100.0}[random.below(4)];
        }
        RoundTimes times(islands, capabilities_of(islands));
        StreamedSearch search;
        search.moves = 0;
        const auto found = best_streamed(times, {}, search);
        ASSERT_TRUE(found);
        detail::StreamBounds bounds(times, 1);
        const auto rounds = bounds.rounds();
        double best = kNever;
        double least = kNever;
        for (std::size_t a = 0; a < rounds.size(); ++a) {
            for (std::size_t b = a; b < rounds.size(); ++b) {
                const Schedule pair{{rounds[a].round, rounds[b].round}};
                std::vector<MixingMatrix> matrices;
                for (const Round& round : pair.rounds) {
                    matrices.push_back(mixing_matrix(round, n));
                }
                const detail::RowWeights weights = detail::row_weights(matrices, {});
                if (!weights.mixes) {
                    continue;
                }
                const Schedule once{{rounds[a].round}};
                const auto streamed = stream_schedule(a == b ? once : pair, times, {});
                best = std::min(best, streamed ? streamed->score_ms : kNever);
                const detail::StreamModel model = detail::stream_model(pair, times, weights, {});
                std::vector<double> scores = sampled_scores(model, random);
                ASSERT_FALSE(scores.empty());
                const double lowest = std::ranges::min(scores);
                least = std::min(least, lowest);
                const double most = std::ranges::max(scores);
                double at = 0;
                EXPECT_LE(detail::StreamProgram(model).bound(0, 2 * most, at), lowest + 1e-6);
                EXPECT_LE(bounds.pair(rounds[a], rounds[b], most), lowest + 1e-6);
            }
        }
        EXPECT_LE(found->bound_ms, std::min(best, least) + 1e-6) << "seed " << seed;
        EXPECT_LE(found->best.score_ms, best * (1 + 1e-6)) << "seed " << seed;
        closed += found->bound_ms > 0.999 * found->best.score_ms ? 1 : 0;
    }
    EXPECT_GE(closed, 3);
}

}  // namespace
}  // namespace longhaul::schedule
