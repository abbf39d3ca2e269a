#include "longhaul/fabric/tables.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "longhaul/fabric/limits.hpp"

namespace longhaul::fabric {
namespace {

using core::Cursor;
using core::Grid;

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

/// What to do where devices of one region differ.
constexpr std::string_view kByDevice =
    "; where devices of a region differ, write the table out (longhaul fabric FILE -o fabric.json) "
    "and change the entries of its devices";

/// One entry for each of `count` things: a single value stands for all, a list must have them all.
/// `otherwise` ends the advice.
template <class T, class Read>
std::vector<T> one_or_each(const Cursor& value,
                           std::size_t count,
                           Read read,
                           std::string_view otherwise = "") {
    if (value.value().kind != core::Value::Kind::kArray) {
        return std::vector<T>(count, read(value));
    }
    if (value.value().size() != count) {
        value.report(fmt::format("has {} entries", value.value().size()),
                     fmt::format("give one value, or {}: one for each region{}", count, otherwise));
        return std::vector<T>(count);
    }
    const std::vector<core::Value>& items = value.value().items;  // empty for a list of numbers
    for (std::size_t i = 0; i < items.size() && !otherwise.empty(); ++i) {
        if (items[i].kind == core::Value::Kind::kArray) {
            value.item(i).report("found a list",
                                 fmt::format("give one value for the region{}", otherwise));
            return std::vector<T>(count);
        }
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
        read_devices();
        return fill();
    }

private:
    /// What every device of a region has; one value of a key, or one a region.
    struct Equipment {
        std::optional<std::vector<int>> per_host;
        std::optional<std::vector<double>> speed;
        std::optional<std::vector<double>> memory_gb;
        [[nodiscard]] bool any() const { return per_host || speed || memory_gb; }
    };

    void read_devices() {
        const auto per_host = root_.find("devices_per_host") ? root_.find("devices_per_host")
                                                             : root_.find("gpus_per_host");
        if (per_host) {
            equipment_.per_host =
                one_or_each<int>(*per_host, names_.size(), [](const Cursor& value) {
                    return value.integer(1, static_cast<int>(kMaxDevices)).value_or(1);
                });
        }
        if (const auto speed = root_.find("speed")) {
            equipment_.speed = one_or_each<double>(
                *speed,
                names_.size(),
                [](const Cursor& value) {
                    return value.number_in(kMinSpeed, kMaxSpeed).value_or(1);
                },
                kByDevice);
        }
        if (const auto memory = root_.find("memory_gb")) {
            equipment_.memory_gb = one_or_each<double>(
                *memory,
                names_.size(),
                [](const Cursor& value) { return value.positive_number().value_or(1); },
                kByDevice);
        }
    }

    /// Device number `i` of a region; hosts are filled one after another.
    [[nodiscard]] Device device_of(std::size_t region, int i) const {
        Device device;
        if (equipment_.per_host) {
            const int each = std::max(1, (*equipment_.per_host)[region]);
            device.host = fmt::format("{}-host-{}", names_[region], i / each);
            device.local_rank = i % each;
        }
        if (equipment_.speed) {
            device.speed = (*equipment_.speed)[region];
        }
        if (equipment_.memory_gb) {
            device.memory_gb = (*equipment_.memory_gb)[region];
        }
        return device;
    }

    void read_regions() {
        const auto regions = root_.find("regions");
        if (regions->value().size() > kMaxRegions) {
            regions->report(fmt::format("has {} regions", regions->value().size()),
                            fmt::format("at most {} are supported", kMaxRegions));
            return;
        }
        for (std::size_t i = 0; regions->is_array() && i < regions->value().size(); ++i) {
            const std::string name = regions->item(i).name().value_or("");
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
                return value.integer(0, kMaxDevices).value_or(0);
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
        if (known_(*a, *b) == kListed) {
            pair.report(fmt::format("{} and {} are listed twice", names_[*a], names_[*b]),
                        directed ? "list every ordered pair once" : "list every pair once");
            return;
        }
        if (known_(*a, *b) == kOtherWay && !both_ways_) {  // said once for all pairs
            both_ways_ = true;
            pair.report(
                fmt::format("{} and {} are listed both ways", names_[*a], names_[*b]),
                "add directed = true when each pair has a row for each direction; otherwise list "
                "every pair once");
        }
        links_(*a, *b) = link;
        known_(*a, *b) = kListed;
        if (!directed && known_(*b, *a) == 0) {
            links_(*b, *a) = link;
            known_(*b, *a) = kOtherWay;
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
        if (n > static_cast<std::size_t>(kMaxDevices)) {
            root_.report(fmt::format("has {} devices", n),
                         fmt::format("at most {} are supported", kMaxDevices));
            return parts;
        }
        std::vector<int> next(names_.size(), 0);  // number of the next device of each region
        for (const std::size_t region : region_of) {
            parts.labels.push_back(names_[region]);
            if (equipment_.any()) {
                parts.devices.push_back(device_of(region, next[region]++));
            }
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
    Equipment equipment_;
    Grid<LinkValues> links_;
    static constexpr char kListed = 1;
    static constexpr char kOtherWay = 2;  ///< holds since the other direction is listed
    Grid<char> known_;
    bool both_ways_ = false;
};

}  // namespace

FabricParts expand_regions(const Cursor& root) {
    return RegionTable(root).expand();
}

}  // namespace longhaul::fabric
