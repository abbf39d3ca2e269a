// Rounds that overlap: element x of a round is sent as soon as x of the round before is mixed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longhaul/schedule/mixing.hpp"
#include "longhaul/schedule/round_times.hpp"

namespace longhaul::schedule {

struct StreamedTimes {
    double interval_ms = 0;  ///< a round starts every interval
    double score_ms = 0;     ///< J: mean time of disagreement, phases weighed equally
    double core_peak = 0;    ///< fullest link under all rounds in flight, at most 1
    TimedSchedule schedule;  ///< pace kStreamed; offsets may be negative
};

/// Interval and offsets with the least score, one linear program (Clp; its vertex is made unique by
/// sending as late as the score allows). Nothing, with a reason, when a clique cannot be aligned.
/// The serialisation time of each round is raised until no link is overloaded by two rounds at
/// once.
[[nodiscard]] std::optional<StreamedTimes> stream_schedule(const Schedule& schedule,
                                                           RoundTimes& times,
                                                           const MixingOptions& mixing,
                                                           std::string* reason = nullptr);

}  // namespace longhaul::schedule
