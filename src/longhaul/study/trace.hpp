// A step as a trace that chrome://tracing and ui.perfetto.dev show.
#pragma once

#include <span>
#include <string>

#include "longhaul/study/step_graph.hpp"
#include "longhaul/study/step_times.hpp"

namespace longhaul::study {

/// JSON in the Trace Event Format: a process a device, a thread for its computations and one for
/// each connection that it sends on; an arrow from each message to what waited for it. Times in
/// microseconds. `names` of the devices. O(tasks).
[[nodiscard]] std::string chrome_trace(const StepGraph& graph,
                                       const StepTimes& times,
                                       std::span<const std::string> names);

}  // namespace longhaul::study
