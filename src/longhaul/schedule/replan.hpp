// A schedule that stands, under other conditions: planned anew on its trees, without some islands,
// and the memory that it takes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longhaul/schedule/islands.hpp"
#include "longhaul/schedule/round_times.hpp"
#include "longhaul/schedule/timed.hpp"

namespace longhaul::schedule {

/// The same rounds on the same trees with the same weights; offsets and times of sending anew,
/// under the capabilities of `times` (all but the kind of trees). Pace: uniform or own. Nothing,
/// with a reason, when a clique cannot be aligned. O(cliques (links + k^3)).
[[nodiscard]] std::optional<TimedSchedule> timed_anew(const TimedSchedule& schedule,
                                                      const RoundTimes& times,
                                                      Pace pace,
                                                      std::string* reason = nullptr);

/// What is left of a schedule when some islands are not there: they forward and no more, cliques
/// go on without them, rows of weights are scaled to 1 over those that are left, lengths and
/// offsets stay. At least one island must be left; `absent` is a set of them.
struct Remaining {
    TimedSchedule schedule;
    Islands islands;
};
[[nodiscard]] Remaining remaining_of(const TimedSchedule& schedule,
                                     const Islands& islands,
                                     Clique absent);

/// Memory that the schedule counts on at the aggregator of each island, GB, with its guard: the
/// spread of arrivals, as a part of the time of sending, of the payload; 0 where one stream comes
/// in at most. Senders with rates of their own: so much that element x of each is there before x +
/// m of any other. Streamed rounds: what all rounds under way hold at most (peak_shares). With that
/// memory and no more, RoundTimes finds the same times. O(rounds k^2 links).
[[nodiscard]] std::vector<double> memory_needed_gb(const TimedSchedule& schedule,
                                                   const Islands& islands);

}  // namespace longhaul::schedule
