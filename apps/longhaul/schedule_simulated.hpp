// How schedule simulate prints and draws what happened.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longhaul/core/value.hpp"
#include "longhaul/schedule/simulate.hpp"
#include "longhaul/schedule_comparable.hpp"
#include "longhaul/schedule_inputs.hpp"

namespace longhaul::app {

/// A schedule that was run, and what the formulas say of it.
struct SimulatedSchedule {
    std::string name;
    schedule::TimedSchedule timed;
    Computed computed;  ///< scores without noise and other failures
    schedule::SimulationOptions options;
    schedule::Simulation run;
};

/// Last arrival of a round after its start, as planned, ms.
[[nodiscard]] double planned_ms(const schedule::TimedRound& round);

/// What is not as computed: a score that can be compared and differs by more than 0.5 % and its
/// standard error, sums that are wrong, a core link that is too full. Empty: nothing.
[[nodiscard]] std::vector<std::string> disagreements(const SimulatedSchedule& simulated,
                                                     const schedule::Islands& islands);

[[nodiscard]] std::string simulated_text(const SimulatedSchedule& simulated,
                                         const LoadedIslands& loaded);
[[nodiscard]] core::Value simulated_value(const SimulatedSchedule& simulated,
                                          const LoadedIslands& loaded);

/// Who sent and received when in the rounds of the log, as an SVG picture.
[[nodiscard]] std::string simulated_picture(const SimulatedSchedule& simulated,
                                            const schedule::Islands& islands);

}  // namespace longhaul::app
