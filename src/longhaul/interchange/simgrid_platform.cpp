#include "longhaul/interchange/detail/simgrid_platform.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "longhaul/interchange/detail/text.hpp"

namespace longhaul::interchange::detail {
namespace {

constexpr std::size_t kMostClusterHosts = 4096;

/// Whether an element changes nothing about links between hosts.
bool is_harmless(std::string_view name) {
    constexpr std::array<std::string_view, 9> kHarmless = {"prop",
                                                           "config",
                                                           "storage",
                                                           "storage_type",
                                                           "mount",
                                                           "disk",
                                                           "trace",
                                                           "trace_connect",
                                                           "model_prop"};
    return std::ranges::find(kHarmless, name) != kHarmless.end();
}

/// Value of a <prop> of an element; "" without.
std::string property(const XmlNode& element, std::string_view id) {
    for (const XmlNode& child : element.children) {
        if (child.name == "prop" && child.attribute("id") == id) {
            return std::string(child.attribute("value"));
        }
    }
    return "";
}

class PlatformReader {
public:
    PlatformReader(const Report& report, Platform& platform)
        : report_(report), platform_(platform) {}

    void read_zone(const XmlNode& element, int parent);

private:
    void read_child(const XmlNode& child, int zone);
    void read_host(const XmlNode& element, int zone);
    void read_link(const XmlNode& element);
    void read_route(const XmlNode& element, int zone, bool between_zones);
    void read_cluster(const XmlNode& element, int parent);
    [[nodiscard]] std::string text(const XmlNode& element, std::string_view key);
    [[nodiscard]] double rate(const XmlNode& element, std::string_view key);
    [[nodiscard]] double latency(const XmlNode& element, std::string_view key);
    [[nodiscard]] std::vector<int> radical(const XmlNode& element);
    int add_zone(const std::string& name, std::string routing, int parent);
    void add_point(const std::string& name, int zone, const XmlNode& element);
    [[nodiscard]] int number_link(const std::string& name, double gbps, std::string_view policy);
    [[nodiscard]] Way reversed(Way way) const;

    const Report& report_;
    Platform& platform_;
};

std::string PlatformReader::text(const XmlNode& element, std::string_view key) {
    if (!element.has(key)) {
        report_.at(element.line,
                   fmt::format("<{}> has no {}", element.name, key),
                   fmt::format("every <{}> needs one", element.name));
    }
    return std::string(element.attribute(key));
}

/// Gbit/s; without unit bytes a second.
double PlatformReader::rate(const XmlNode& element, std::string_view key) {
    const std::string value = text(element, key);
    const auto measure = measure_of(trimmed(value));
    const auto unit =
        measure ? gbps_of_rate_unit(measure->unit.empty() ? "Bps" : measure->unit) : std::nullopt;
    if (!unit || measure->value <= 0) {
        report_.at(element.line,
                   fmt::format("{} of <{}> is {}", key, element.name, core::shown(value)),
                   "it must be a number above 0 with a unit such as MBps or Gbps");
        return 1;
    }
    return measure->value * *unit;
}

/// Milliseconds; without unit seconds. Absent: 0.
double PlatformReader::latency(const XmlNode& element, std::string_view key) {
    if (!element.has(key)) {
        return 0;
    }
    const std::string value(element.attribute(key));
    const auto measure = measure_of(trimmed(value));
    const auto unit =
        measure ? seconds_of_unit(measure->unit.empty() ? "s" : measure->unit) : std::nullopt;
    if (!unit || measure->value < 0) {
        report_.at(element.line,
                   fmt::format("{} of <{}> is {}", key, element.name, core::shown(value)),
                   "it must be a number of 0 or more with a unit such as us or ms");
        return 0;
    }
    return measure->value * *unit * 1000;
}

int PlatformReader::add_zone(const std::string& name, std::string routing, int parent) {
    PlatformZone zone;
    zone.name = name;
    zone.routing = std::move(routing);
    zone.parent = parent;
    zone.depth = parent < 0 ? 0 : platform_.zones[parent].depth + 1;
    if (parent >= 0) {
        platform_.zones[parent].points.push_back(name);
    }
    platform_.zones.push_back(std::move(zone));
    return static_cast<int>(platform_.zones.size()) - 1;
}

void PlatformReader::add_point(const std::string& name, int zone, const XmlNode& element) {
    if (!platform_.zone_of.emplace(name, zone).second) {
        report_.at(element.line,
                   fmt::format("{} is there twice", core::shown(name)),
                   "give every host and router a name of its own");
        return;
    }
    platform_.zones[zone].points.push_back(name);
}

void PlatformReader::read_host(const XmlNode& element, int zone) {
    const std::string name = text(element, "id");
    add_point(name, zone, element);
    if (element.name == "host") {
        platform_.hosts.push_back(name);
        platform_.props.push_back({property(element, "label"), property(element, "host")});
    }
}

/// Numbers a link, a split one twice; returns the first number.
int PlatformReader::number_link(const std::string& name, double gbps, std::string_view policy) {
    const auto number = static_cast<int>(platform_.numbered.size());
    const bool split = lower(policy) == "splitduplex";
    platform_.numbered.push_back({name, gbps, lower(policy) != "fatpipe", split ? 1 : 0});
    if (split) {
        platform_.numbered.push_back({name, gbps, true, -1});
    }
    return number;
}

/// The way back over the same links: of a split one the other half.
Way PlatformReader::reversed(Way way) const {
    std::ranges::reverse(way.through);
    for (int& number : way.through) {
        number += platform_.numbered[number].to_other;
    }
    return way;
}

void PlatformReader::read_link(const XmlNode& element) {
    Way way{latency(element, "latency"), rate(element, "bandwidth"), 1, {}};
    const std::string name = text(element, "id");
    const std::string called = property(element, "shared");
    const std::string_view policy = element.attribute("sharing_policy");
    const int number = number_link(called.empty() ? name : called, way.beta_gbps, policy);
    way.through = {number};
    bool fresh = platform_.links.emplace(name, way).second;
    if (platform_.numbered.back().to_other != 0) {
        fresh = platform_.links.emplace(name + "_UP", way).second && fresh;
        way.through = {number + 1};
        fresh = platform_.links.emplace(name + "_DOWN", way).second && fresh;
    }
    if (!fresh) {
        report_.at(element.line,
                   fmt::format("the link {} is there twice", core::shown(name)),
                   "give every link a name of its own");
    }
}

void PlatformReader::read_route(const XmlNode& element, int zone, bool between_zones) {
    const std::string from = text(element, "src");
    const std::string to = text(element, "dst");
    ZoneRoute route;
    for (const XmlNode& part : element.children) {
        if (part.name != "link_ctn") {
            continue;
        }
        const std::string name = text(part, "id");
        const bool down = lower(part.attribute("direction")) == "down";
        const auto split = down ? platform_.links.find(name + "_DOWN") : platform_.links.end();
        const auto link = split != platform_.links.end() ? split : platform_.links.find(name);
        if (link == platform_.links.end()) {
            report_.at(part.line,
                       fmt::format("there is no link {}", core::shown(name)),
                       "name a <link> that stands above");
            continue;
        }
        route.way.add(link->second);
    }
    if (between_zones) {
        route.gateway_from = text(element, element.has("gw_src") ? "gw_src" : "gwSrc");
        route.gateway_to = text(element, element.has("gw_dst") ? "gw_dst" : "gwDst");
    }
    auto& routes = platform_.zones[zone].routes;
    routes.insert_or_assign({from, to}, route);
    if (lower(element.attribute("symmetrical")) != "no") {
        std::swap(route.gateway_from, route.gateway_to);
        route.way = reversed(std::move(route.way));
        routes.emplace(std::pair{to, from}, route);
    }
}

/// "0-3,8" -> 0 1 2 3 8.
std::vector<int> PlatformReader::radical(const XmlNode& element) {
    std::vector<int> numbers;
    for (const std::string& part : cells_of(text(element, "radical"), ',')) {
        const std::vector<std::string> ends = cells_of(part, '-');
        const auto first = number_of(trimmed(ends.front()));
        const auto last = number_of(trimmed(ends.back()));
        if (!first || !last || ends.size() > 2 || *first < 0 || *last < *first || *last > 1e9 ||
            *last - *first >= kMostClusterHosts) {
            report_.at(
                element.line,
                fmt::format("radical holds {}", core::shown(part)),
                fmt::format("it must be like 0-15 or 3, at most {} hosts", kMostClusterHosts));
            return {};
        }
        for (int i = static_cast<int>(*first); i <= static_cast<int>(*last); ++i) {
            numbers.push_back(i);
        }
    }
    return numbers;
}

void PlatformReader::read_cluster(const XmlNode& element, int parent) {
    const std::string id = text(element, "id");
    const int zone = add_zone(id, "cluster", parent);
    const Way up{latency(element, "lat"), rate(element, "bw"), 1, {}};
    const std::string policy(element.has("sharing_policy") ? element.attribute("sharing_policy")
                                                           : "SPLITDUPLEX");
    Way backbone;
    if (element.has("bb_bw")) {
        backbone = {latency(element, "bb_lat"), rate(element, "bb_bw"), 1, {}};
        backbone.through = {number_link(
            id + " backbone", backbone.beta_gbps, element.attribute("bb_sharing_policy"))};
    }
    if (element.has("topology") && lower(element.attribute("topology")) != "flat") {
        report_.at(
            element.line,
            fmt::format("the cluster {} is a {}", id, core::shown(element.attribute("topology"))),
            "only flat clusters are read");
    }
    const std::string prefix(element.attribute("prefix"));
    const std::string suffix(element.attribute("suffix"));
    for (const int number : radical(element)) {
        const std::string name = fmt::format("{}{}{}", prefix, number, suffix);
        add_point(name, zone, element);
        platform_.hosts.push_back(name);
        platform_.props.emplace_back();
        platform_.zones[zone].private_link[name] =
            number_link("link of " + name, up.beta_gbps, policy);
    }
    const std::string router = element.has("router_id")
                                   ? std::string(element.attribute("router_id"))
                                   : prefix + id + "_router" + suffix;
    add_point(router, zone, element);
    PlatformZone& made = platform_.zones[zone];
    made.cluster_up = up;
    made.cluster_backbone = backbone;
    made.cluster_router = router;
}

void PlatformReader::read_child(const XmlNode& child, int zone) {
    if (child.name == "host" || child.name == "router") {
        read_host(child, zone);
    } else if (child.name == "link") {
        read_link(child);
    } else if (child.name == "route") {
        read_route(child, zone, false);
    } else if (child.name == "zoneRoute" || child.name == "ASroute") {
        read_route(child, zone, true);
    } else if (child.name == "cluster") {
        read_cluster(child, zone);
    } else if (child.name == "zone" || child.name == "AS") {
        read_zone(child, zone);
    } else if (!is_harmless(child.name)) {
        report_.at(child.line,
                   fmt::format("<{}> is not read", core::shown(child.name)),
                   "write it with host, router, link, route, cluster, zone and zoneRoute");
    }
}

// NOLINTNEXTLINE(misc-no-recursion): parse_xml limits the depth
void PlatformReader::read_zone(const XmlNode& element, int parent) {
    const std::string routing = lower(element.attribute("routing"));
    const std::set<std::string, std::less<>> known = {
        "full", "floyd", "dijkstra", "dijkstracache", "none", ""};
    if (!known.contains(routing)) {
        report_.at(element.line,
                   fmt::format("routing is {}", core::shown(element.attribute("routing"))),
                   "Full, Floyd, Dijkstra and None are read");
    }
    const int zone = add_zone(text(element, "id"), routing, parent);
    for (const XmlNode& child : element.children) {
        if (child.name == "link") {
            read_link(child);  // routes may stand before links in hand-written files
        }
    }
    for (const XmlNode& child : element.children) {
        if (child.name != "link") {
            read_child(child, zone);
        }
    }
}

}  // namespace

Platform read_platform(const XmlNode& root, const std::string& file, core::Diagnostics& problems) {
    Platform platform;
    const Report report(file, problems);
    if (root.name != "platform") {
        report.at(root.line,
                  fmt::format("the root element is <{}>", core::shown(root.name)),
                  "a SimGrid file has <platform>");
        return platform;
    }
    PlatformReader reader(report, platform);
    platform.zones.reserve(root.children.size());
    int outermost = 0;
    for (const XmlNode& child : root.children) {
        if (child.name == "zone" || child.name == "AS") {
            ++outermost;
            reader.read_zone(child, -1);
        } else if (child.name == "cluster") {
            ++outermost;
            XmlNode wrapper;
            wrapper.name = "zone";
            wrapper.line = child.line;
            wrapper.attributes = {{"id", "platform"}, {"routing", "None"}};
            wrapper.children = {child};
            reader.read_zone(wrapper, -1);
        } else if (!is_harmless(child.name)) {
            report.at(child.line,
                      fmt::format("<{}> is not read", core::shown(child.name)),
                      "a platform holds one zone or one cluster");
        }
    }
    if (outermost != 1 && problems.empty()) {
        report.at(root.line,
                  fmt::format("holds {} outer zones", outermost),
                  "a platform holds one zone or one cluster");
    }
    return platform;
}

}  // namespace longhaul::interchange::detail
