#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "longhaul/measure/detail/loads.hpp"

namespace longhaul::measure {
namespace {

bool is_group(Scope scope) {
    return scope == Scope::kGroupOut || scope == Scope::kGroupIn || scope == Scope::kGroup;
}

bool has_member(const HostGroup& group, std::size_t host) {
    return std::ranges::find(group.members, host) != group.members.end();
}

double weight(const SharedInput& pairs, Rule rule, const Transfer& transfer) {
    return rule == Rule::kRate ? transfer.bytes
                               : transfer.bytes / pairs.bytes_per_s(transfer.from, transfer.to);
}

double load_of_host(const SharedInput& pairs,
                    const SharedResource& resource,
                    std::size_t host,
                    std::span<const Transfer> transfers) {
    double out = 0;
    double in = 0;
    for (const Transfer& transfer : transfers) {
        const bool sends = transfer.from == host && resource.scope != Scope::kReceiver;
        const bool receives = transfer.to == host && resource.scope != Scope::kSender;
        out += sends ? weight(pairs, resource.rule, transfer) : 0;
        in += receives ? weight(pairs, resource.rule, transfer) : 0;
    }
    return resource.scope == Scope::kDuplex ? out + in : std::max(out, in);
}

double load_of_group(const SharedInput& pairs,
                     const SharedResource& resource,
                     const HostGroup& group,
                     std::span<const Transfer> transfers) {
    double out = 0;
    double in = 0;
    for (const Transfer& transfer : transfers) {
        const bool from = has_member(group, transfer.from);
        const bool to = has_member(group, transfer.to);
        out += from && !to ? weight(pairs, resource.rule, transfer) : 0;
        in += to && !from ? weight(pairs, resource.rule, transfer) : 0;
    }
    if (resource.scope == Scope::kGroupOut) {
        return out;
    }
    return resource.scope == Scope::kGroupIn ? in : std::max(out, in);
}

/// Each ordered pair of sites by itself; the busiest, or that of the resource.
double load_between(const SharedInput& pairs,
                    const SharedResource& resource,
                    std::span<const Transfer> transfers) {
    std::map<std::size_t, double> loads;
    double most = 0;
    for (const Transfer& transfer : transfers) {
        const std::size_t subject = pairs.sites.pair_of(transfer.from, transfer.to);
        if (subject != HostSites::kNone && (resource.every || subject == resource.subject)) {
            double& load = loads[subject];
            load += weight(pairs, resource.rule, transfer);
            most = std::max(most, load);
        }
    }
    return most;
}

}  // namespace

std::size_t HostSites::pair_of(std::size_t from, std::size_t to) const {
    const std::size_t a = of_host.empty() ? kNone : of_host[from];
    const std::size_t b = of_host.empty() ? kNone : of_host[to];
    return a == kNone || b == kNone || a == b ? kNone : a * names.size() + b;
}

std::string_view name_of(Rule rule) {
    return rule == Rule::kRate ? "rate" : "occupancy";
}

std::string_view name_of(Scope scope) {
    switch (scope) {
        case Scope::kSender:
            return "sender";
        case Scope::kReceiver:
            return "receiver";
        case Scope::kHost:
            return "host";
        case Scope::kDuplex:
            return "duplex";
        case Scope::kGroupOut:
            return "group_out";
        case Scope::kGroupIn:
            return "group_in";
        case Scope::kBetween:
            return "between";
        default:
            return "group";
    }
}

namespace detail {

PairLoad pair_load(const SharedInput& pairs, std::span<const Transfer> transfers) {
    PairLoad load;
    std::map<std::pair<std::size_t, std::size_t>, double> bytes;
    for (const Transfer& transfer : transfers) {
        load.alpha_s = std::max(load.alpha_s, pairs.alpha_s(transfer.from, transfer.to));
        bytes[{transfer.from, transfer.to}] += transfer.bytes;
    }
    for (const auto& [pair, sum] : bytes) {
        load.seconds = std::max(load.seconds, sum / pairs.bytes_per_s(pair.first, pair.second));
    }
    return load;
}

double unit_load(const SharedInput& pairs,
                 const SharedResource& resource,
                 std::span<const Transfer> transfers) {
    if (resource.scope == Scope::kBetween) {
        return load_between(pairs, resource, transfers);
    }
    const bool groups = is_group(resource.scope);
    const std::size_t subjects = groups ? pairs.groups.size() : pairs.hosts.size();
    double most = 0;
    for (std::size_t subject = 0; subject < subjects; ++subject) {
        if (!resource.every && subject != resource.subject) {
            continue;
        }
        const double load = groups
                                ? load_of_group(pairs, resource, pairs.groups[subject], transfers)
                                : load_of_host(pairs, resource, subject, transfers);
        most = std::max(most, load);
    }
    return most;
}

std::size_t loading(const SharedInput& pairs,
                    const SharedResource& resource,
                    std::span<const Transfer> transfers) {
    std::vector<Transfer> units(transfers.begin(), transfers.end());
    for (Transfer& transfer : units) {
        transfer.bytes = 1;
    }
    SharedResource counter = resource;
    counter.rule = Rule::kRate;
    return static_cast<std::size_t>(unit_load(pairs, counter, units));
}

std::string name_of(const SharedResource& resource, const SharedInput& input) {
    std::string name =
        fmt::format("{} {}", measure::name_of(resource.scope), measure::name_of(resource.rule));
    if (!resource.every && resource.scope == Scope::kBetween) {
        const std::vector<std::string>& sites = input.sites.names;
        name += fmt::format(" of {}>{}",
                            sites[resource.subject / sites.size()],
                            sites[resource.subject % sites.size()]);
    } else if (!resource.every) {
        name += " of " + (is_group(resource.scope) ? input.groups[resource.subject].name
                                                   : input.hosts[resource.subject]);
    }
    return name;
}

}  // namespace detail

double predicted_seconds(const SharedInput& pairs,
                         const std::vector<SharedResource>& resources,
                         std::span<const Transfer> transfers) {
    const detail::PairLoad pair = detail::pair_load(pairs, transfers);
    double busiest = pair.seconds;
    for (const SharedResource& resource : resources) {
        busiest = std::max(busiest, detail::unit_load(pairs, resource, transfers) / resource.value);
    }
    return pair.alpha_s + busiest;
}

double predicted_seconds(const SharedInput& pairs,
                         const std::vector<SharedResource>& resources,
                         const LoadSample& sample) {
    double extreme = predicted_seconds(pairs, resources, std::span(sample.sets.front()));
    for (const std::vector<Transfer>& set : sample.sets) {
        const double seconds = predicted_seconds(pairs, resources, std::span(set));
        extreme = sample.extreme == Extreme::kFastest ? std::min(extreme, seconds)
                                                      : std::max(extreme, seconds);
    }
    return extreme;
}

double error_factor(const SharedInput& input, const std::vector<SharedResource>& resources) {
    double sum = 0;
    for (const LoadSample& sample : input.samples) {
        const double error = std::log(predicted_seconds(input, resources, sample) / sample.seconds);
        sum += error * error;
    }
    return input.samples.empty()
               ? 1
               : std::exp(std::sqrt(sum / static_cast<double>(input.samples.size())));
}

}  // namespace longhaul::measure
