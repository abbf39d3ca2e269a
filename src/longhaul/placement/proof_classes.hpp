// Classes over which bounds are proved, and what is known of their costs: one choice for the proof
// of a plan and for its certificate.
#pragma once

#include <memory>
#include <vector>

#include "longhaul/placement/classes.hpp"
#include "longhaul/placement/table_model.hpp"

namespace longhaul::placement {

/// Devices of each class.
[[nodiscard]] std::vector<int> sizes_of_classes(const Classes& classes);

/// Costs of classes: exact where their members are alike (ExactTable), else what some choice of
/// members must cost (MemberTable), above 1,024 devices the least costs (ExactTable). The classes
/// must outlive the model.
[[nodiscard]] std::unique_ptr<TableModel> table_model(const Problem& problem,
                                                      const Classes& classes);

/// Whether table_model() tells the members of these classes apart.
[[nodiscard]] bool tells_members(const Problem& problem, const Classes& classes);

/// Classes and their bound without branching.
struct RootedClasses {
    Classes classes;
    double bound = 0;
};

/// Classes of devices that are most alike (ClassTree): those into which the fabric falls apart, or
/// as many as can be handled when these have the clearly better bound without branching. The
/// second, where there is one, is what was not chosen. Up to a second or two.
[[nodiscard]] std::vector<RootedClasses> merged_classes(const Problem& problem);

}  // namespace longhaul::placement
