#include "longhaul/launch/match.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

namespace longhaul::launch {
namespace {

using placement::DevicePlace;

constexpr std::size_t kNamesShown = 6;

std::string folded(std::string text) {
    std::ranges::transform(text, text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return text;
}

/// A host that the plan names, in order of its first device.
struct Named {
    std::string name;
    std::string address;
    std::vector<int> devices;  ///< by local rank, then by row
    bool placed = false;       ///< a device of it has a rank
};

std::vector<Named> named_hosts(std::span<const DevicePlace> places, std::span<const int> rank_map) {
    std::vector<Named> hosts;
    std::map<std::string, std::size_t> index;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto [at, fresh] = index.emplace(folded(places[i].host), hosts.size());
        if (fresh) {
            hosts.push_back({places[i].host, "", {}, false});
        }
        Named& host = hosts[at->second];
        if (host.address.empty()) {
            host.address = places[i].address;
        }
        host.devices.push_back(static_cast<int>(i));
        host.placed = host.placed || rank_map.empty() || rank_map[i] >= 0;
    }
    for (Named& host : hosts) {
        std::ranges::stable_sort(host.devices, {}, [&](int device) {
            return places[static_cast<std::size_t>(device)].local_rank.value_or(0);
        });
    }
    return hosts;
}

/// "instance-3": the name that a host-group table gives.
bool invented(const Named& host) {
    constexpr std::string_view kPrefix = "instance-";
    return host.name.starts_with(kPrefix) && host.name.size() > kPrefix.size() &&
           host.name.find_first_not_of("0123456789", kPrefix.size()) == std::string::npos;
}

/// Index into `named` of the partner of every host: by its name in the fabric where the file gives
/// it, else by name, then by address.
std::vector<std::optional<std::size_t>> partners(const std::vector<Host>& hosts,
                                                 const std::vector<Named>& named) {
    std::map<std::string, std::size_t> by_name;
    std::map<std::string, std::size_t> by_address;
    for (std::size_t i = 0; i < named.size(); ++i) {
        by_name.emplace(folded(named[i].name), i);
        if (!named[i].address.empty()) {
            by_address.emplace(folded(named[i].address), i);
        }
    }
    std::vector<std::optional<std::size_t>> partner(hosts.size());
    std::set<std::size_t> taken;
    const auto take = [&](const auto& index, const std::string& key, std::size_t host) {
        const auto found = index.find(folded(key));
        if (!partner[host] && found != index.end() && taken.insert(found->second).second) {
            partner[host] = found->second;
        }
    };
    for (std::size_t h = 0; h < hosts.size(); ++h) {
        if (!hosts[h].fabric_host.empty()) {
            take(by_name, hosts[h].fabric_host, h);
        }
    }
    for (std::size_t h = 0; h < hosts.size(); ++h) {
        if (hosts[h].fabric_host.empty()) {
            take(by_name, hosts[h].name, h);
        }
    }
    for (std::size_t h = 0; h < hosts.size(); ++h) {
        if (!hosts[h].fabric_host.empty()) {
            continue;  // a name that is wrong is no reason to guess
        }
        take(by_address, hosts[h].address, h);
        take(by_name, hosts[h].address, h);
    }
    return partner;
}

template <class Item, class Name>
std::string names_of(const std::vector<Item>& items, Name name) {
    std::string text;
    for (std::size_t i = 0; i < std::min(items.size(), kNamesShown); ++i) {
        text += (i == 0 ? "" : ", ") + core::shown(name(items[i]));
    }
    return items.size() > kNamesShown
               ? fmt::format("{} and {} more", text, items.size() - kNamesShown)
               : text;
}

/// One problem a host without a partner.
core::Diagnostics unmatched(const std::vector<Host>& hosts,
                            const std::vector<Named>& named,
                            const std::vector<std::optional<std::size_t>>& partner) {
    constexpr std::string_view kFix =
        "name them alike, or give each its fabric_host (its name in the plan)";
    const auto called = [](const Host& host) {
        return host.fabric_host.empty() ? host.name : host.fabric_host;
    };
    core::Diagnostics problems;
    for (std::size_t i = 0; i < named.size(); ++i) {
        if (named[i].placed && std::ranges::find(partner, std::optional(i)) == partner.end()) {
            problems.push_back(
                {"",
                 "host",
                 fmt::format("no host is the plan's {}", core::shown(named[i].name)),
                 fmt::format("this file has {}; {}", names_of(hosts, called), kFix)});
        }
    }
    for (std::size_t h = 0; h < hosts.size(); ++h) {
        if (!partner[h]) {
            problems.push_back(
                {"",
                 "host",
                 fmt::format("the plan has no host {}", core::shown(called(hosts[h]))),
                 fmt::format("it has {}; {}",
                             names_of(named, [](const Named& host) { return host.name; }),
                             kFix)});
        } else if (const Named& host = named[*partner[h]];
                   host.devices.size() != hosts[h].gpus.size()) {
            problems.push_back(
                {"",
                 "host",
                 fmt::format(
                     "host {} has {} devices", core::shown(hosts[h].name), hosts[h].gpus.size()),
                 fmt::format("the plan knows {} of them", host.devices.size())});
        }
    }
    return problems;
}

/// Devices without a host among those that have one.
core::Diagnostics nameless(std::span<const DevicePlace> places) {
    core::Diagnostics problems;
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i].host.empty()) {
            problems.push_back({"",
                                "host",
                                fmt::format("the plan does not say on which host device {} is", i),
                                "give fabric_devices for every host"});
        }
    }
    return problems;
}

/// Local ranks of the devices where all are known and different, else nothing.
std::vector<int> local_ranks(const Named& host, std::span<const DevicePlace> places) {
    std::vector<int> ranks;
    for (const int device : host.devices) {
        const auto& rank = places[static_cast<std::size_t>(device)].local_rank;
        if (!rank || (!ranks.empty() && ranks.back() == *rank)) {
            return {};
        }
        ranks.push_back(*rank);
    }
    return ranks;
}

}  // namespace

core::Result<Hosts> match_hosts(Hosts hosts,
                                std::span<const DevicePlace> places,
                                std::span<const int> rank_map) {
    if (hosts.numbered || places.empty()) {
        return hosts;
    }
    if (core::Diagnostics problems = nameless(places); !problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    const std::vector<Named> named = named_hosts(places, rank_map);
    const auto partner = partners(hosts.hosts, named);
    const bool none =
        std::ranges::none_of(partner, [](const auto& one) { return one.has_value(); });
    if (none && std::ranges::all_of(named, invented)) {
        return hosts;
    }
    if (core::Diagnostics problems = unmatched(hosts.hosts, named, partner); !problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    for (std::size_t h = 0; h < hosts.hosts.size(); ++h) {
        Host& host = hosts.hosts[h];
        const Named& match = named[*partner[h]];
        host.fabric_devices = match.devices;
        std::vector<int> ranks = local_ranks(match, places);
        if (!host.gpus_listed && !ranks.empty()) {
            host.gpus = std::move(ranks);
        }
    }
    hosts.numbered = true;
    return hosts;
}

}  // namespace longhaul::launch
