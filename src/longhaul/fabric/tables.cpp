#include "longhaul/fabric/tables.hpp"

#include <algorithm>
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
        for (const std::size_t region : region_of) {
            parts.labels.push_back(names_[region]);
        }
        parts.alpha_ms = by_region(region_of, &LinkValues::alpha_ms);
        parts.beta_gbps = by_region(region_of, &LinkValues::beta_gbps);
        if (const auto provenance = root_.find("provenance")) {
            parts.provenance = provenance->string().value_or("");
        }
        return parts;
    }

    /// One value of every link; devices of a region are of one kind. Regions without devices are
    /// left out.
    [[nodiscard]] PairMatrix by_region(const std::vector<std::size_t>& region_of,
                                       double LinkValues::* value) const {
        std::vector<std::size_t> regions = region_of;
        regions.erase(std::unique(regions.begin(), regions.end()), regions.end());
        Grid<double> table(regions.size(), regions.size());
        std::vector<int> kind_of;
        for (std::size_t a = 0; a < regions.size(); ++a) {
            kind_of.resize(kind_of.size() + static_cast<std::size_t>(counts_[regions[a]]),
                           static_cast<int>(a));
            for (std::size_t b = 0; b < regions.size(); ++b) {
                table(a, b) = links_(regions[a], regions[b]).*value;
            }
        }
        return {std::move(kind_of), std::move(table)};
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
    const std::vector<int> kind_of = kinds_of_hosts(host_of);
    parts.alpha_ms = by_kind(kind_of, host_of, intra_delay, inter_delay);
    parts.beta_gbps = by_kind(kind_of, host_of, intra, inter);
    if (const auto provenance = root.find("provenance")) {
        parts.provenance = provenance->string().value_or("");
    }
    return parts;
}

}  // namespace longhaul::fabric
