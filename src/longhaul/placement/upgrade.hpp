// What better links, more shared capacity or faster devices would be worth to a plan.
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

/// What is upgraded.
enum class UpgradeKind { kLinks, kShared, kSpeed };

/// Scores in seconds when one thing is better and all others stay: the bandwidth or latency of a
/// group of links, the capacity of a shared resource, the speed of a group of devices.
struct Upgrade {
    UpgradeKind kind = UpgradeKind::kLinks;
    LinkGroup group;              ///< kSpeed: the devices of `first`
    int resource = -1;            ///< kShared: of the fabric
    double bandwidth_kept = 0;    ///< `factor` times the bandwidth (or speed), the plan kept
    double latency_kept = 0;      ///< 1 / `factor` of the latency, the plan kept; kLinks only
    double bandwidth_solved = 0;  ///< so much bandwidth, the best placement found then
    double latency_solved = 0;    ///< so little latency, the same
    bool solved = false;          ///< whether the last two were computed
    /// The factor of bandwidth up to which every bit of it helps as much; beyond it something else
    /// binds too. None: it helps without end, or beyond 10,000 times. 1: it does not help alone.
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

/// Groups of links that bind, see binding_pairs: of the exchanges that the slowest stage groups
/// wait for, the slowest pairs of each stage boundary, ties included.
[[nodiscard]] std::vector<LinkGroup> binding_groups(const Problem& problem,
                                                    const Placement& placement,
                                                    std::span<const int> host_of,
                                                    const DeviceGroups& groups);

/// The fabric with the links of a group changed: bandwidth and latency times these factors.
[[nodiscard]] fabric::Fabric upgraded(const fabric::Fabric& fabric,
                                      const DeviceGroups& groups,
                                      const LinkGroup& group,
                                      double bandwidth,
                                      double latency);

/// The fabric with what an upgrade names changed: bandwidth, capacity or speed, and latency of
/// links, times these factors.
[[nodiscard]] fabric::Fabric upgraded(const fabric::Fabric& fabric,
                                      const DeviceGroups& groups,
                                      const Upgrade& upgrade,
                                      double faster,
                                      double latency);

/// One upgrade a binding group of links, a binding shared resource, a group with the slowest
/// devices of a stage whose compute binds; the most worth first. The `solve_limit` that are worth
/// most with the plan kept are solved anew with the options, and ordered by the better of both.
/// `factor` > 1: how much better. Does not depend on the threads.
[[nodiscard]] core::Result<std::vector<Upgrade>> upgrades(const ProblemOfFabric& problem_of,
                                                          const fabric::Fabric& fabric,
                                                          const Placement& placement,
                                                          std::size_t solve_limit,
                                                          const SolveOptions& options,
                                                          double factor = 2);

}  // namespace longhaul::placement
