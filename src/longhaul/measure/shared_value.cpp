#include <algorithm>
#include <map>

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
    if (!resource.every) {
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
struct BothWays {
    double out = 0;
    double in = 0;
};

void limit(double rate, double& known) {
    known = known == 0 ? rate : std::min(known, rate);
}

void apply(const SharedResource& resource, bool groups, std::vector<BothWays>& rates) {
    if (resource.rule != Rule::kRate || of_groups(resource.scope) != groups ||
        resource.scope == Scope::kDuplex) {
        return;
    }
    for (std::size_t subject = 0; subject < rates.size(); ++subject) {
        if (!resource.every && subject != resource.subject) {
            continue;
        }
        const Scope scope = resource.scope;
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
        const auto gbps = [&](const SharedModel& of) {
            std::vector<std::pair<std::string, double>> stated;
            for (const fabric::SharedCapacity& capacity : shared_capacities(of, input)) {
                stated.emplace_back(capacity.name, capacity.gbps);
            }
            return stated;
        };
        if (gbps(model) == gbps(without)) {
            indices.push_back(i);
        }
    }
    return indices;
}

std::vector<fabric::SharedCapacity> shared_capacities(const SharedModel& model,
                                                      const SharedInput& input) {
    std::vector<fabric::SharedCapacity> all;
    for (const bool groups : {false, true}) {
        std::vector<BothWays> rates(groups ? input.groups.size() : input.hosts.size());
        for (const SharedResource& resource : model.resources) {
            apply(resource, groups, rates);
        }
        for (std::size_t subject = 0; subject < rates.size(); ++subject) {
            const BothWays& rate = rates[subject];
            const bool everybody =
                groups && input.groups[subject].members.size() == input.hosts.size();
            if (rate.out == 0 || rate.in == 0 || everybody || input.hosts.size() < 2) {
                continue;
            }
            fabric::SharedCapacity capacity;
            capacity.gbps = std::min(rate.out, rate.in) * kGbpsOfBytes;
            if (groups) {
                capacity.name = input.groups[subject].name;
                for (const std::size_t host : input.groups[subject].members) {
                    capacity.of.push_back(input.hosts[host]);
                }
            } else {
                capacity.name = "host " + input.hosts[subject];
                capacity.of.push_back(input.hosts[subject]);
            }
            all.push_back(std::move(capacity));
        }
    }
    return all;
}

}  // namespace longhaul::measure
