#include "longhaul/fabric/subset.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "longhaul/core/assert.hpp"
#include "longhaul/fabric/names.hpp"

namespace longhaul::fabric {
namespace {

std::string host_name_of(const Fabric& fabric, std::size_t device) {
    const std::vector<Device>& devices = fabric.parts().devices;
    return devices.empty() ? std::string() : devices[device].host;
}

/// Kinds without a device go, the others close up.
template <class T>
PairTable<T> restricted(const PairTable<T>& pairs, const std::vector<int>& devices) {
    std::vector<int> number(pairs.kinds(), -1);
    std::vector<int> kinds;
    std::vector<int> kind_of;
    for (const int device : devices) {
        const int kind = pairs.kind_of_device()[static_cast<std::size_t>(device)];
        int& mine = number[static_cast<std::size_t>(kind)];
        if (mine < 0) {
            mine = static_cast<int>(kinds.size());
            kinds.push_back(kind);
        }
        kind_of.push_back(mine);
    }
    core::Grid<T> table(kinds.size(), kinds.size());
    for (std::size_t a = 0; a < kinds.size(); ++a) {
        for (std::size_t b = 0; b < kinds.size(); ++b) {
            table(a, b) = pairs.table()(static_cast<std::size_t>(kinds[a]),
                                        static_cast<std::size_t>(kinds[b]));
        }
    }
    return {std::move(kind_of), std::move(table)};
}

std::optional<Interval> restricted(const std::optional<Interval>& interval,
                                   const std::vector<int>& devices) {
    return interval ? std::optional(Interval{restricted(interval->lower, devices),
                                             restricted(interval->upper, devices)})
                    : std::nullopt;
}

template <class Item>
std::vector<Item> picked(const std::vector<Item>& items, const std::vector<int>& devices) {
    std::vector<Item> some;
    for (const int device : devices) {
        if (!items.empty()) {
            some.push_back(items[static_cast<std::size_t>(device)]);
        }
    }
    return some;
}

/// The resource for what is left; nullopt when no pair loads it.
std::optional<SharedCapacity> remaining(SharedCapacity resource,
                                        const std::vector<std::string>& labels,
                                        const std::vector<std::string>& hosts) {
    const auto gone = [&](const std::string& place) {
        return std::ranges::find(labels, place) == labels.end() &&
               std::ranges::find(hosts, place) == hosts.end();
    };
    if (resource.of.empty()) {
        return std::ranges::any_of(resource.between, gone) ? std::nullopt
                                                           : std::optional(std::move(resource));
    }
    std::erase_if(resource.of, gone);
    if (resource.of.empty() || std::ranges::count(sides_of(resource, labels, hosts), 2) == 0) {
        return std::nullopt;
    }
    return resource;
}

}  // namespace

core::Result<std::vector<int>> devices_at(const Fabric& fabric,
                                          const std::vector<std::string>& places,
                                          bool keep) {
    const std::vector<std::string> names = device_names(fabric);
    std::set<std::string_view> known;
    std::vector<int> devices;
    for (std::size_t i = 0; i < fabric.size(); ++i) {
        bool named = false;
        for (const std::string& place : places) {
            if (fabric.labels()[i] == place || host_name_of(fabric, i) == place ||
                names[i] == place) {
                named = true;
                known.insert(place);
            }
        }
        if (named == keep) {
            devices.push_back(static_cast<int>(i));
        }
    }
    core::Diagnostics problems;
    for (const std::string& place : places) {
        if (!known.contains(place)) {
            problems.push_back({"",
                                keep ? "--keep" : "--drop",
                                "no device has the host, label or name " + core::shown(place),
                                "name hosts, labels or devices of this fabric, such as " +
                                    core::shown(names.front())});
        }
    }
    if (problems.empty() && devices.empty()) {
        problems.push_back({"", keep ? "--keep" : "--drop", "leaves no device", "leave one"});
    }
    return problems.empty() ? core::Result<std::vector<int>>(std::move(devices))
                            : tl::unexpected(std::move(problems));
}

Fabric subset(const Fabric& fabric, const std::vector<int>& devices, const std::string& note) {
    const FabricParts& all = fabric.parts();
    FabricParts parts;
    parts.labels = picked(all.labels, devices);
    parts.devices = picked(all.devices, devices);
    parts.alpha_ms = restricted(all.alpha_ms, devices);
    parts.beta_gbps = restricted(all.beta_gbps, devices);
    if (!all.estimated.empty()) {
        parts.estimated = restricted(all.estimated, devices);
    }
    parts.alpha_interval = restricted(all.alpha_interval, devices);
    parts.beta_interval = restricted(all.beta_interval, devices);
    std::vector<std::string> hosts;
    for (const Device& device : parts.devices) {
        hosts.push_back(device.host);
    }
    for (const SharedCapacity& resource : all.shared) {
        if (auto left = remaining(resource, parts.labels, hosts)) {
            parts.shared.push_back(std::move(*left));
        }
    }
    parts.provenance = all.provenance + (all.provenance.empty() ? "" : "; ") + note;
    core::Result<Fabric> made = Fabric::make(std::move(parts), "");
    LONGHAUL_ASSERT(made.has_value());
    return std::move(*made);
}

}  // namespace longhaul::fabric
