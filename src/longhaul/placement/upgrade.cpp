#include "longhaul/placement/upgrade.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "longhaul/core/pool.hpp"
#include "longhaul/fabric/limits.hpp"
#include "longhaul/placement/explain.hpp"
#include "longhaul/placement/structure.hpp"
#include "longhaul/placement/units.hpp"

namespace longhaul::placement {
namespace {

constexpr double kInfinitelyFast = 1e9;  // times the bandwidth
constexpr double kAsSlow = 1e-12;        // relative: ties of sums in another order
constexpr double kSameScore = 1e-9;      // relative
constexpr double kSlopeStep = 1e-4;
constexpr int kHalvings = 40;
constexpr double kMostSpeed = 1e9;
constexpr double kWithoutEnd = 1e4;  // a break that no upgrade comes to

LinkGroup group_of(const DeviceGroups& groups, int a, int b) {
    const int first = groups.of_device[static_cast<std::size_t>(a)];
    const int second = groups.of_device[static_cast<std::size_t>(b)];
    return {std::min(first, second), std::max(first, second)};
}

/// Group of every kind of device; empty when a kind lies in several.
std::vector<int> groups_of_kinds(const PairMatrix& links, const DeviceGroups& groups) {
    std::vector<int> of_kind(links.kinds(), -1);
    for (std::size_t i = 0; i < links.size(); ++i) {
        int& group = of_kind[static_cast<std::size_t>(links.kind_of_device()[i])];
        if (group >= 0 && group != groups.of_device[i]) {
            return {};
        }
        group = groups.of_device[i];
    }
    return of_kind;
}

class Upgrader {
public:
    Upgrader(const ProblemOfFabric& problem_of,
             const fabric::Fabric& fabric,
             const Placement& placement,
             const SolveOptions& options,
             double factor)
        : factor_(factor),
          problem_of_(problem_of),
          fabric_(fabric),
          placement_(placement),
          options_(options),
          groups_(device_groups(fabric)) {
        options_.baseline_samples = 0;
        options_.search.threads = 1;
    }

    core::Result<std::vector<Upgrade>> run(std::size_t solve_limit, int threads) {
        std::vector<Upgrade> all = candidates();
        core::parallel_for(all.size(), threads, [&](std::size_t i) { keep(all[i]); });
        std::ranges::stable_sort(all, {}, worth);
        const std::size_t count = std::min(solve_limit, all.size());
        std::vector<core::Diagnostics> failures(2 * count);
        core::parallel_for(2 * count, threads, [&](std::size_t i) {
            Upgrade& upgrade = all[i / 2];
            const bool bandwidth = i % 2 == 0;
            core::Result<double> best = bandwidth
                                            ? solved(upgrade, factor_, 1, upgrade.bandwidth_kept)
                                            : solved(upgrade, 1, 1 / factor_, upgrade.latency_kept);
            if (!best) {
                failures[i] = best.error();
                return;
            }
            (bandwidth ? upgrade.bandwidth_solved : upgrade.latency_solved) = *best;
        });
        for (std::size_t i = 0; i < 2 * count; ++i) {
            if (!failures[i].empty()) {
                return tl::unexpected(failures[i]);
            }
            all[i / 2].solved = true;
        }
        std::ranges::stable_sort(all, {}, worth);
        return all;
    }

private:
    /// The least seconds that an upgrade leads to, with the plan kept or placed anew.
    static double worth(const Upgrade& upgrade) {
        const double kept = std::min(upgrade.bandwidth_kept, upgrade.latency_kept);
        return upgrade.solved ? std::min({kept, upgrade.bandwidth_solved, upgrade.latency_solved})
                              : kept;
    }

    /// Everything that binds, with nothing known of it yet.
    [[nodiscard]] std::vector<Upgrade> candidates() {
        const Problem problem = problem_of_(fabric_);
        score_ = score_as_mapped(problem, placement_).total();
        const std::vector<int> hosts = fabric_.host_of_device();
        const Units units = units_of(problem, placement_, hosts);
        const Stages stages = units.placement.stages();
        std::vector<Upgrade> all;
        for (const LinkGroup& group : binding_groups(problem, placement_, hosts, groups_)) {
            all.emplace_back().group = group;
        }
        for (const int resource : binding_resources(units.problem, stages)) {
            all.emplace_back().kind = UpgradeKind::kShared;
            all.back().resource = resource;
        }
        if (!fabric_.parts().devices.empty()) {
            for (const int devices : slowest_devices(units, stages)) {
                all.emplace_back().kind = UpgradeKind::kSpeed;
                all.back().group = {devices, devices};
            }
        }
        return all;
    }

    /// Groups of the slowest devices of stages whose compute binds.
    [[nodiscard]] std::set<int> slowest_devices(const Units& units, const Stages& stages) const {
        std::set<int> found;
        for (const std::size_t s : binding_compute(units.problem, stages)) {
            double slowest = std::numeric_limits<double>::infinity();
            for (const int unit : stages[s]) {
                slowest = std::min(slowest, speed_of(units.problem, unit));
            }
            for (const int unit : stages[s]) {
                if (speed_of(units.problem, unit) <= slowest) {
                    found.insert(groups_.of_device[static_cast<std::size_t>(units.device(unit))]);
                }
            }
        }
        return found;
    }

    static double speed_of(const Problem& problem, int device) {
        return problem.speed.empty() ? 1 : problem.speed[static_cast<std::size_t>(device)];
    }

    [[nodiscard]] double kept(const Upgrade& upgrade, double faster, double latency) const {
        const Problem problem = problem_of_(upgraded(fabric_, groups_, upgrade, faster, latency));
        return score_as_mapped(problem, placement_).total();
    }

    [[nodiscard]] core::Result<double> solved(const Upgrade& upgrade,
                                              double faster,
                                              double latency,
                                              double at_most) const {
        if (latency != 1 && upgrade.kind != UpgradeKind::kLinks) {
            return at_most;
        }
        const fabric::Fabric better = upgraded(fabric_, groups_, upgrade, faster, latency);
        const Problem problem = problem_of_(better);
        const core::Result<Plan> plan = solve(problem, better, options_);
        if (!plan) {
            return tl::unexpected(plan.error());
        }
        const Units units = units_of(problem, placement_, better.host_of_device());
        const double again = solve_inner(units.problem, units.placement.stages()).score.total();
        return std::min({plan->score.total(), again, at_most});
    }

    void keep(Upgrade& upgrade) const {
        const bool links = upgrade.kind == UpgradeKind::kLinks;
        upgrade.bandwidth_kept = kept(upgrade, factor_, 1);
        upgrade.latency_kept = links ? kept(upgrade, 1, 1 / factor_) : score_;
        upgrade.limit = kept(upgrade, kInfinitelyFast, 1);
        find_break(upgrade);
    }

    /// In x = 1 / bandwidth the score is a sum and maximum of lines: convex. Up to the first break
    /// it follows the line that it starts on.
    void find_break(Upgrade& upgrade) const {
        const auto at = [&](double x) {
            return kept(upgrade, 1 / std::max(x, 1 / kInfinitelyFast), 1);
        };
        const double slope = (score_ - at(1 - kSlopeStep)) / kSlopeStep;
        const auto on_line = [&](double x) {
            return at(x) - (score_ - slope * (1 - x)) <= kSameScore * score_;
        };
        if (slope <= kSameScore * score_) {
            upgrade.until = 1;
            upgrade.score_until = score_;
            return;
        }
        if (on_line(0)) {
            upgrade.score_until = upgrade.limit;
            return;
        }
        double low = 0;
        double high = 1;
        for (int i = 0; i < kHalvings; ++i) {
            const double middle = (low + high) / 2;
            (on_line(middle) ? high : low) = middle;
        }
        if (1 / high >= kWithoutEnd) {
            upgrade.score_until = upgrade.limit;
            return;
        }
        upgrade.until = 1 / high;
        upgrade.score_until = at(high);
    }

    double factor_;
    const ProblemOfFabric& problem_of_;
    const fabric::Fabric& fabric_;
    const Placement& placement_;
    SolveOptions options_;
    DeviceGroups groups_;
    double score_ = 0;
};

}  // namespace

std::string DeviceGroups::name(const LinkGroup& group) const {
    const std::string& first = names[static_cast<std::size_t>(group.first)];
    return group.first == group.second
               ? "inside " + first
               : first + " - " + names[static_cast<std::size_t>(group.second)];
}

DeviceGroups device_groups(const fabric::Fabric& fabric) {
    DeviceGroups groups{fabric::index_of_labels(fabric.labels()), distinct_labels(fabric.labels())};
    if (groups.names.size() > 1 || fabric.parts().devices.empty()) {
        return groups;
    }
    groups.of_device = fabric.host_of_device();
    const auto hosts = static_cast<std::size_t>(1 + std::ranges::max(groups.of_device));
    groups.names.assign(hosts, "");
    for (std::size_t i = 0; i < fabric.size(); ++i) {
        const std::string& host = fabric.parts().devices[i].host;
        groups.names[static_cast<std::size_t>(groups.of_device[i])] =
            host.empty() ? fmt::format("device {}", i) : host;
    }
    return groups;
}

std::vector<LinkGroup> binding_groups(const Problem& problem,
                                      const Placement& placement,
                                      std::span<const int> host_of,
                                      const DeviceGroups& groups) {
    const Units units = units_of(problem, placement, host_of);
    std::set<LinkGroup> found;
    for (const auto& [a, b] : binding_pairs(units.problem, units.placement.stages())) {
        const std::vector<int>& from = units.groups.members[static_cast<std::size_t>(a)];
        const std::vector<int>& to = units.groups.members[static_cast<std::size_t>(b)];
        for (std::size_t t = 0; t < from.size(); ++t) {
            found.insert(group_of(groups, from[t], to[t]));
        }
    }
    return {found.begin(), found.end()};
}

fabric::Fabric upgraded(const fabric::Fabric& fabric,
                        const DeviceGroups& groups,
                        const LinkGroup& group,
                        double bandwidth,
                        double latency) {
    fabric::FabricParts parts = fabric.parts();
    std::vector<int> of_kind = groups_of_kinds(parts.alpha_ms, groups);
    if (of_kind.empty()) {
        parts.alpha_ms = parts.alpha_ms.full();
        parts.beta_gbps = parts.beta_gbps.full();
        parts.estimated = parts.estimated.full();
        of_kind = groups.of_device;
    }
    for (std::size_t i = 0; i < of_kind.size(); ++i) {
        for (std::size_t j = 0; j < of_kind.size(); ++j) {
            if (LinkGroup{std::min(of_kind[i], of_kind[j]), std::max(of_kind[i], of_kind[j])} ==
                group) {
                double& beta = parts.beta_gbps.table()(i, j);
                beta = std::min(beta * bandwidth, fabric::kMaxBetaGbps);
                parts.alpha_ms.table()(i, j) *= latency;
            }
        }
    }
    parts.alpha_interval.reset();
    parts.beta_interval.reset();
    core::Result<fabric::Fabric> made = fabric::Fabric::make(std::move(parts), "upgrade");
    LONGHAUL_ASSERT(made.has_value());
    return std::move(*made);
}

fabric::Fabric upgraded(const fabric::Fabric& fabric,
                        const DeviceGroups& groups,
                        const Upgrade& upgrade,
                        double faster,
                        double latency) {
    if (upgrade.kind == UpgradeKind::kLinks) {
        return upgraded(fabric, groups, upgrade.group, faster, latency);
    }
    fabric::FabricParts parts = fabric.parts();
    if (upgrade.kind == UpgradeKind::kShared) {
        auto& shared = parts.shared[static_cast<std::size_t>(upgrade.resource)];
        for (double* gbps : {&shared.there_gbps, &shared.back_gbps}) {
            if (*gbps != fabric::SharedCapacity::kNoLimit) {
                *gbps = std::min(*gbps * faster, fabric::kMaxBetaGbps);
            }
        }
    } else {
        for (std::size_t i = 0; i < parts.devices.size(); ++i) {
            double& speed = parts.devices[i].speed;
            if (groups.of_device[i] == upgrade.group.first) {
                speed = std::min(speed * faster, kMostSpeed);
            }
        }
    }
    core::Result<fabric::Fabric> made = fabric::Fabric::make(std::move(parts), "upgrade");
    LONGHAUL_ASSERT(made.has_value());
    return std::move(*made);
}

core::Result<std::vector<Upgrade>> upgrades(const ProblemOfFabric& problem_of,
                                            const fabric::Fabric& fabric,
                                            const Placement& placement,
                                            std::size_t solve_limit,
                                            const SolveOptions& options,
                                            double factor) {
    return Upgrader(problem_of, fabric, placement, options, factor)
        .run(solve_limit, options.search.threads);
}

}  // namespace longhaul::placement
