// No plan is worse than what it is compared with.
#pragma once

#include "longhaul/placement/solve.hpp"

namespace longhaul::placement {

/// Fills the baselines of a plan of devices (or of tensor groups as devices), where options ask for
/// samples. A baseline that is better than the plan takes its place, with its score and
/// description; the bound stays as it is. Without samples host order alone is looked at. The plan
/// has tp 1.
void compare_with_baselines(const Problem& problem,
                            std::span<const int> host_of,
                            const std::vector<std::string>& labels,
                            const SolveOptions& options,
                            Plan& plan);

}  // namespace longhaul::placement
