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

/// A link by its number. A SPLITDUPLEX link has two numbers next to each other, UP first.
struct PlatformLink {
    std::string name;
    double gbps = 0;
    bool shared = true;  ///< false: FATPIPE, every transfer has all of it
    int to_other = 0;    ///< of a half of SPLITDUPLEX: from its number to that of the other half
};

struct PlatformZone {
    std::string name;
    std::string routing;  ///< "full", "floyd", "dijkstra", "cluster", "none"; lower case
    int parent = -1;
    int depth = 0;
    std::map<std::pair<std::string, std::string>, ZoneRoute> routes;
    std::vector<std::string> points;  ///< hosts, routers and child zones, in order
    Way cluster_up, cluster_backbone;
    std::map<std::string, int> private_link;  ///< number of the link of each host of a cluster, UP
    std::string cluster_router;
};

/// What the platform says of a host for longhaul, in <prop>.
struct HostProps {
    std::string label;
    std::string host;
};

struct Platform {
    std::vector<PlatformZone> zones;  ///< [0] is the outermost
    std::vector<std::string> hosts;
    std::vector<HostProps> props;        ///< of each host
    std::map<std::string, int> zone_of;  ///< of hosts and routers
    std::map<std::string, Way> links;    ///< by name
    std::vector<PlatformLink> numbered;
    std::vector<std::string> left_out;  ///< what was not read, for a note
};

/// Reads the elements; problems go to the list.
[[nodiscard]] Platform read_platform(const XmlNode& root,
                                     const std::string& file,
                                     core::Diagnostics& problems);

}  // namespace longhaul::interchange::detail
