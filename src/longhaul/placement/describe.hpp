// From stage groups to a rank map, and what a plan says of it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "longhaul/placement/plan.hpp"
#include "longhaul/placement/tensor.hpp"

namespace longhaul::placement {

/// Pairs and replicas for stage groups in path order, each in any order of its devices.
[[nodiscard]] Placement composed(const Problem& problem,
                                 Stages stages,
                                 std::span<const int> host_of);

/// Tensor groups (tp > 1) in the place of devices: what `solve` needs of them.
struct TensorUnits {
    TensorGroups groups;
    std::vector<int> host_of;
    std::vector<std::string> labels;
};
[[nodiscard]] TensorUnits tensor_units_of(TensorGroups groups,
                                          std::span<const int> host_of,
                                          const std::vector<std::string>& labels);

/// Devices in the place of groups, in everything that a plan of groups says. `problem`: that of
/// the devices.
void name_members(const Problem& problem, const TensorGroups& groups, Plan& plan);

/// Fills what a plan says beside rank map and scores, for its placement: layers of the stages, why
/// they do not fit, orders of rings and roots, the shared resource that binds, what devices that
/// are left out would cost, as far as that is done when `stop` answers true. `groups`: of all
/// devices, with tp > 1; else null.
void describe_placement(const Problem& problem,
                        const TensorGroups* groups,
                        int threads,
                        Plan& plan,
                        const std::function<bool()>& stop = {});

}  // namespace longhaul::placement
