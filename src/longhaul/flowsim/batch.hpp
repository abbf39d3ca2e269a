// A list of flows with start times and dependencies, simulated to its end.
#pragma once

#include <span>
#include <vector>

#include "longhaul/flowsim/network.hpp"
#include "longhaul/flowsim/simulator.hpp"

namespace longhaul::flowsim {

/// A flow that starts at the later of `start` and the moment `wait` after the last flow has ended
/// that it depends on.
struct PlannedFlow {
    Path path;
    core::Gigabytes payload;
    double weight = 1;
    core::GbitPerSecond cap = kUnlimited;
    bool cold = false;
    Time start{};
    Time wait{};
    std::vector<FlowId> after;       ///< places in the list of flows that must be delivered before
    std::vector<FlowId> after_sent;  ///< the same of flows that must be sent before
};

/// kNever where it does not happen before the horizon.
struct FlowTimes {
    Time started = kNever;
    Time sent = kNever;
    Time delivered = kNever;
};

struct LinkUse {
    core::Gigabytes carried;
    Time used{};      ///< while a flow sent over it
    Time limiting{};  ///< while it limited one
};

struct BatchResult {
    std::vector<FlowTimes> flows;
    std::vector<LinkUse> links;
    Time end{};  ///< of the last event
    std::size_t unfinished = 0;
};

/// A circle of dependencies, each flow waiting for the next one and the last for the first; empty
/// when there is none. O(flows + dependencies).
[[nodiscard]] std::vector<FlowId> find_circle(std::span<const PlannedFlow> flows);

/// Runs all flows. The dependencies must have no circle (asserted). Memory O(flows +
/// dependencies + sum of path lengths).
[[nodiscard]] BatchResult run_batch(std::span<const Link> links,
                                    std::span<const PlannedFlow> flows,
                                    const ColdStart& cold = {});

}  // namespace longhaul::flowsim
