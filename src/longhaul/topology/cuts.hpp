// Ways out of groups of a network that are narrower than what is inside.
#pragma once

#include <string>
#include <vector>

#include "longhaul/topology/routes.hpp"

namespace longhaul::topology {

/// Capacity that all pairs with exactly one end in a group load at once, in each direction.
struct Cut {
    std::string name;
    double gbps = 0;
    std::vector<std::string> of;  ///< name of the site, or of the outermost group without a WAN
};

/// Of a WAN: the way out of each site with several endpoints, where it is narrower than those.
/// Without a WAN: of each outermost group. O(sites groups).
[[nodiscard]] std::vector<Cut> shared_cuts(const Routes& routes);

/// Name under which a fabric knows an endpoint's site, or its outermost group without a WAN.
[[nodiscard]] std::string label_of(const Topology& topology, NodeId endpoint);

}  // namespace longhaul::topology
