// Rounds that overlap: element x of a round is sent as soon as x of the round before is mixed.
//
// Source: section A.1 of "Distributed Training using an Intelligent Network"; the program is in
// docs/mathematics/schedule-extensions.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longhaul/schedule/mixing.hpp"
#include "longhaul/schedule/round_times.hpp"

namespace longhaul::schedule {

struct StreamedTimes {
    double interval_ms = 0;  ///< a round starts every interval
    double score_ms = 0;     ///< J: mean time of disagreement, exact
    double area = 0;         ///< A, in rounds
    double core_peak = 0;  ///< fullest link under all rounds in flight, part of its capacity; <= 1
    std::vector<double> memory_peak_gb;  ///< one an island: most that its aggregator holds at once
    TimedSchedule schedule;              ///< pace kStreamed; offsets may be negative
};

/// Interval, offsets and times of sending: a linear program (Clp) gives the least score of evenly
/// spaced snapshots. Of all solutions the one with the least interval, the shortest sending and
/// then the latest offsets is taken, in whole picoseconds; from there the exact score is lowered as
/// long as its slopes lead down. Links and memories are checked exactly under all rounds in flight;
/// where one is too full, streams are put one after the other or sent slower. With flexible trees,
/// each round takes shortest or flexible ones, whichever score less. Nothing, with a reason, when a
/// clique cannot be aligned or the cliques do not join all islands. O(a simplex run over period n^2
/// rows, at most some 90 times).
[[nodiscard]] std::optional<StreamedTimes> stream_schedule(const Schedule& schedule,
                                                           RoundTimes& times,
                                                           const MixingOptions& mixing,
                                                           std::string* reason = nullptr);

}  // namespace longhaul::schedule
