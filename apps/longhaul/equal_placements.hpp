// Placements as good as that of a plan, for launchers that want every host's ranks together.
#pragma once

#include <string>
#include <vector>

#include "longhaul/launch/hosts.hpp"
#include "longhaul/placement/plan.hpp"

namespace longhaul::app {

/// The plan's placement, then equally good ones: replicas in another order, and, where the fabric
/// of the plan is at hand, other pairs and devices that are alike within the same score. Devices
/// change places with those that are left out only where the hosts file has a host for all.
[[nodiscard]] std::vector<placement::Placement> equal_placements(const placement::Plan& plan,
                                                                 const std::string& plan_file,
                                                                 const launch::Hosts& hosts);

}  // namespace longhaul::app
