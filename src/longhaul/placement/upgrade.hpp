// What a faster or nearer link would be worth to a plan.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "longhaul/placement/robust.hpp"

namespace longhaul::placement {

/// All links between devices of two groups (equal: inside one), in both directions.
struct LinkGroup {
    int first = 0;
    int second = 0;  ///< >= first
    friend auto operator<=>(const LinkGroup&, const LinkGroup&) = default;
};

/// Scores in seconds when the links of one group are better and all others stay.
struct Upgrade {
    LinkGroup group;
    double bandwidth_kept = 0;    ///< twice the bandwidth, the plan as it stands
    double latency_kept = 0;      ///< half the latency, the plan as it stands
    double bandwidth_solved = 0;  ///< twice the bandwidth, the best placement found then
    double latency_solved = 0;    ///< half the latency, the same
    bool solved = false;          ///< whether the last two were computed
    /// The factor of bandwidth up to which every bit of it helps as much; beyond it something else
    /// binds too. None: it helps without end. 1: it does not help alone.
    std::optional<double> until;
    double score_until = 0;  ///< the plan as it stands at that factor
    double limit = 0;        ///< the plan as it stands with these links infinitely fast
};

/// Groups of devices by label, or by host where all labels are equal; the names of the groups.
struct DeviceGroups {
    std::vector<int> of_device;
    std::vector<std::string> names;
    [[nodiscard]] std::string name(const LinkGroup& group) const;
};
[[nodiscard]] DeviceGroups device_groups(const fabric::Fabric& fabric);

/// Groups of links that bind: between the slowest device of a stage group that binds and each of
/// its peers, and the slowest pairs of each stage boundary, ties included.
[[nodiscard]] std::vector<LinkGroup> binding_groups(const Costs& costs,
                                                    const Placement& placement,
                                                    const DeviceGroups& groups);

/// The fabric with the links of a group changed: bandwidth and latency times these factors.
[[nodiscard]] fabric::Fabric upgraded(const fabric::Fabric& fabric,
                                      const DeviceGroups& groups,
                                      const LinkGroup& group,
                                      double bandwidth,
                                      double latency);

/// One upgrade a binding group, the most worth first. The first `solve_limit` of them are solved
/// anew with the options. Does not depend on the threads.
[[nodiscard]] core::Result<std::vector<Upgrade>> upgrades(const ProblemOfFabric& problem_of,
                                                          const fabric::Fabric& fabric,
                                                          const Placement& placement,
                                                          std::size_t solve_limit,
                                                          const SolveOptions& options);

}  // namespace longhaul::placement
