#include "longhaul/schedule/detail/timed_stream.hpp"

#include <algorithm>

#include "longhaul/schedule/capabilities.hpp"
#include "longhaul/schedule/detail/stream_model.hpp"
#include "longhaul/schedule/round_times.hpp"

namespace longhaul::schedule::detail {
namespace {

/// The schedule with cliques in the order of schedule().
TimedSchedule in_order(TimedSchedule schedule) {
    for (TimedRound& round : schedule.rounds) {
        std::ranges::sort(round.cliques, {}, [](const TimedClique& clique) {
            return members_of(clique.members).front();
        });
    }
    return schedule;
}

struct TimedStream {
    StreamModel model;
    StreamPoint point;
};

TimedStream timed_stream(const TimedSchedule& timed,
                         const Islands& islands,
                         const RowWeights& weights) {
    Capabilities can = capabilities_of(islands);
    can.payload_gb = timed.payload_gb;
    can.memory_gb = timed.memory_gb;
    can.guard_ms = timed.guard_ms;
    const RoundTimes times(islands, can);
    const TimedSchedule sorted = in_order(timed);
    TimedStream stream{stream_model(sorted.schedule(), times, weights, sorted.rounds), {}};
    StreamPoint& point = stream.point;
    point.interval_ms = sorted.rounds.front().length_ms;
    for (const TimedRound& round : sorted.rounds) {
        for (const TimedClique& clique : round.cliques) {
            if (clique_size(clique.members) > 1) {
                point.sending_ms.push_back(clique.sending_ms);
                point.offset_ms.insert(
                    point.offset_ms.end(), clique.offset_ms.begin(), clique.offset_ms.end());
            }
        }
    }
    evaluate(stream.model, point);
    return stream;
}

}  // namespace

double streamed_score_ms(const TimedSchedule& timed,
                         const Islands& islands,
                         const std::vector<MixingMatrix>& period,
                         const MixingOptions& options) {
    return timed_stream(timed, islands, row_weights(period, options)).point.score_ms;
}

std::vector<double> streamed_memory_gb(const TimedSchedule& timed, const Islands& islands) {
    const std::size_t n = islands.size();
    if (n < 2) {
        return std::vector<double>(n, 0);
    }
    // What a moment weighs in the score has no part in what memories hold.
    RowWeights weights;
    weights.start.assign(n, 0);
    const std::size_t entries = n * timed.rounds.size();
    weights.gap = core::Grid<double>(n, timed.rounds.size(), 0);
    weights.born = core::Grid<double>(n, n, 0);
    weights.spread = core::Grid<double>(entries, entries, 0);
    const TimedStream stream = timed_stream(timed, islands, weights);
    std::vector<double> memory_gb = peak_shares(stream.model, stream.point, n);
    for (double& share : memory_gb) {
        share *= timed.payload_gb;
    }
    return memory_gb;
}

}  // namespace longhaul::schedule::detail
