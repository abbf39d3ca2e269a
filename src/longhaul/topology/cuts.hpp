// What links of a network several pairs share, as far as it is a cut: the pairs between two sites,
// or those with exactly one end in some sites or in one outermost group.
#pragma once

#include <string>
#include <vector>

#include "longhaul/topology/routes.hpp"

namespace longhaul::topology {

/// Capacity that pairs of endpoints load at once, in each direction.
struct Cut {
    std::string name;
    double there_gbps = 0;             ///< out of `of`, or from the first of `between`
    double back_gbps = 0;              ///< the other way
    std::vector<std::string> of;       ///< names of sites, or of outermost groups without a WAN
    std::vector<std::string> between;  ///< two sites
};

struct Cuts {
    std::vector<Cut> list;
    std::vector<std::string> unstated;  ///< links that load other sets of pairs, by name
};

/// Of a WAN: each link whose pairs are a cut under the shortest paths between sites, and the way
/// out of each site with several endpoints, where it is narrower than those. Without a WAN: the way
/// out of each outermost group, where it is narrower than its endpoints. Policies do not count.
/// O(sites^2 links).
[[nodiscard]] Cuts shared_cuts(const Routes& routes);

/// Name under which a fabric knows an endpoint's site, or its outermost group without a WAN.
[[nodiscard]] std::string label_of(const Topology& topology, NodeId endpoint);

}  // namespace longhaul::topology
