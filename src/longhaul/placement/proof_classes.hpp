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

/// Classes around leaders: each next leader is the device that is dearest to pair with those there
/// (farthest first; Gonzalez, 1985), and devices belong to the one that is cheapest to pair with.
/// O(count kinds).
[[nodiscard]] Classes leader_classes(const Costs& costs, std::size_t count);

/// A bound where time is short: breaks of the path over least costs between the classes around
/// leaders, beside the cheapest peers of every device. O(kinds^2).
struct LeaderBound {
    Classes classes;
    double path = 0;  ///< no path of stages costs less
};
[[nodiscard]] LeaderBound leader_bound(const Problem& problem);

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
