#include "longhaul/flowsim/over_routes.hpp"

namespace longhaul::flowsim {

std::vector<Link> links_of(const topology::Topology& topology) {
    std::vector<Link> links;
    for (const topology::Link& link : topology.links()) {
        links.push_back(
            {core::GbitPerSecond(link.gbps), to_time(core::milliseconds(link.latency_ms))});
    }
    return links;
}

std::vector<std::string> link_names_of(const topology::Topology& topology) {
    std::vector<std::string> names;
    for (const topology::Link& link : topology.links()) {
        names.push_back(topology.name(link.from) + " > " + topology.name(link.to));
    }
    return names;
}

std::optional<Path> path_of(const topology::Routes& routes,
                            topology::NodeId from,
                            topology::NodeId to,
                            std::uint64_t hash) {
    const topology::Route route = routes.path(from, to, hash);
    if (!route.reachable) {
        return std::nullopt;
    }
    Path path;
    for (const topology::LinkId link : route.links) {
        path.push_back({link});
    }
    return path;
}

}  // namespace longhaul::flowsim
