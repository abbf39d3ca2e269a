// A placement whose tensor groups stand for single devices: what explanations, replanning and
// robust plans change as a whole.
#pragma once

#include <span>

#include "longhaul/placement/classes.hpp"
#include "longhaul/placement/tensor.hpp"

namespace longhaul::placement {

/// The units of a problem: tensor groups, or devices where tp = 1.
struct Units {
    Problem problem;      ///< of the units, tp = 1
    TensorGroups groups;  ///< members of every unit
    Placement placement;  ///< of the units
    /// The first device of a unit stands for it in messages; -1 stays -1.
    [[nodiscard]] int device(int unit) const {
        return unit < 0 ? -1 : groups.members[static_cast<std::size_t>(unit)].front();
    }
};

/// Units are the cells of the placement, then groups of the devices that it leaves out, by host.
/// With tp = 1 unit i is device i. O(n^2).
[[nodiscard]] Units units_of(const Problem& problem,
                             const Placement& placement,
                             std::span<const int> host_of);

/// The problem whose devices are the tensor groups that `place` makes (make_tensor_groups by host);
/// the problem itself with tp = 1.
[[nodiscard]] Problem units_to_place(const Problem& problem, std::span<const int> host_of);

/// Devices that no term of the problem tells apart: kinds_of_devices, and under the pipelined
/// objective those whose links differ in latency or slowness alone are different, too.
[[nodiscard]] std::vector<int> unit_kinds(const Problem& problem);

/// Kinds without gaps as classes of devices that cannot be told apart.
[[nodiscard]] Classes classes_of_kinds(const std::vector<int>& kinds);

}  // namespace longhaul::placement
