// Whether the network can carry what a schedule file states.
#pragma once

#include <string>

#include "longhaul/schedule/islands.hpp"
#include "longhaul/schedule/timed.hpp"

namespace longhaul::schedule {

/// The first thing that does not fit: the rate of a sender above an access link, streams of a round
/// above a link that they share, or, where rounds do not overlap and a clique has one rate,
/// contributions that arrive further apart than the aggregator can hold. Empty when all fits. The
/// schedule must fit the islands, as read_schedule checks. O(rounds streams links).
[[nodiscard]] std::string why_not_carried(const TimedSchedule& schedule, const Islands& islands);

}  // namespace longhaul::schedule
