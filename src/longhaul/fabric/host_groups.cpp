#include <algorithm>

#include <fmt/format.h>

#include "longhaul/fabric/limits.hpp"
#include "longhaul/fabric/tables.hpp"

namespace longhaul::fabric {
namespace {

using core::Cursor;
using core::Grid;

struct HostGroup {
    int instances = 0;
    int devices = 0;
};

HostGroup read_group(const Cursor& object) {
    HostGroup group;
    if (!object.is_object()) {
        return group;
    }
    if (const auto instances = object.require("instances", "the number of instances")) {
        group.instances = instances->integer(1, kMaxDevices).value_or(0);
    }
    if (const auto devices = object.require("gpus_per_instance", "the devices of an instance")) {
        group.devices = devices->integer(1, kMaxDevices).value_or(0);
    }
    return group;
}

std::vector<HostGroup> read_groups(const Cursor& root) {
    const auto list = root.find("groups");
    if (!list) {
        return {read_group(root)};
    }
    std::vector<HostGroup> groups;
    for (std::size_t i = 0; list->is_array() && i < list->value().size(); ++i) {
        groups.push_back(read_group(list->item(i)));
    }
    return groups;
}

/// Host index of every device; empty (and reported) when there are too many.
std::vector<int> host_of_devices(const Cursor& root, const std::vector<HostGroup>& groups) {
    std::vector<int> host_of;
    int host = 0;
    for (const HostGroup& group : groups) {
        for (int i = 0; i < group.instances; ++i, ++host) {
            if (host_of.size() + static_cast<std::size_t>(group.devices) > kMaxDevices) {
                root.report(fmt::format("has more than {} devices", kMaxDevices),
                            fmt::format("at most {} are supported", kMaxDevices));
                return {};
            }
            host_of.insert(host_of.end(), static_cast<std::size_t>(group.devices), host);
        }
    }
    return host_of;
}

/// Labels and devices of a host-group table: device i is on instance host_of[i].
FabricParts named_instances(const std::vector<int>& host_of) {
    FabricParts parts;
    int local_rank = 0;
    for (std::size_t i = 0; i < host_of.size(); ++i) {
        local_rank = i > 0 && host_of[i] == host_of[i - 1] ? local_rank + 1 : 0;
        Device device;
        device.host = fmt::format("instance-{}", host_of[i]);
        device.local_rank = local_rank;
        parts.labels.push_back(device.host);
        parts.devices.push_back(std::move(device));
    }
    return parts;
}

/// Instances of several devices are a kind each; all those of one device are one kind together.
std::vector<int> kinds_of_hosts(const std::vector<int>& host_of) {
    std::vector<int> kind_of(host_of.size());
    int kinds = 0;
    int alone = -1;
    for (std::size_t first = 0; first < host_of.size();) {
        std::size_t end = first;
        while (end < host_of.size() && host_of[end] == host_of[first]) {
            ++end;
        }
        const bool single = end == first + 1;
        const int kind = single && alone >= 0 ? alone : kinds++;
        alone = single ? kind : alone;
        std::fill(kind_of.begin() + static_cast<std::ptrdiff_t>(first),
                  kind_of.begin() + static_cast<std::ptrdiff_t>(end),
                  kind);
        first = end;
    }
    return kind_of;
}

/// `intra` inside an instance, `inter` elsewhere.
PairMatrix by_kind(const std::vector<int>& kind_of,
                   const std::vector<int>& host_of,
                   double intra,
                   double inter) {
    const int kinds = kind_of.empty() ? 0 : *std::ranges::max_element(kind_of) + 1;
    Grid<double> table(kinds, kinds, inter);
    for (std::size_t i = 1; i < host_of.size(); ++i) {
        if (host_of[i] == host_of[i - 1]) {
            table(kind_of[i], kind_of[i]) = intra;
        }
    }
    return {kind_of, std::move(table)};
}

}  // namespace

FabricParts expand_host_groups(const Cursor& root) {
    core::check_format(root, "longhaul.instances", 1, false);
    const std::vector<int> host_of = host_of_devices(root, read_groups(root));
    const auto number = [&](std::string_view key, std::string_view meaning, bool positive) {
        const auto found = root.require(key, meaning);
        return found ? (positive ? found->positive_number() : found->number_at_least(0)).value_or(1)
                     : 1;
    };
    const double inter_delay = number("delay_ms", "the latency in ms", false);
    const auto inside = root.find("intra_delay_ms");
    const double intra_delay = inside ? inside->number_at_least(0).value_or(0) : inter_delay;
    const double intra = number("intra_gbps", "the bandwidth inside an instance", true);
    const double inter = number("inter_gbps", "the bandwidth between instances", true);

    FabricParts parts = named_instances(host_of);
    const std::vector<int> kind_of = kinds_of_hosts(host_of);
    parts.alpha_ms = by_kind(kind_of, host_of, intra_delay, inter_delay);
    parts.beta_gbps = by_kind(kind_of, host_of, intra, inter);
    if (const auto provenance = root.find("provenance")) {
        parts.provenance = provenance->string().value_or("");
    }
    return parts;
}

}  // namespace longhaul::fabric
