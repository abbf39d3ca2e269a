// From links and the pairs whose routes cross them, as platforms, simulators and emulated networks
// have them, to the shared capacity of a fabric.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "longhaul/fabric/shared.hpp"

namespace longhaul::fabric {

/// A link that carries one rate, and the ordered pairs (sender, receiver) whose routes cross it.
/// Routes of both directions over one link: half duplex.
struct SharedLink {
    std::string name;
    double gbps = 0;
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
};

struct SharedLinks {
    std::vector<SharedCapacity> capacities;
    std::size_t left_out = 0;  ///< links of several pairs that a fabric cannot state
};

/// What a fabric can state of the links: those whose pairs are all pairs between two sets of
/// devices that places (labels, hosts) name, and only those that two pairs of devices or more
/// cross. Two links that carry the two directions of the same pairs are one capacity, with both
/// names unless they are equal. At most 64, those of most pairs first. O(links pairs log pairs).
[[nodiscard]] SharedLinks shared_links_of(const std::vector<SharedLink>& links,
                                          const std::vector<std::string>& labels,
                                          const std::vector<std::string>& hosts);

}  // namespace longhaul::fabric
