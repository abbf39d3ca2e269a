#include "longhaul/explain_upgrades.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "longhaul/placement/prove.hpp"
#include "longhaul/placement/units.hpp"

namespace longhaul::app {

using placement::Upgrade;

Verdict verdict_on(const placement::Problem& problem,
                   const placement::Placement& placement,
                   std::span<const int> host_of,
                   const placement::ProofOptions& proof) {
    const double score = placement::score_as_mapped(problem, placement).total();
    const placement::Problem unit = placement::units_to_place(problem, host_of);
    placement::Certificate certificate = placement::prove(unit, score, proof);
    Verdict verdict;
    verdict.bound = std::move(certificate.bound);
    verdict.bound.value = std::min(verdict.bound.value, score);
    verdict.gap = placement::gap_between(score, verdict.bound.value);
    if (certificate.better) {
        verdict.better = placement::solve_inner(unit, *certificate.better).score.total();
    }
    return verdict;
}

void take_stated_bound(const placement::Bound& stated, double score, Verdict& verdict) {
    constexpr double kRounding = 1e-9;
    const double least = std::min(score, verdict.better.value_or(score));
    if (stated.value <= verdict.bound.value || stated.value > least * (1 + kRounding)) {
        return;
    }
    verdict.bound = stated;
    verdict.bound.value = std::min(stated.value, least);
    verdict.bound.method += ", as the plan states";
    verdict.gap = placement::gap_between(score, verdict.bound.value);
}

std::string verdict_text(const Verdict& verdict) {
    const std::string text =
        fmt::format("bound {:.6f} s ({}); ", verdict.bound.value, verdict.bound.method);
    if (verdict.better) {
        return text + fmt::format("the plan is not optimal: {:.6f} s can be reached, place again\n",
                                  *verdict.better);
    }
    if (verdict.gap.optimal) {
        return text + "the plan is proved optimal\n";
    }
    return text + (verdict.gap.known
                       ? fmt::format("not proved optimal: at most {:.2f} % above the optimum\n",
                                     100 * verdict.gap.value)
                       : std::string("not proved optimal\n"));
}

core::Value verdict_value(const Verdict& verdict) {
    return core::Value::object()
        .set("bound", verdict.bound.value)
        .set("method", verdict.bound.method)
        .set("optimal", verdict.gap.optimal && !verdict.better)
        .set("gap", verdict.gap.known ? core::Value(verdict.gap.value) : core::Value())
        .set("better", verdict.better ? core::Value(*verdict.better) : core::Value());
}

namespace {

/// How far more bandwidth helps, in words.
std::string reach_text(const Upgrade& upgrade, double score) {
    if (!upgrade.until) {
        return fmt::format("helps without end, down to {:.6f} s", upgrade.limit);
    }
    if (*upgrade.until <= 1) {
        return upgrade.kind == placement::UpgradeKind::kLinks
                   ? "more bandwidth does not help alone: other links bind as much"
                   : "more of it does not help alone: other things bind as much";
    }
    const bool more = upgrade.limit < upgrade.score_until - 1e-9 * score;
    return fmt::format("helps in full up to {:.2f}x ({:.6f} s), {}",
                       *upgrade.until,
                       upgrade.score_until,
                       more ? fmt::format("then less, down to {:.6f} s", upgrade.limit)
                            : std::string("then something else binds"));
}

}  // namespace

std::string UpgradeNames::name(const Upgrade& upgrade) const {
    switch (upgrade.kind) {
        case placement::UpgradeKind::kLinks:
            return groups.name(upgrade.group);
        case placement::UpgradeKind::kShared:
            return "shared " + shared[static_cast<std::size_t>(upgrade.resource)];
        case placement::UpgradeKind::kSpeed:
            return "speed of " + groups.names[static_cast<std::size_t>(upgrade.group.first)];
    }
    return {};
}

UpgradeNames upgrade_names(const fabric::Fabric& fabric) {
    UpgradeNames names{placement::device_groups(fabric), {}};
    for (const fabric::SharedCapacity& resource : fabric.parts().shared) {
        names.shared.push_back(resource.name);
    }
    return names;
}

std::string upgrades_text(const std::vector<Upgrade>& upgrades,
                          const UpgradeNames& names,
                          double score,
                          const UpgradesShown& shown) {
    const auto& [limit, factor] = shown;
    const std::string times = factor == 2 ? "twice" : fmt::format("{:.4g} times", factor);
    const bool links = std::ranges::all_of(upgrades, [](const Upgrade& upgrade) {
        return upgrade.kind == placement::UpgradeKind::kLinks;
    });
    std::string text =
        links ? "\nlinks that bind: seconds a step when all links of two groups were better\n"
              : "\nwhat binds: seconds a step when all links of two groups, a shared capacity, or "
                "the speed of a group of devices were better\n";
    text += fmt::format("  {:<28} {:>23}   {:>23}\n",
                        "",
                        times + (links ? " the bandwidth" : " as much"),
                        factor == 2 ? "half the latency" : fmt::format("latency / {:.4g}", factor));
    text += fmt::format("  {:<28} {:>11} {:>11}   {:>11} {:>11}\n",
                        "",
                        "plan kept",
                        "placed anew",
                        "plan kept",
                        "placed anew");
    for (std::size_t i = 0; i < std::min(limit, upgrades.size()); ++i) {
        const Upgrade& upgrade = upgrades[i];
        const bool late = upgrade.kind == placement::UpgradeKind::kLinks;
        const auto anew = [&](double seconds, bool there) {
            return upgrade.solved && there ? fmt::format("{:+.4f}", seconds - score)
                                           : std::string("-");
        };
        text += fmt::format("  {:<28} {:>+11.4f} {:>11}   {:>11} {:>11}\n",
                            names.name(upgrade),
                            upgrade.bandwidth_kept - score,
                            anew(upgrade.bandwidth_solved, true),
                            late ? fmt::format("{:+.4f}", upgrade.latency_kept - score) : "-",
                            anew(upgrade.latency_solved, late));
        text += fmt::format("    {}\n", reach_text(upgrade, score));
    }
    if (upgrades.size() > limit) {
        text += fmt::format("  {} more bind; --upgrades shows them\n", upgrades.size() - limit);
    }
    return text;
}

namespace {

const char* kind_name(placement::UpgradeKind kind) {
    switch (kind) {
        case placement::UpgradeKind::kLinks:
            return "links";
        case placement::UpgradeKind::kShared:
            return "shared";
        case placement::UpgradeKind::kSpeed:
            return "speed";
    }
    return "";
}

}  // namespace

core::Value upgrades_value(const std::vector<Upgrade>& upgrades, const UpgradeNames& names) {
    core::Value list = core::Value::array();
    for (const Upgrade& upgrade : upgrades) {
        const bool links = upgrade.kind == placement::UpgradeKind::kLinks;
        const auto value = [](double seconds, bool there) {
            return there ? core::Value(seconds) : core::Value();
        };
        const auto group = [&](int index) {
            return names.groups.names[static_cast<std::size_t>(index)];
        };
        list.append(
            core::Value::object()
                .set("kind", kind_name(upgrade.kind))
                .set("from",
                     upgrade.kind == placement::UpgradeKind::kShared
                         ? names.shared[static_cast<std::size_t>(upgrade.resource)]
                         : group(upgrade.group.first))
                .set("to", links ? core::Value(group(upgrade.group.second)) : core::Value())
                .set("bandwidth_kept", upgrade.bandwidth_kept)
                .set("bandwidth_solved", value(upgrade.bandwidth_solved, upgrade.solved))
                .set("latency_kept", value(upgrade.latency_kept, links))
                .set("latency_solved", value(upgrade.latency_solved, upgrade.solved && links))
                .set("until", upgrade.until ? core::Value(*upgrade.until) : core::Value())
                .set("score_until", upgrade.score_until)
                .set("limit", upgrade.limit));
    }
    return list;
}

}  // namespace longhaul::app
