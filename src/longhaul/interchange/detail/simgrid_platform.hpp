// A SimGrid platform: zones with hosts, links and routes between them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/interchange/detail/routes.hpp"
#include "longhaul/interchange/detail/xml.hpp"

namespace longhaul::interchange::detail {

/// A way between two points of one zone: hosts and routers, or child zones with their gateways.
struct ZoneRoute {
    Way way;
    std::string gateway_from, gateway_to;  ///< of routes between child zones
};

struct PlatformZone {
    std::string name;
    std::string routing;  ///< "full", "floyd", "dijkstra", "cluster", "none"; lower case
    int parent = -1;
    int depth = 0;
    std::map<std::pair<std::string, std::string>, ZoneRoute> routes;
    std::vector<std::string> points;  ///< hosts, routers and child zones, in order
    Way cluster_up, cluster_backbone;
    std::string cluster_router;
};

struct Platform {
    std::vector<PlatformZone> zones;  ///< [0] is the outermost
    std::vector<std::string> hosts;
    std::map<std::string, int> zone_of;  ///< of hosts and routers
    std::map<std::string, Way> links;    ///< by name
    std::vector<std::string> left_out;   ///< what was not read, for a note
};

/// Reads the elements; problems go to the list.
[[nodiscard]] Platform read_platform(const XmlNode& root,
                                     const std::string& file,
                                     core::Diagnostics& problems);

}  // namespace longhaul::interchange::detail
