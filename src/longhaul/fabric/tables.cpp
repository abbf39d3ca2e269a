#include "longhaul/fabric/tables.hpp"

#include <map>

#include <fmt/format.h>

namespace longhaul::fabric {
namespace {

using core::Cursor;
using core::Grid;

constexpr int kMaxCount = 20'000;
constexpr std::size_t kMaxRegions = 2'000;

struct LinkValues {
    double alpha_ms = 0;
    double beta_gbps = 1;
};

LinkValues read_link(const Cursor& object) {
    LinkValues link;
    if (!object.is_object()) {
        return link;
    }
    if (const auto delay = object.require("delay_ms", "the latency in ms")) {
        link.alpha_ms = delay->number_at_least(0).value_or(0);
    }
    if (const auto rate = object.require("bandwidth_gbps", "the bandwidth in Gbit/s")) {
        link.beta_gbps = rate->positive_number().value_or(1);
    }
    return link;
}

/// One entry for each of `count` things: a single value stands for all, a list must have them all.
template <class T, class Read>
std::vector<T> one_or_each(const Cursor& value, std::size_t count, Read read) {
    if (value.value().kind != core::Value::Kind::kArray) {
        return std::vector<T>(count, read(value));
    }
    if (value.value().size() != count) {
        value.report(fmt::format("has {} entries", value.value().size()),
                     fmt::format("give one value, or {}: one for each region", count));
        return std::vector<T>(count);
    }
    std::vector<T> all;
    for (std::size_t i = 0; i < count; ++i) {
        all.push_back(read(value.item(i)));
    }
    return all;
}

class RegionTable {
public:
    explicit RegionTable(const Cursor& root) : root_(root) {}

    FabricParts expand() {
        core::check_format(root_, "longhaul.regions", 1, false);
        read_regions();
        read_inside();
        read_pairs();
        return fill();
    }

private:
    void read_regions() {
        const auto regions = root_.find("regions");
        if (regions->value().size() > kMaxRegions) {
            regions->report(fmt::format("has {} regions", regions->value().size()),
                            fmt::format("at most {} are supported", kMaxRegions));
            return;
        }
        for (std::size_t i = 0; regions->is_array() && i < regions->value().size(); ++i) {
            const std::string name = regions->item(i).string().value_or("");
            if (!index_.emplace(name, index_.size()).second) {
                regions->item(i).report("region " + core::shown(name) + " is listed twice",
                                        "list every region once");
            }
            names_.push_back(name);
        }
        links_ = Grid<LinkValues>(names_.size(), names_.size());
        known_ = Grid<char>(names_.size(), names_.size(), 0);
        const auto counts = root_.find("devices_per_region")
                                ? root_.find("devices_per_region")
                                : root_.require("gpus_per_region", "the devices of each region");
        if (counts) {
            counts_ = one_or_each<int>(*counts, names_.size(), [](const Cursor& value) {
                return value.integer(0, kMaxCount).value_or(0);
            });
        }
        counts_.resize(names_.size(), 0);
    }

    void read_inside() {
        const auto inside =
            root_.require("intra_region", "delay_ms and bandwidth_gbps inside a region");
        if (!inside) {
            return;
        }
        const auto values = one_or_each<LinkValues>(*inside, names_.size(), read_link);
        for (std::size_t i = 0; i < names_.size(); ++i) {
            links_(i, i) = values[i];
        }
    }

    std::optional<std::size_t> region(const Cursor& pair, std::string_view key) {
        const auto name = pair.require(key, "a region");
        const auto text = name ? name->string() : std::nullopt;
        if (!text) {
            return std::nullopt;
        }
        const auto at = index_.find(*text);
        if (at == index_.end()) {
            name->report("unknown region " + core::shown(*text), "name one of regions");
            return std::nullopt;
        }
        return at->second;
    }

    void read_pair(const Cursor& pair, bool directed) {
        if (!pair.is_object()) {
            return;
        }
        const auto a = region(pair, "a");
        const auto b = region(pair, "b");
        const LinkValues link = read_link(pair);
        if (!a || !b) {
            return;
        }
        if (*a == *b) {
            pair.report("joins " + core::shown(names_[*a]) + " with itself",
                        "values inside a region belong in intra_region");
            return;
        }
        if (known_(*a, *b) != 0) {
            pair.report(fmt::format("{} and {} are listed twice", names_[*a], names_[*b]),
                        directed ? "list every ordered pair once" : "list every pair once");
            return;
        }
        links_(*a, *b) = link;
        known_(*a, *b) = 1;
        if (!directed) {
            links_(*b, *a) = link;
            known_(*b, *a) = 1;
        }
    }

    void read_pairs() {
        const auto flag = root_.find("directed");
        const bool directed = flag && flag->boolean().value_or(false);
        const auto pairs = names_.size() > 1 ? root_.require("pairs", "the links between regions")
                                             : root_.find("pairs");
        if (!pairs || !pairs->is_array()) {
            return;
        }
        for (std::size_t i = 0; i < pairs->value().size(); ++i) {
            read_pair(pairs->item(i), directed);
        }
        for (std::size_t a = 0; a < names_.size(); ++a) {
            for (std::size_t b = directed ? 0 : a + 1; b < names_.size(); ++b) {
                if (a != b && known_(a, b) == 0) {
                    pairs->report(fmt::format("{} to {} is missing", names_[a], names_[b]),
                                  "list every pair of regions");
                }
            }
        }
    }

    FabricParts fill() {
        FabricParts parts;
        std::vector<std::size_t> region_of;
        for (std::size_t r = 0; r < names_.size(); ++r) {
            region_of.insert(region_of.end(), static_cast<std::size_t>(counts_[r]), r);
        }
        const std::size_t n = region_of.size();
        if (n > static_cast<std::size_t>(kMaxCount)) {
            root_.report(fmt::format("has {} devices", n),
                         fmt::format("at most {} are supported", kMaxCount));
            return parts;
        }
        parts.alpha_ms = Grid<double>(n, n);
        parts.beta_gbps = Grid<double>(n, n);
        for (std::size_t i = 0; i < n; ++i) {
            parts.labels.push_back(names_[region_of[i]]);
            for (std::size_t j = 0; j < n; ++j) {
                const LinkValues& link = links_(region_of[i], region_of[j]);
                parts.alpha_ms(i, j) = i == j ? 0 : link.alpha_ms;
                parts.beta_gbps(i, j) = i == j ? 0 : link.beta_gbps;
            }
        }
        if (const auto provenance = root_.find("provenance")) {
            parts.provenance = provenance->string().value_or("");
        }
        return parts;
    }

    Cursor root_;
    std::vector<std::string> names_;
    std::map<std::string, std::size_t> index_;
    std::vector<int> counts_;
    Grid<LinkValues> links_;
    Grid<char> known_;
};

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
        group.instances = instances->integer(1, kMaxCount).value_or(0);
    }
    if (const auto devices = object.require("gpus_per_instance", "the devices of an instance")) {
        group.devices = devices->integer(1, kMaxCount).value_or(0);
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
            if (host_of.size() + static_cast<std::size_t>(group.devices) > kMaxCount) {
                root.report(fmt::format("has more than {} devices", kMaxCount),
                            fmt::format("at most {} are supported", kMaxCount));
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

}  // namespace

FabricParts expand_regions(const Cursor& root) {
    return RegionTable(root).expand();
}

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
    const std::size_t n = host_of.size();
    parts.alpha_ms = Grid<double>(n, n);
    parts.beta_gbps = Grid<double>(n, n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            const bool same = host_of[i] == host_of[j];
            parts.alpha_ms(i, j) = i == j ? 0 : same ? intra_delay : inter_delay;
            parts.beta_gbps(i, j) = i == j ? 0 : same ? intra : inter;
        }
    }
    if (const auto provenance = root.find("provenance")) {
        parts.provenance = provenance->string().value_or("");
    }
    return parts;
}

}  // namespace longhaul::fabric
