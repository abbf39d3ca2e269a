// Tensor-parallel groups: a cell of the grid is several devices of one host, placed as one.
#pragma once

#include <span>
#include <vector>

#include "longhaul/placement/evaluate.hpp"

namespace longhaul::placement {

struct TensorGroups {
    std::vector<std::vector<int>> members;  ///< members[group][tensor] = device
    std::vector<int> alone;                 ///< devices that no group holds, ascending
};

/// Takes tp devices after another from every host. O(n log n).
[[nodiscard]] TensorGroups make_tensor_groups(std::span<const int> host_of, int tp);

/// The groups of a placement in the order of its cells: group r * pp + s is stage s of replica r.
[[nodiscard]] TensorGroups groups_of(const Placement& placement);

/// The problem in which every group is one device, tp = 1. Every device talks to the one of the
/// same number: it sends all activations, and 1 / tp of the gradients of a stage. A link between
/// groups takes the larger latency and the larger slowness of their pairs. A group works at the
/// speed of its slowest device and has the memory of its smallest; stage seconds and the GB of
/// layers are those of a device of the group. Shared capacity is divided by tp, since all pairs use
/// it at once. O(groups^2 tp).
[[nodiscard]] Problem grouped(const Problem& problem, const TensorGroups& groups);

/// Devices in the place of groups.
[[nodiscard]] Placement expanded(const Placement& placement,
                                 const TensorGroups& groups,
                                 int tp,
                                 std::size_t devices);

}  // namespace longhaul::placement
