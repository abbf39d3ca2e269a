// The score of a schedule as it stands: its lengths, offsets and weights, not the best ones.
#pragma once

#include <optional>
#include <string>

#include "longhaul/schedule/islands.hpp"
#include "longhaul/schedule/mixing.hpp"
#include "longhaul/schedule/timed.hpp"

namespace longhaul::schedule {

/// n x n, receiver x sender: what a round does. Weights that a clique leaves empty are equal ones.
[[nodiscard]] MixingMatrix mixing_matrix(const TimedRound& round, int islands);

/// What the event simulation must find without noise and failures: the formulas of score_schedule
/// with the lengths of the rounds and their weights; of streamed rounds, the score at their
/// interval, times of sending and offsets (streamed.hpp). Nothing, with a reason, when updates
/// never spread to all islands, when weights do not keep the mean of the targets, or when streamed
/// senders have rates of their own. The schedule must fit the islands, as read_schedule checks.
/// O(period h n^3).
[[nodiscard]] std::optional<double> computed_score(const TimedSchedule& schedule,
                                                   const Islands& islands,
                                                   std::string* reason = nullptr);

}  // namespace longhaul::schedule
