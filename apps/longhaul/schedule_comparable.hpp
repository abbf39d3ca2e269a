// Which computed score a simulated one can be compared with, when islands are away.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longhaul/schedule/simulate.hpp"

namespace longhaul::app {

/// Islands that are not there, all the time or for a part of the run.
struct Away {
    schedule::Clique throughout = 0;  ///< the run is one of the others
    schedule::Clique partly = 0;      ///< they left, joined or were down while it went on
    std::string why;                  ///< of `partly`: "SIN leaves in round 10"; empty: nobody
};

/// From changes and outages of islands; `end_ms`: of the run as planned.
[[nodiscard]] Away islands_away(const schedule::SimulationOptions& options,
                                const schedule::Islands& islands,
                                double end_ms);

/// Computed scores beside a simulated one.
struct Computed {
    std::optional<double> score_ms;      ///< of the islands that are not away throughout
    std::string uncomputed;              ///< why there is none
    std::string without;                 ///< names of those who are away throughout, with commas
    std::string not_comparable;          ///< why the two scores are of different things; empty: not
    std::string without_partly;          ///< names of all who are ever away
    std::optional<double> remaining_ms;  ///< score of those who never are, when some are partly
};

[[nodiscard]] Computed computed_scores(const schedule::TimedSchedule& timed,
                                       const schedule::Islands& islands,
                                       const schedule::SimulationOptions& options);

/// A guard that bears the jitter of a run: three standard deviations of the difference between two
/// arrivals over the noisiest paths of the schedule, ms; 0 where no more than one stream comes in
/// or nothing jitters.
[[nodiscard]] double guard_for_jitter(const schedule::TimedSchedule& timed,
                                      const schedule::Islands& islands,
                                      std::optional<double> jitter_ms);

}  // namespace longhaul::app
