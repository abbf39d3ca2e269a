// SimGrid platform (XML) -> fabric: the route of every ordered pair of hosts.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "longhaul/fabric/shared_links.hpp"
#include "longhaul/interchange/detail/readers.hpp"
#include "longhaul/interchange/detail/simgrid_platform.hpp"

namespace longhaul::interchange::detail {
namespace {

constexpr std::size_t kMostSimgridHosts = 2048;

/// Answers ways between points, with what Floyd and Dijkstra zones need computed once.
class Router {
public:
    explicit Router(const Platform& platform) : platform_(platform), maps_(platform.zones.size()) {}

    /// The way between two hosts or routers; nullopt when there is none.
    [[nodiscard]] std::optional<Way> between(const std::string& from,
                                             const std::string& to,
                                             int depth = 0);

private:
    /// Ways of a zone that computes them, by the number of its point.
    struct ZoneMap {
        std::map<std::string, int> index;
        std::vector<std::vector<Edge>> graph;
        std::map<int, std::vector<Way>> ways;
    };
    [[nodiscard]] std::optional<ZoneRoute> local(int zone,
                                                 const std::string& from,
                                                 const std::string& to);
    [[nodiscard]] Way in_cluster(const PlatformZone& zone,
                                 const std::string& from,
                                 const std::string& to) const;
    ZoneMap& map_of(int zone);
    [[nodiscard]] int zone_of(const std::string& point) const;
    [[nodiscard]] int ancestor(int zone, int depth) const;

    const Platform& platform_;
    std::vector<std::optional<ZoneMap>> maps_;
};

int Router::zone_of(const std::string& point) const {
    const auto found = platform_.zone_of.find(point);
    return found == platform_.zone_of.end() ? -1 : found->second;
}

int Router::ancestor(int zone, int depth) const {
    while (platform_.zones[zone].depth > depth) {
        zone = platform_.zones[zone].parent;
    }
    return zone;
}

/// Private link up, backbone, private link down; the router has no private link.
Way Router::in_cluster(const PlatformZone& zone,
                       const std::string& from,
                       const std::string& to) const {
    Way way;
    const auto add_private = [&](const std::string& host, bool up) {
        if (host == zone.cluster_router) {
            return;
        }
        Way link = zone.cluster_up;
        const int number = zone.private_link.at(host);
        link.through = {up ? number : number + platform_.numbered[number].to_other};
        way.add(link);
    };
    add_private(from, true);
    way.add(zone.cluster_backbone);
    add_private(to, false);
    return way;
}

Router::ZoneMap& Router::map_of(int zone) {
    if (!maps_[zone]) {
        ZoneMap map;
        const PlatformZone& from = platform_.zones[zone];
        for (const std::string& point : from.points) {
            map.index.emplace(point, static_cast<int>(map.index.size()));
        }
        map.graph.resize(map.index.size());
        for (const auto& [ends, route] : from.routes) {
            const auto a = map.index.find(ends.first);
            const auto b = map.index.find(ends.second);
            if (a != map.index.end() && b != map.index.end()) {
                map.graph[a->second].push_back({b->second, route.way});
            }
        }
        maps_[zone] = std::move(map);
    }
    return *maps_[zone];
}

std::optional<ZoneRoute> Router::local(int zone, const std::string& from, const std::string& to) {
    const PlatformZone& here = platform_.zones[zone];
    if (here.routing == "cluster") {
        return ZoneRoute{in_cluster(here, from, to), {}, {}};
    }
    const auto stated = here.routes.find({from, to});
    if (stated != here.routes.end()) {
        return stated->second;
    }
    if (here.routing == "full" || here.routing == "none" || here.routing.empty()) {
        return std::nullopt;
    }
    ZoneMap& map = map_of(zone);
    const auto a = map.index.find(from);
    const auto b = map.index.find(to);
    if (a == map.index.end() || b == map.index.end()) {
        return std::nullopt;
    }
    auto& ways = map.ways[a->second];
    if (ways.empty()) {
        ways = ways_from(map.graph, std::vector<char>(map.graph.size(), 1), a->second);
    }
    const Way& way = ways[b->second];
    return way.links < 0 ? std::nullopt : std::optional(ZoneRoute{way, {}, {}});
}

// NOLINTNEXTLINE(misc-no-recursion): every gateway is in a smaller zone; depth is checked all the
// same
std::optional<Way> Router::between(const std::string& from, const std::string& to, int depth) {
    const int a = zone_of(from);
    const int b = zone_of(to);
    if (from == to) {
        return Way();
    }
    if (a < 0 || b < 0 || depth > kMaxXmlDepth) {
        return std::nullopt;
    }
    int common = std::min(platform_.zones[a].depth, platform_.zones[b].depth);
    while (common >= 0 && ancestor(a, common) != ancestor(b, common)) {
        --common;
    }
    const int meeting = ancestor(a, common);
    const auto point = [&](int zone, const std::string& name) {
        return zone == meeting ? name : platform_.zones[ancestor(zone, common + 1)].name;
    };
    const auto route = local(meeting, point(a, from), point(b, to));
    if (!route || (route->gateway_from.empty() && (a != meeting || b != meeting))) {
        return std::nullopt;
    }
    if (a == meeting && b == meeting) {
        return route->way;
    }
    const auto up = between(from, a == meeting ? from : route->gateway_from, depth + 1);
    const auto down = between(b == meeting ? to : route->gateway_to, to, depth + 1);
    if (!up || !down) {
        return std::nullopt;
    }
    Way way = *up;
    way.add(route->way);
    way.add(*down);
    return way;
}

/// Notes down which links a pair crosses.
class CrossedLinks {
public:
    explicit CrossedLinks(const Platform& platform) : platform_(platform) {
        if (platform.hosts.size() <= kMostSharedHosts) {
            for (const PlatformLink& link : platform.numbered) {
                links_.push_back({link.name, link.gbps, {}});
            }
        }
    }

    void add(const Way& way, std::size_t from, std::size_t to) {
        for (const int number : way.through) {
            if (!links_.empty() && platform_.numbered[number].shared) {
                links_[number].pairs.emplace_back(from, to);
            }
        }
    }

    /// Links get different names: the halves of one are joined where both are used.
    [[nodiscard]] fabric::SharedLinks find(const std::vector<std::string>& labels,
                                           const std::vector<std::string>& machines) const {
        fabric::SharedLinks found = fabric::shared_links_of(links_, labels, machines);
        std::map<std::string, int> used;
        for (fabric::SharedCapacity& capacity : found.capacities) {
            const int copies = ++used[capacity.name];
            capacity.name += copies > 1 ? fmt::format(" ({})", copies) : "";
        }
        return found;
    }

private:
    static constexpr std::size_t kMostSharedHosts = 512;
    const Platform& platform_;
    std::vector<fabric::SharedLink> links_;
};

/// Label of a host: what it says itself, else its zone.
std::string label_of(const Platform& platform, std::size_t host) {
    const std::string& name = platform.hosts[host];
    const PlatformZone& zone = platform.zones[platform.zone_of.at(name)];
    return !platform.props[host].label.empty() ? platform.props[host].label
           : zone.parent < 0                   ? name
                                               : zone.name;
}

fabric::FabricParts fabric_of(const Platform& platform,
                              const Report& report,
                              std::vector<std::string>& notes) {
    constexpr double kSame = 1e6;  // no link between: as good as no limit
    const std::size_t n = platform.hosts.size();
    core::Grid<double> alpha(n, n, 0);
    core::Grid<double> beta(n, n, 0);
    Router router(platform);
    CrossedLinks crossed(platform);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            const auto way = i == j ? Way() : router.between(platform.hosts[i], platform.hosts[j]);
            if (!way) {
                report.whole(fmt::format("there is no route from {} to {}",
                                         core::shown(platform.hosts[i]),
                                         core::shown(platform.hosts[j])),
                             "every ordered pair of hosts needs one");
                continue;
            }
            crossed.add(*way, i, j);
            alpha(i, j) = way->alpha_ms;
            beta(i, j) = i == j ? 0 : std::min(way->beta_gbps, kSame);
        }
    }
    fabric::FabricParts parts;
    parts.alpha_ms = fabric::PairMatrix(std::move(alpha));
    parts.beta_gbps = fabric::PairMatrix(std::move(beta));
    std::vector<std::string> machines;
    for (std::size_t i = 0; i < n; ++i) {
        const std::string& machine = platform.props[i].host;
        machines.push_back(machine.empty() ? platform.hosts[i] : machine);
        parts.labels.push_back(label_of(platform, i));
        parts.devices.emplace_back();
        parts.devices.back().host = machines.back();
    }
    fabric::SharedLinks shared = crossed.find(parts.labels, machines);
    parts.shared = std::move(shared.capacities);
    if (shared.left_out > 0) {
        notes.push_back(fmt::format(
            "{} links that several pairs share are not kept as shared capacity: the pairs over "
            "them are not all pairs between two sets of places, or there are more than {} links",
            shared.left_out,
            parts.shared.size()));
    }
    return parts;
}

}  // namespace

core::Result<Imported> read_simgrid(const SourceText& file, const ImportOptions& /*options*/) {
    const auto root = parse_xml(file.text, file.name);
    if (!root) {
        return tl::unexpected(root.error());
    }
    core::Diagnostics problems;
    const Report report(file.name, problems);
    const Platform platform = read_platform(*root, file.name, problems);
    if (problems.empty() && (platform.hosts.empty() || platform.hosts.size() > kMostSimgridHosts)) {
        report.whole(fmt::format("has {} hosts", platform.hosts.size()),
                     fmt::format("from 1 to {} can be read", kMostSimgridHosts));
    }
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    std::vector<std::string> notes{
        "alpha is the sum of the latencies of a route, beta its narrowest link; SimGrid's own "
        "factors (latency 13.01, bandwidth 0.97) are not applied"};
    fabric::FabricParts parts = fabric_of(platform, report, notes);
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    parts.provenance = "SimGrid platform " + file.name;
    return as_fabric(std::move(parts), file.name, std::move(notes));
}

}  // namespace longhaul::interchange::detail
