// What goes wrong in a simulated schedule, from the command line.
#pragma once

#include <string>
#include <vector>

#include "longhaul/schedule/simulate.hpp"

namespace longhaul::app {

/// Options as typed.
struct Disturbances {
    std::vector<std::string> outages;  ///< KIND:WHAT:FROM:TO
    std::vector<std::string> joins;    ///< ISLAND@ROUND, rounds counted from 1
    std::vector<std::string> leaves;
};

/// Adds them to the options of the simulation. Reports every one that cannot be read: kinds,
/// islands and links that there are not, times that are none, rounds beyond those that are run.
[[nodiscard]] core::Result<void> add_disturbances(const Disturbances& typed,
                                                  const schedule::Islands& islands,
                                                  schedule::SimulationOptions& options);

}  // namespace longhaul::app
