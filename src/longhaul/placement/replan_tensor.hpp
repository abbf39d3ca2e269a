// Replanning with tensor groups: groups of the new fabric that keep as much state as they can, and
// the work of their members.
#pragma once

#include "longhaul/placement/replan.hpp"
#include "longhaul/placement/tensor.hpp"

namespace longhaul::placement {

/// What one device did before.
struct OldPlace {
    int stage = -1;    ///< -1: it joined, or was left out
    int replica = -1;  ///< of the old plan
    int tensor = -1;   ///< place in its old tensor group
};

struct Regrouped {
    TensorGroups groups;
    OldWork old;  ///< of the groups
};

/// Groups of `tp` devices of one host. Old groups of the same size that are still whole stay as
/// they are; the other devices of a host are grouped by old stage, each at its old place where that
/// is free. A member keeps the state of its old stage where the shard at its place lies inside the
/// one that it held (keeps_state over tensor places). O(n log n).
[[nodiscard]] Regrouped regroup(std::span<const int> host_of,
                                const std::vector<OldPlace>& places,
                                int old_pp,
                                int old_tp,
                                int tp);

/// All placements of groups as placements of `devices` devices.
void expand_points(Replan& replan, const TensorGroups& groups, int tp, std::size_t devices);

}  // namespace longhaul::placement
