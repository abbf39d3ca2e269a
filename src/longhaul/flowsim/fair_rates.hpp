// Max-min fair rates, computed plainly: the definition that the simulator's incremental solver is
// held against, and the function to call for one set of flows.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "longhaul/flowsim/network.hpp"

namespace longhaul::flowsim {

/// One flow that always has something to send.
struct Demand {
    Path path;          ///< may be empty when there is a cap
    double weight = 1;  ///< > 0 and finite
    double cap_gbps = std::numeric_limits<double>::infinity();  ///< > 0
};

/// Weighted max-min fair rates (Gbit/s) by progressive filling: the level, rate over weight, of all
/// flows rises together; where a link is full, its flows stay at that level; a flow that reaches
/// its cap stays there (Bertsekas and Gallager, Data Networks, section 6.5.2). The result is the
/// only one in which each flow is at its cap, or crosses a full link where no flow has a higher
/// level. O(rounds * sum of path lengths), at most one round a link and a cap.
[[nodiscard]] std::vector<double> fair_rates(std::span<const Link> links,
                                             std::span<const Demand> demands);

}  // namespace longhaul::flowsim
