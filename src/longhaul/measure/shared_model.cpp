#include "longhaul/measure/shared_model.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "longhaul/core/statistics.hpp"
#include "longhaul/measure/detail/load_table.hpp"
#include "longhaul/measure/detail/loads.hpp"

namespace longhaul::measure {
namespace {

using detail::Chosen;
using detail::LoadTable;

constexpr std::size_t kMaxResources = 8;
constexpr std::size_t kMaxHostsOneByOne = 32;
constexpr std::size_t kLeastSamplesOfOne = 3;
/// A resource of one host or group must beat one of all by this much.
constexpr double kOneMustBeatAll = 0.9;
/// Of the root mean square log error. Where samples cannot tell two resources apart, the first is
/// taken.
constexpr double kNoDifference = 0.001;

/// Whether enough samples tell of a resource of one host or group.
bool is_told_of(const SharedInput& input, const SharedResource& resource) {
    std::set<std::string_view> names;
    for (const LoadSample& sample : input.samples) {
        if (sample.extreme == Extreme::kExact &&
            detail::loading(input, resource, sample.sets.front()) > 1) {
            names.insert(sample.name);
        }
    }
    return names.size() >= kLeastSamplesOfOne;
}

/// Whether two transfers load a resource in any sample. Else it would only correct the rates that
/// pairs have alone.
bool is_shared(const SharedInput& input, const SharedResource& resource) {
    return std::ranges::any_of(input.samples, [&](const LoadSample& sample) {
        return std::ranges::any_of(sample.sets, [&](const std::vector<Transfer>& set) {
            return detail::loading(input, resource, set) > 1;
        });
    });
}

void add_ones(const SharedInput& input,
              Scope scope,
              std::size_t count,
              std::vector<SharedResource>& all) {
    for (std::size_t subject = 0; subject < count; ++subject) {
        for (const Rule rule : {Rule::kRate, Rule::kOccupancy}) {
            const SharedResource one{scope, rule, false, subject, 1};
            if (is_told_of(input, one)) {
                all.push_back(one);
            }
        }
    }
}

/// Of every group and of every pair of sites. Where samples do not tell them apart the first is
/// taken: an uplink, which is a rate, or a link between sites, of which a fabric states occupancy.
void add_for_sites(const SharedInput& input, Rule rule, std::vector<SharedResource>& all) {
    const SharedResource between{Scope::kBetween, rule, true, 0, 1};
    const bool several = input.sites.names.size() > 1;
    if (several && rule == Rule::kOccupancy) {
        all.push_back(between);
    }
    for (const Scope scope : {Scope::kGroup, Scope::kGroupOut, Scope::kGroupIn}) {
        if (!input.groups.empty()) {
            all.push_back({scope, rule, true, 0, 1});
        }
    }
    if (several && rule == Rule::kRate) {
        all.push_back(between);
    }
}

/// All resources that are tried, those of every host or group first.
std::vector<SharedResource> candidate_resources(const SharedInput& input) {
    std::vector<SharedResource> all;
    for (const Rule rule : {Rule::kRate, Rule::kOccupancy}) {
        for (const Scope scope : {Scope::kReceiver, Scope::kSender, Scope::kHost, Scope::kDuplex}) {
            all.push_back({scope, rule, true, 0, 1});
        }
        add_for_sites(input, rule, all);
    }
    std::erase_if(all, [&](const SharedResource& each) { return !is_shared(input, each); });
    for (const Scope scope : {Scope::kGroup, Scope::kGroupOut, Scope::kGroupIn}) {
        add_ones(input, scope, input.groups.size(), all);
    }
    add_ones(input, Scope::kBetween, input.sites.names.size() * input.sites.names.size(), all);
    if (input.hosts.size() <= kMaxHostsOneByOne) {
        add_ones(input, Scope::kReceiver, input.hosts.size(), all);
        add_ones(input, Scope::kSender, input.hosts.size(), all);
    }
    return all;
}

double factor_of(double mean_square) {
    return std::exp(std::sqrt(mean_square));
}

Chosen fitted_with(const LoadTable& table, const Chosen& chosen, std::size_t column) {
    Chosen more = chosen;
    more.columns.push_back(column);
    more.values.push_back(1);
    return table.fitted(std::move(more));
}

/// The state of the choice: root mean squares of log errors, so that "10 % less" means that.
struct Selection {
    Chosen chosen;
    double error = 0;
};

/// The best resource to add, or the same selection when none is worth it.
Selection one_more(const LoadTable& table,
                   const std::vector<SharedResource>& columns,
                   const Selection& now,
                   const SharedInput& input,
                   std::vector<SharedTrial>& trials) {
    Selection best = now;
    bool found = false;
    bool best_is_all = true;
    std::size_t best_trial = 0;
    for (std::size_t column = 0; column < columns.size(); ++column) {
        if (std::ranges::count(now.chosen.columns, column) > 0) {
            continue;
        }
        Selection next{fitted_with(table, now.chosen, column), 0};
        const double enough =
            std::min((1 - kResourceMustSave) * now.error, now.error - kNoDifference);
        // What does not even fit better cannot predict better.
        next.error = std::sqrt(table.mean_squared_error(next.chosen));
        next.error = next.error < enough ? std::sqrt(table.left_out(next.chosen)) : next.error;
        if (columns[column].every || next.error < enough) {
            trials.push_back(
                {detail::name_of(columns[column], input), std::exp(next.error), false});
        }
        const double hurdle =
            !columns[column].every && best_is_all ? kOneMustBeatAll * best.error : best.error;
        if (next.error < enough && (!found || next.error < hurdle - kNoDifference)) {
            best = std::move(next);
            best_is_all = columns[column].every;
            best_trial = trials.size() - 1;
            found = true;
        }
    }
    if (found) {
        trials[best_trial].kept = true;
    }
    return best;
}

/// Drops resources that later ones made needless.
void drop_needless(const LoadTable& table, Selection& now) {
    for (std::size_t k = 0; k < now.chosen.columns.size() && now.chosen.columns.size() > 1;) {
        Selection less = now;
        less.chosen.columns.erase(less.chosen.columns.begin() + static_cast<std::ptrdiff_t>(k));
        less.chosen.values.erase(less.chosen.values.begin() + static_cast<std::ptrdiff_t>(k));
        less.chosen = table.fitted(std::move(less.chosen));
        less.error = std::sqrt(table.left_out(less.chosen));
        if ((1 - kResourceMustSave) * less.error <= now.error ||
            less.error <= now.error + kNoDifference) {
            now = std::move(less);
        } else {
            ++k;
        }
    }
}

std::vector<SharedResource> resources_of(const std::vector<SharedResource>& columns,
                                         const Chosen& chosen) {
    std::vector<SharedResource> resources;
    for (std::size_t k = 0; k < chosen.columns.size(); ++k) {
        resources.push_back(columns[chosen.columns[k]]);
        resources.back().value = chosen.values[k];
    }
    return resources;
}

std::vector<Efficiency> efficiencies_of(const SharedInput& input,
                                        const std::vector<SharedResource>& resources) {
    std::map<std::tuple<std::string, std::size_t, std::string>, std::vector<double>> ratios;
    for (const LoadSample& sample : input.samples) {
        const std::size_t width = sample.sets.front().size();
        if (sample.extreme == Extreme::kExact && width > 1) {
            ratios[{sample.pattern, width, sample.congestion}].push_back(
                predicted_seconds(input, resources, sample) / sample.seconds);
        }
    }
    std::vector<Efficiency> all;
    for (auto& [key, values] : ratios) {
        const std::size_t count = values.size();
        const core::Summary summary = core::summarise(std::move(values));
        all.push_back({std::get<0>(key),
                       std::get<1>(key),
                       std::get<2>(key),
                       summary.median,
                       summary.p10,
                       summary.p90,
                       count});
    }
    return all;
}

core::Diagnostics problems_of(const SharedInput& input) {
    core::Diagnostics problems;
    if (input.samples.empty()) {
        problems.push_back(
            {"", "", "no transfers that ran at once were measured", "measure fans and both ways"});
    }
    for (const LoadSample& sample : input.samples) {
        for (const std::vector<Transfer>& set : sample.sets) {
            for (const Transfer& transfer : set) {
                if (input.bytes_per_s(transfer.from, transfer.to) <= 0) {
                    problems.push_back({"",
                                        sample.name,
                                        fmt::format("the pair {}>{} has no rate of its own",
                                                    input.hosts[transfer.from],
                                                    input.hosts[transfer.to]),
                                        "measure every pair that a fan uses alone, too"});
                }
            }
        }
    }
    return problems;
}

}  // namespace

std::vector<SharedResource> fit_values(const SharedInput& input,
                                       std::vector<SharedResource> resources) {
    const LoadTable table(input, resources);
    Chosen chosen;
    for (std::size_t k = 0; k < resources.size(); ++k) {
        chosen.columns.push_back(k);
        chosen.values.push_back(resources[k].value);
    }
    chosen = table.fitted(std::move(chosen));
    for (std::size_t k = 0; k < resources.size(); ++k) {
        resources[k].value = chosen.values[k];
    }
    return resources;
}

core::Result<SharedModel> fit_shared(const SharedInput& input) {
    core::Diagnostics problems = problems_of(input);
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    const std::vector<SharedResource> columns = candidate_resources(input);
    const LoadTable table(input, columns);
    SharedModel model;
    model.samples = input.samples.size();
    Selection now{{}, std::sqrt(table.left_out({}))};
    model.pairs_only_factor = std::exp(now.error);
    while (now.chosen.columns.size() < kMaxResources) {
        Selection next = one_more(table, columns, now, input, model.trials);
        if (next.chosen.columns.size() == now.chosen.columns.size()) {
            break;
        }
        now = std::move(next);
    }
    drop_needless(table, now);
    model.resources = resources_of(columns, now.chosen);
    model.left_out_factor = factor_of(now.error * now.error);
    model.factor = error_factor(input, model.resources);
    model.efficiencies = efficiencies_of(input, model.resources);
    model.trusted = model.left_out_factor <= kTrustedFactor;
    return model;
}

}  // namespace longhaul::measure
