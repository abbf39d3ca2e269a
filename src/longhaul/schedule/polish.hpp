// The last touch: rates of single senders and unequal weights, for a schedule whose cliques stand.
#pragma once

#include "longhaul/schedule/mixing.hpp"
#include "longhaul/schedule/round_times.hpp"
#include "longhaul/schedule/timed.hpp"
#include "longhaul/schedule/weights.hpp"

namespace longhaul::schedule {

/// Senders take the rates that let their clique end first (sender_rates.hpp), each at most what its
/// access and its links leave under equal parts; cliques that gain nothing stay as they are. Never
/// longer. The schedule must come from `times`, its pace not be streamed.
[[nodiscard]] TimedSchedule with_sender_rates(TimedSchedule schedule, const RoundTimes& times);

/// Contributions take the weights of best_weights; equal ones where these gain nothing. For equal
/// targets.
[[nodiscard]] TimedSchedule with_best_weights(TimedSchedule schedule,
                                              int islands,
                                              const WeightOptions& options = {});

}  // namespace longhaul::schedule
