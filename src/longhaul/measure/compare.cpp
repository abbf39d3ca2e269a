#include "longhaul/measure/compare.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "longhaul/core/statistics.hpp"

namespace longhaul::measure {
namespace {

/// Where each host of `before` is in `after`.
std::vector<std::optional<std::size_t>> matches(const PairFacts& before, const PairFacts& after) {
    std::map<std::string, std::size_t> index;
    for (std::size_t i = 0; i < after.size(); ++i) {
        index[after.names[i]] = i;
    }
    std::vector<std::optional<std::size_t>> found;
    for (const std::string& name : before.names) {
        const auto at = index.find(name);
        found.push_back(at == index.end() ? std::nullopt : std::optional(at->second));
    }
    return found;
}

bool intervals_apart(double lower_a, double upper_a, double lower_b, double upper_b) {
    return upper_a < lower_b || upper_b < lower_a;
}

bool beyond(double ratio, double tolerance) {
    return ratio > 1 + tolerance || ratio < 1 / (1 + tolerance);
}

/// (i, j) of `before` beside (a, b) of `after`.
PairChange change_of(const PairFacts& before,
                     const PairFacts& after,
                     SitePair old_pair,
                     SitePair new_pair,
                     const CompareOptions& options) {
    const auto [i, j] = old_pair;
    const auto [a, b] = new_pair;
    PairChange change;
    change.from = before.names[i];
    change.to = before.names[j];
    change.beta_ratio = after.beta_gbps(a, b) / before.beta_gbps(i, j);
    change.beta_changed =
        beyond(change.beta_ratio, options.tolerance) && intervals_apart(before.beta_lower(i, j),
                                                                        before.beta_upper(i, j),
                                                                        after.beta_lower(a, b),
                                                                        after.beta_upper(a, b));
    const double old_alpha = before.alpha_ms(i, j);
    const double new_alpha = after.alpha_ms(a, b);
    change.old_alpha_ms = old_alpha;
    change.new_alpha_ms = new_alpha;
    change.alpha_ratio = old_alpha > 0 ? new_alpha / old_alpha : 1;
    change.alpha_changed = std::abs(new_alpha - old_alpha) > options.least_alpha_ms &&
                           (old_alpha <= 0 || beyond(change.alpha_ratio, options.tolerance)) &&
                           intervals_apart(before.alpha_lower(i, j),
                                           before.alpha_upper(i, j),
                                           after.alpha_lower(a, b),
                                           after.alpha_upper(a, b));
    return change;
}

bool measured(const PairFacts& facts, std::size_t i, std::size_t j) {
    return facts.beta_gbps(i, j) > 0 && facts.estimated(i, j) == 0;
}

/// Rates of one host's pairs in one direction.
struct Direction {
    std::vector<double> ratios;
    std::size_t changed = 0;
};

/// Median ratio when more than half of the pairs changed and the median is beyond the tolerance.
std::optional<double> shift_of(const Direction& direction, double tolerance) {
    if (2 * direction.changed <= direction.ratios.size()) {
        return std::nullopt;
    }
    const double median = core::summarise(direction.ratios).median;
    return beyond(median, tolerance) ? std::optional(median) : std::nullopt;
}

std::vector<HostChange> changed_hosts(const std::vector<PairChange>& all,
                                      const CompareOptions& options) {
    std::map<std::string, std::pair<Direction, Direction>> hosts;
    for (const PairChange& change : all) {
        for (Direction* direction : {&hosts[change.from].first, &hosts[change.to].second}) {
            direction->ratios.push_back(change.beta_ratio);
            direction->changed += change.beta_changed ? 1 : 0;
        }
    }
    std::vector<HostChange> changed;
    for (const auto& [host, directions] : hosts) {
        const auto send = shift_of(directions.first, options.tolerance);
        const auto receive = shift_of(directions.second, options.tolerance);
        if (send || receive) {
            changed.push_back({host, send.value_or(1), receive.value_or(1)});
        }
    }
    return changed;
}

void summarise_ratios(const std::vector<PairChange>& all, Comparison& comparison) {
    std::vector<double> ratios;
    for (const PairChange& change : all) {
        ratios.push_back(change.beta_ratio);
    }
    if (!ratios.empty()) {
        const core::Summary summary = core::summarise(std::move(ratios));
        comparison.median_ratio = summary.median;
        comparison.p10_ratio = summary.p10;
        comparison.p90_ratio = summary.p90;
    }
}

}  // namespace

Comparison compare(const PairFacts& before, const PairFacts& after, const CompareOptions& options) {
    Comparison comparison;
    const auto match = matches(before, after);
    std::vector<PairChange> all;
    for (std::size_t i = 0; i < before.size(); ++i) {
        for (std::size_t j = 0; j < before.size(); ++j) {
            if (i != j && match[i] && match[j] && measured(before, i, j) &&
                measured(after, *match[i], *match[j])) {
                all.push_back(change_of(before, after, {i, j}, {*match[i], *match[j]}, options));
            }
        }
        if (!match[i]) {
            comparison.gone.push_back(before.names[i]);
        }
    }
    const auto back = matches(after, before);
    for (std::size_t i = 0; i < after.size(); ++i) {
        if (!back[i]) {
            comparison.added.push_back(after.names[i]);
        }
    }
    comparison.pairs = all.size();
    summarise_ratios(all, comparison);
    comparison.hosts = changed_hosts(all, options);
    std::ranges::copy_if(all, std::back_inserter(comparison.changes), &PairChange::changed);
    std::ranges::stable_sort(
        comparison.changes, std::ranges::greater(), [](const PairChange& change) {
            return std::abs(std::log(change.beta_ratio));
        });
    comparison.same = comparison.changes.empty();
    return comparison;
}

core::Value to_value(const Comparison& comparison) {
    const auto names = [](const std::vector<std::string>& list) {
        core::Value value = core::Value::array();
        for (const std::string& name : list) {
            value.append(name);
        }
        return value;
    };
    core::Value changes = core::Value::array();
    for (const PairChange& change : comparison.changes) {
        changes.append(core::Value::object()
                           .set("from", change.from)
                           .set("to", change.to)
                           .set("beta_ratio", change.beta_ratio)
                           .set("alpha_ratio", change.alpha_ratio)
                           .set("old_alpha_ms", change.old_alpha_ms)
                           .set("new_alpha_ms", change.new_alpha_ms)
                           .set("beta_changed", change.beta_changed)
                           .set("alpha_changed", change.alpha_changed));
    }
    core::Value hosts = core::Value::array();
    for (const HostChange& host : comparison.hosts) {
        hosts.append(core::Value::object()
                         .set("host", host.host)
                         .set("send_ratio", host.send_ratio)
                         .set("receive_ratio", host.receive_ratio));
    }
    return core::Value::object()
        .set("same", comparison.same)
        .set("pairs", static_cast<double>(comparison.pairs))
        .set("beta_ratio",
             core::Value::object()
                 .set("p10", comparison.p10_ratio)
                 .set("median", comparison.median_ratio)
                 .set("p90", comparison.p90_ratio))
        .set("changes", std::move(changes))
        .set("hosts", std::move(hosts))
        .set("gone", names(comparison.gone))
        .set("added", names(comparison.added));
}

}  // namespace longhaul::measure
