#include "longhaul/explain_upgrades.hpp"

#include <fmt/format.h>

#include "longhaul/placement/prove.hpp"

namespace longhaul::app {

using placement::Upgrade;

Verdict verdict_on(const placement::Problem& problem,
                   const placement::Placement& placement,
                   const placement::ProofOptions& proof) {
    const double score = placement::score_as_mapped(problem, placement).total();
    placement::Certificate certificate = placement::prove(problem, score, proof);
    Verdict verdict;
    verdict.bound = std::move(certificate.bound);
    verdict.bound.value = std::min(verdict.bound.value, score);
    verdict.gap = placement::gap_between(score, verdict.bound.value);
    if (certificate.better) {
        verdict.better = placement::solve_inner(problem, *certificate.better).score.total();
    }
    return verdict;
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
        return "more bandwidth does not help alone: other links bind as much";
    }
    const bool more = upgrade.limit < upgrade.score_until - 1e-9 * score;
    return fmt::format("helps in full up to {:.2f}x ({:.6f} s), {}",
                       *upgrade.until,
                       upgrade.score_until,
                       more ? fmt::format("then less, down to {:.6f} s", upgrade.limit)
                            : std::string("then something else binds"));
}

}  // namespace

std::string upgrades_text(const std::vector<Upgrade>& upgrades,
                          const placement::DeviceGroups& groups,
                          double score,
                          std::size_t limit) {
    std::string text =
        "\nlinks that bind: seconds a step when all links of two groups were better\n";
    text +=
        fmt::format("  {:<28} {:>23}   {:>23}\n", "", "twice the bandwidth", "half the latency");
    text += fmt::format("  {:<28} {:>11} {:>11}   {:>11} {:>11}\n",
                        "",
                        "plan kept",
                        "placed anew",
                        "plan kept",
                        "placed anew");
    for (std::size_t i = 0; i < std::min(limit, upgrades.size()); ++i) {
        const Upgrade& upgrade = upgrades[i];
        const auto anew = [&](double seconds) {
            return upgrade.solved ? fmt::format("{:+.4f}", seconds - score) : std::string("-");
        };
        text += fmt::format("  {:<28} {:>+11.4f} {:>11}   {:>+11.4f} {:>11}\n",
                            groups.name(upgrade.group),
                            upgrade.bandwidth_kept - score,
                            anew(upgrade.bandwidth_solved),
                            upgrade.latency_kept - score,
                            anew(upgrade.latency_solved));
        text += fmt::format("    {}\n", reach_text(upgrade, score));
    }
    if (upgrades.size() > limit) {
        text += fmt::format("  {} more bind; --upgrades shows them\n", upgrades.size() - limit);
    }
    return text;
}

core::Value upgrades_value(const std::vector<Upgrade>& upgrades,
                           const placement::DeviceGroups& groups) {
    core::Value list = core::Value::array();
    for (const Upgrade& upgrade : upgrades) {
        const auto solved = [&](double seconds) {
            return upgrade.solved ? core::Value(seconds) : core::Value();
        };
        list.append(core::Value::object()
                        .set("from", groups.names[static_cast<std::size_t>(upgrade.group.first)])
                        .set("to", groups.names[static_cast<std::size_t>(upgrade.group.second)])
                        .set("bandwidth_kept", upgrade.bandwidth_kept)
                        .set("bandwidth_solved", solved(upgrade.bandwidth_solved))
                        .set("latency_kept", upgrade.latency_kept)
                        .set("latency_solved", solved(upgrade.latency_solved))
                        .set("until", upgrade.until ? core::Value(*upgrade.until) : core::Value())
                        .set("score_until", upgrade.score_until)
                        .set("limit", upgrade.limit));
    }
    return list;
}

}  // namespace longhaul::app
