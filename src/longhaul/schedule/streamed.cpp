#include "longhaul/schedule/streamed.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "longhaul/core/assert.hpp"
#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/stream_fit.hpp"
#include "longhaul/schedule/detail/stream_trees.hpp"
#include "longhaul/schedule/score.hpp"

namespace longhaul::schedule {

using detail::slot;
using detail::StreamModel;
using detail::StreamPoint;

namespace {

void explain(std::string* reason, std::string text) {
    if (reason != nullptr) {
        *reason = std::move(text);
    }
}

/// A schedule that runs at a point.
TimedSchedule timed_of(const Schedule& schedule,
                       const RoundTimes& times,
                       const StreamModel& model,
                       const StreamPoint& point) {
    TimedSchedule timed;
    timed.network_name = times.islands().name;
    timed.pace = Pace::kStreamed;
    timed.payload_gb = times.capabilities().payload_gb;
    timed.guard_ms = times.capabilities().guard_ms;
    timed.memory_gb = times.capabilities().memory_gb;
    std::size_t next = 0;
    for (std::size_t k = 0; k < schedule.period(); ++k) {
        TimedRound& round = timed.rounds.emplace_back();
        round.length_ms = point.interval_ms;
        for (const Clique members : schedule.rounds[k].cliques) {
            TimedClique& clique = round.cliques.emplace_back();
            clique.members = members;
            if (clique_size(members) < 2) {
                clique.offset_ms = {0};
                continue;
            }
            const detail::StreamClique& from = model.cliques[next];
            clique.sending_ms = point.sending_ms[next];
            clique.trees = from.trees;
            for (std::size_t i = 0; i < from.share.size(); ++i) {
                const std::size_t post = from.first_post + i;
                clique.offset_ms.push_back(point.offset_ms[post]);
                clique.time_ms = std::max(clique.time_ms, point.last_ms[post] + clique.sending_ms);
            }
            ++next;
        }
    }
    return timed;
}

/// Moments count from the first sending of the first round that sends.
void start_at_zero(const StreamModel& model, StreamPoint& point) {
    double first = detail::kNever;
    for (std::size_t q = 0; q < model.posts.size(); ++q) {
        if (model.clique_of(model.posts[q]).round == model.cliques.front().round) {
            first = std::min(first, point.offset_ms[q]);
        }
    }
    for (double& offset : point.offset_ms) {
        offset = std::round((offset - first) * 1e9) / 1e9;
    }
    evaluate(model, point);
}

}  // namespace

std::optional<StreamedTimes> stream_schedule(const Schedule& schedule,
                                             RoundTimes& times,
                                             const MixingOptions& mixing,
                                             std::string* reason) {
    LONGHAUL_ASSERT(!schedule.rounds.empty());
    const MixingOptions options = with_targets(mixing, times.islands());
    const std::size_t islands = times.islands().size();
    std::vector<MixingMatrix> matrices;
    for (const Round& round : schedule.rounds) {
        matrices.push_back(mixing_matrix(round, static_cast<int>(islands), options.target));
    }
    const detail::RowWeights weights = detail::row_weights(matrices, options);
    if (!weights.mixes || islands < 2) {
        explain(reason,
                "the cliques of all rounds together do not join all islands: an update would never "
                "reach some of them");
        return std::nullopt;
    }
    const StreamModel model = detail::stream_model(
        schedule, times, weights, detail::choose_trees(schedule, times, weights));
    std::optional<StreamPoint> point = detail::fit(model, true);
    if (!point) {
        for (std::size_t k = 0; k < schedule.period(); ++k) {
            if (!times.timed(schedule.rounds[k])) {
                explain(reason,
                        fmt::format("round {}: {}", k + 1, times.reason(schedule.rounds[k])));
                return std::nullopt;
            }
        }
        explain(reason, "no offsets keep its rounds apart on links and within memories");
        return std::nullopt;
    }
    start_at_zero(model, *point);
    StreamedTimes streamed;
    streamed.interval_ms = point->interval_ms;
    streamed.score_ms = point->score_ms;
    streamed.area = weights.area;
    streamed.core_peak = detail::fullest_link(model, *point).load;
    streamed.memory_peak_gb = detail::peak_shares(model, *point, islands);
    for (double& held : streamed.memory_peak_gb) {
        held *= times.capabilities().payload_gb;
    }
    streamed.schedule = timed_of(schedule, times, model, *point);
    weigh_by_target(streamed.schedule, options.target);
    return streamed;
}

}  // namespace longhaul::schedule
