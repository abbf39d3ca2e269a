// A streamed schedule that stands, as a point of the streamed program.
#pragma once

#include <vector>

#include "longhaul/schedule/islands.hpp"
#include "longhaul/schedule/mixing.hpp"
#include "longhaul/schedule/timed.hpp"

namespace longhaul::schedule::detail {

/// Its score with these mixing matrices, one a round, ms.
[[nodiscard]] double streamed_score_ms(const TimedSchedule& timed,
                                       const Islands& islands,
                                       const std::vector<MixingMatrix>& period,
                                       const MixingOptions& options);

/// Most that the aggregator of each island holds at once, GB.
[[nodiscard]] std::vector<double> streamed_memory_gb(const TimedSchedule& timed,
                                                     const Islands& islands);

}  // namespace longhaul::schedule::detail
