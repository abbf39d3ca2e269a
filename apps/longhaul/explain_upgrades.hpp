// The part of explain that looks beyond the plan: is it the best, and which links are worth money.
#pragma once

#include <string>
#include <vector>

#include "longhaul/placement/bounds.hpp"
#include "longhaul/placement/upgrade.hpp"

namespace longhaul::app {

/// What is proved of the plan, found anew.
struct Verdict {
    placement::Bound bound;
    placement::Gap gap;
    std::optional<double> better;  ///< score of a better placement that the proof came upon
};

[[nodiscard]] Verdict verdict_on(const placement::Problem& problem,
                                 const placement::Placement& placement,
                                 std::span<const int> host_of,
                                 const placement::ProofOptions& proof);

/// The bound that a plan states of itself, where it is above the one that was found anew and no
/// placement refutes it. Only for a plan on its own fabric.
void take_stated_bound(const placement::Bound& stated, double score, Verdict& verdict);

[[nodiscard]] std::string verdict_text(const Verdict& verdict);
[[nodiscard]] core::Value verdict_value(const Verdict& verdict);

/// Names of what can be upgraded: groups of devices, shared resources of the fabric.
struct UpgradeNames {
    placement::DeviceGroups groups;
    std::vector<std::string> shared;
    [[nodiscard]] std::string name(const placement::Upgrade& upgrade) const;
};
[[nodiscard]] UpgradeNames upgrade_names(const fabric::Fabric& fabric);

struct UpgradesShown {
    std::size_t limit = 5;
    double factor = 2;  ///< how much better they are
};
[[nodiscard]] std::string upgrades_text(const std::vector<placement::Upgrade>& upgrades,
                                        const UpgradeNames& names,
                                        double score,
                                        const UpgradesShown& shown);
[[nodiscard]] core::Value upgrades_value(const std::vector<placement::Upgrade>& upgrades,
                                         const UpgradeNames& names);

}  // namespace longhaul::app
