// The two simulators behind one call: when does each transfer of a case arrive, and what did the
// simulation cost.
#pragma once

#include <optional>
#include <vector>

#include "cases.hpp"

namespace longhaul::bench {

/// What one run of a case took. Times of arrival are in seconds, in the order of the transfers, and
/// empty where they were not asked for.
struct FlowRun {
    std::vector<double> arrival_s;
    double cpu_s = 0;    ///< of the simulation, without building the network
    double peak_mb = 0;  ///< of the process that ran it
};

/// Runs the case on flowsim as SimGrid's model CM02 defines it: the latency comes first, and flows
/// weigh 1/latency. In a process of its own.
[[nodiscard]] FlowRun run_longhaul(const FlowCase& flow_case);

/// Runs the case on SimGrid with CM02 and its correction factors off, one actor a transfer. In a
/// process of its own, since SimGrid has one engine a process. `lazy` is its default way to follow
/// transfers, which is fast on large networks and off by up to a few per cent for single transfers;
/// the other one (network/optim:Full) is exact. Nothing when built without SimGrid.
[[nodiscard]] std::optional<FlowRun> run_simgrid(const FlowCase& flow_case, bool lazy);

/// Whether this program was built with SimGrid, and its version.
[[nodiscard]] std::optional<std::string> simgrid_version();

}  // namespace longhaul::bench
