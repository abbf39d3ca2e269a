// The score of a schedule: how long, on average, islands disagree about an update, in ms.
#pragma once

#include <string>
#include <vector>

#include "longhaul/schedule/mixing.hpp"
#include "longhaul/schedule/round_times.hpp"

namespace longhaul::schedule {

struct ScheduleScore {
    bool feasible = false;
    std::string reason;            ///< why not, one sentence
    double score_ms = 0;           ///< infinite when not feasible
    double area = 0;               ///< A, in rounds
    std::vector<double> round_ms;  ///< least time of each round
    Survival mixing;
};

/// Uniform rounds: A times the longest round. Own lengths: the mean over all updates, born evenly
/// in time, of the disagreement integrated over time:
/// sum_k T_k (T_k / 2 + sum_h e_k(h) T_(k+1+h)) / sum_k T_k.
/// Streamed paces have a program of their own (streamed.hpp). O(period h n^3).
[[nodiscard]] ScheduleScore score_schedule(const Schedule& schedule,
                                           RoundTimes& times,
                                           Pace pace,
                                           const MixingOptions& mixing = {});

/// The options with the targets of the islands, unless they state some or all are equal.
[[nodiscard]] MixingOptions with_targets(MixingOptions options, const Islands& islands);

/// The same from times and curves that are known.
[[nodiscard]] double score_of(const std::vector<double>& round_ms,
                              const Survival& mixing,
                              Pace pace,
                              double forgetting = 1);

/// Weights of cliques that average by target, one share an island: target_j over the sum of the
/// clique in every row. No targets: weights stay as they are, equal when empty.
void weigh_by_target(TimedSchedule& timed, const std::vector<double>& target);

/// Offsets, rates and trees of every round, and weights where targets are unequal. The schedule
/// must be feasible.
[[nodiscard]] TimedSchedule timed_schedule(const Schedule& schedule, RoundTimes& times, Pace pace);

}  // namespace longhaul::schedule
