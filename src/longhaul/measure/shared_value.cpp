#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "longhaul/core/statistics.hpp"
#include "longhaul/measure/detail/between_sites.hpp"
#include "longhaul/measure/detail/loads.hpp"
#include "longhaul/measure/shared_model.hpp"

namespace longhaul::measure {
namespace {

constexpr double kGbpsOfBytes = 8e-9;

bool of_groups(Scope scope) {
    return scope == Scope::kGroup || scope == Scope::kGroupOut || scope == Scope::kGroupIn;
}

core::Value value_of(const SharedResource& resource, const SharedInput& input) {
    core::Value value = core::Value::object();
    value.set("scope", name_of(resource.scope)).set("rule", name_of(resource.rule));
    if (!resource.every && resource.scope == Scope::kBetween) {
        const std::vector<std::string>& sites = input.sites.names;
        core::Value ends = core::Value::array();
        ends.append(sites[resource.subject / sites.size()]);
        ends.append(sites[resource.subject % sites.size()]);
        value.set("between", std::move(ends));
    } else if (!resource.every) {
        const bool group = of_groups(resource.scope);
        value.set(group ? "group" : "host",
                  group ? input.groups[resource.subject].name : input.hosts[resource.subject]);
    }
    if (resource.rule == Rule::kRate) {
        value.set("gbps", resource.value * kGbpsOfBytes);
    } else {
        value.set("concurrency", resource.value);
    }
    return value;
}

core::Value value_of(const Efficiency& efficiency) {
    core::Value value = core::Value::object();
    value.set("pattern", efficiency.pattern).set("width", static_cast<double>(efficiency.width));
    if (!efficiency.congestion.empty()) {
        value.set("congestion", efficiency.congestion);
    }
    return value.set("eta", efficiency.eta)
        .set("p10", efficiency.p10)
        .set("p90", efficiency.p90)
        .set("samples", static_cast<double>(efficiency.samples));
}

/// Rates of a host or group, 0 where none was found.
struct Rates {
    double out = 0;
    double in = 0;
    double both = 0;  ///< half duplex: what it sends and receives together
};

void limit(double rate, double& known) {
    known = known == 0 ? rate : std::min(known, rate);
}

void apply(const SharedResource& resource, bool groups, std::vector<Rates>& rates) {
    if (resource.rule != Rule::kRate || of_groups(resource.scope) != groups) {
        return;
    }
    for (std::size_t subject = 0; subject < rates.size(); ++subject) {
        if (!resource.every && subject != resource.subject) {
            continue;
        }
        const Scope scope = resource.scope;
        if (scope == Scope::kDuplex) {
            limit(resource.value, rates[subject].both);
        }
        if (scope == Scope::kSender || scope == Scope::kHost || scope == Scope::kGroupOut ||
            scope == Scope::kGroup) {
            limit(resource.value, rates[subject].out);
        }
        if (scope == Scope::kReceiver || scope == Scope::kHost || scope == Scope::kGroupIn ||
            scope == Scope::kGroup) {
            limit(resource.value, rates[subject].in);
        }
    }
}

double gbps_or_no_limit(double bytes_per_s) {
    return bytes_per_s == 0 ? fabric::SharedCapacity::kNoLimit : bytes_per_s * kGbpsOfBytes;
}

/// What a fabric states of one host or group: up to two entries.
void add_capacities(const Rates& rates,
                    const std::string& name,
                    const std::vector<std::string>& hosts,
                    std::vector<fabric::SharedCapacity>& all) {
    fabric::SharedCapacity capacity;
    capacity.of = hosts;
    if (rates.out > 0 || rates.in > 0) {
        capacity.name = name;
        capacity.there_gbps = gbps_or_no_limit(rates.out);
        capacity.back_gbps = gbps_or_no_limit(rates.in);
        all.push_back(capacity);
    }
    if (rates.both > 0) {
        capacity.name = name + ", both ways";
        capacity.there_gbps = capacity.back_gbps = gbps_or_no_limit(rates.both);
        capacity.duplex = false;
        all.push_back(capacity);
    }
}

}  // namespace

core::Value to_value(const SharedModel& model, const SharedInput& input) {
    core::Value resources = core::Value::array();
    for (const SharedResource& resource : model.resources) {
        resources.append(value_of(resource, input));
    }
    core::Value efficiencies = core::Value::array();
    for (const Efficiency& efficiency : model.efficiencies) {
        efficiencies.append(value_of(efficiency));
    }
    core::Value trials = core::Value::array();
    for (const SharedTrial& trial : model.trials) {
        trials.append(core::Value::object()
                          .set("resource", trial.resource)
                          .set("left_out_factor", trial.left_out_factor)
                          .set("kept", trial.kept));
    }
    return core::Value::object()
        .set("resources", std::move(resources))
        .set("efficiencies", std::move(efficiencies))
        .set("factor", model.factor)
        .set("left_out_factor", model.left_out_factor)
        .set("pairs_only_factor", model.pairs_only_factor)
        .set("samples", static_cast<double>(model.samples))
        .set("trusted", model.trusted)
        .set("trials", std::move(trials));
}

std::vector<std::size_t> not_in_fabric(const SharedModel& model, const SharedInput& input) {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < model.resources.size(); ++i) {
        // What the fabric states would be the same without the resource.
        SharedModel without = model;
        without.resources.erase(without.resources.begin() + static_cast<std::ptrdiff_t>(i));
        const auto stated = [&](const SharedModel& of) {
            std::vector<std::tuple<std::string, double, double>> list;
            for (const fabric::SharedCapacity& each : shared_capacities(of, input)) {
                list.emplace_back(each.name, each.there_gbps, each.back_gbps);
            }
            return list;
        };
        if (stated(model) == stated(without)) {
            indices.push_back(i);
        }
    }
    return indices;
}

double usual_gbps(const SharedResource& resource, const SharedInput& input) {
    if (resource.rule == Rule::kRate) {
        return resource.value * kGbpsOfBytes;
    }
    std::vector<double> rates;
    for (std::size_t from = 0; from < input.hosts.size(); ++from) {
        for (std::size_t to = 0; to < input.hosts.size(); ++to) {
            if (from == to || input.bytes_per_s(from, to) <= 0) {
                continue;
            }
            const Transfer one{from, to, 1};
            const double seconds = detail::unit_load(input, resource, {&one, 1});
            if (seconds > 0) {
                rates.push_back(1 / seconds);
            }
        }
    }
    return rates.empty() ? 0
                         : resource.value * core::summarise(std::move(rates)).median * kGbpsOfBytes;
}

std::vector<fabric::SharedCapacity> shared_capacities(const SharedModel& model,
                                                      const SharedInput& input) {
    std::vector<fabric::SharedCapacity> all;
    for (const bool groups : {false, true}) {
        std::vector<Rates> rates(groups ? input.groups.size() : input.hosts.size());
        for (const SharedResource& resource : model.resources) {
            apply(resource, groups, rates);
        }
        for (std::size_t subject = 0; subject < rates.size(); ++subject) {
            std::vector<std::string> hosts;
            if (groups) {
                for (const std::size_t host : input.groups[subject].members) {
                    hosts.push_back(input.hosts[host]);
                }
            } else {
                hosts.push_back(input.hosts[subject]);
            }
            if (hosts.size() < input.hosts.size()) {
                add_capacities(rates[subject],
                               groups ? input.groups[subject].name : "host " + hosts.front(),
                               hosts,
                               all);
            }
        }
    }
    detail::add_between_sites(model, input, all);
    return all;
}

}  // namespace longhaul::measure
