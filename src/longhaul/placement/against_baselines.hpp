// No plan is worse than what it is compared with.
#pragma once

#include "longhaul/placement/solve.hpp"

namespace longhaul::placement {

/// Fills the baselines of a plan of devices (or of tensor groups as devices), where options ask for
/// samples; without them host order alone is looked at. A baseline that is better than the plan
/// takes its place, or what a search with an eighth of the budget finds from there, with score and
/// origin: the caller describes the placement afterwards. The bound stays as it is. The plan has
/// tp 1.
void compare_with_baselines(const Problem& problem,
                            std::span<const int> host_of,
                            const std::vector<std::string>& labels,
                            const SolveOptions& options,
                            Plan& plan);

}  // namespace longhaul::placement
