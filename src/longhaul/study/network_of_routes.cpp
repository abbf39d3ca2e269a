#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "longhaul/flowsim/over_routes.hpp"
#include "longhaul/study/step_network.hpp"
#include "longhaul/topology/devices.hpp"

namespace longhaul::study {
namespace {

using topology::NodeId;

constexpr NodeId kNowhere = ~NodeId{0};

/// Endpoints by the names of their devices.
std::map<std::string, NodeId> endpoints_by_name(const topology::Topology& network) {
    std::map<std::string, NodeId> endpoints;
    NodeId endpoint = 0;
    for (const topology::EndpointDevice& device : topology::devices_of(network)) {
        endpoints.emplace(fmt::format("{}/{}", device.host, device.local_rank), endpoint);
        endpoints.emplace(fmt::format("{}#{}", device.host, device.local_rank), endpoint);
        ++endpoint;
    }
    return endpoints;
}

core::Diagnostic unknown_devices(const topology::Topology& network,
                                 std::span<const std::string> devices,
                                 const std::vector<int>& without,
                                 std::size_t used) {
    const topology::EndpointDevice first = topology::devices_of(network).front();
    return {network.declaration().file,
            "",
            fmt::format("no endpoint for device {} of the plan ({} of {} have none)",
                        core::shown(devices[static_cast<std::size_t>(without.front())]),
                        without.size(),
                        used),
            fmt::format("its devices are named as `route fabric` names them: {} is the first",
                        core::shown(fmt::format("{}/{}", first.host, first.local_rank)))};
}

/// The endpoint of every device of a connection, all different; kNowhere for the rest.
core::Result<std::vector<NodeId>> endpoints_of(const topology::Topology& network,
                                               std::span<const std::string> devices,
                                               const std::vector<Connection>& connections) {
    std::vector<int> used;
    for (const Connection& pair : connections) {
        used.push_back(pair.from);
        used.push_back(pair.to);
    }
    std::ranges::sort(used);
    const auto [first, last] = std::ranges::unique(used);
    used.erase(first, last);
    const std::map<std::string, NodeId> by_name = endpoints_by_name(network);
    std::vector<NodeId> endpoints(devices.size(), kNowhere);
    std::vector<int> without;
    std::set<NodeId> taken;
    for (const int device : used) {
        const auto at = by_name.find(devices[static_cast<std::size_t>(device)]);
        if (at == by_name.end() || !taken.insert(at->second).second) {
            without.push_back(device);
        } else {
            endpoints[static_cast<std::size_t>(device)] = at->second;
        }
    }
    if (!without.empty()) {
        return core::fail(unknown_devices(network, devices, without, used.size()));
    }
    return endpoints;
}

/// Keeps the links on paths, in their order, and numbers them anew.
void keep_used_links(const topology::Topology& network, StepNetwork& step) {
    const std::vector<flowsim::Link> links = flowsim::links_of(network);
    std::vector<char> used(links.size(), 0);
    for (const flowsim::Path& path : step.paths) {
        for (const flowsim::Hop& hop : path) {
            used[hop.link] = 1;
        }
    }
    std::vector<flowsim::LinkId> place(links.size(), 0);
    for (std::size_t id = 0; id < links.size(); ++id) {
        if (used[id] != 0) {
            const topology::Link link = network.link(static_cast<topology::LinkId>(id));
            place[id] = static_cast<flowsim::LinkId>(step.links.size());
            step.links.push_back(links[id]);
            step.names.push_back(network.name(link.from) + " > " + network.name(link.to));
        }
    }
    for (flowsim::Path& path : step.paths) {
        double slowest = path.empty() ? 0 : links[path.front().link].capacity.value();
        for (flowsim::Hop& hop : path) {
            slowest = std::min(slowest, links[hop.link].capacity.value());
            hop.link = place[hop.link];
        }
        step.gbps.push_back(slowest);
    }
}

}  // namespace

core::Result<StepNetwork> network_of_routes(const topology::Routes& routes,
                                            std::span<const std::string> devices,
                                            const std::vector<Connection>& connections) {
    const topology::Topology& network = routes.topology();
    const auto endpoints = endpoints_of(network, devices, connections);
    if (!endpoints) {
        return tl::unexpected(endpoints.error());
    }
    StepNetwork step;
    for (const Connection& pair : connections) {
        const NodeId from = (*endpoints)[static_cast<std::size_t>(pair.from)];
        const NodeId to = (*endpoints)[static_cast<std::size_t>(pair.to)];
        auto path = flowsim::path_of(routes, from, to, topology::pair_flow(from, to));
        if (!path) {
            return core::fail({network.declaration().file,
                               "",
                               fmt::format("no path from {} to {}, between which the step sends",
                                           network.name(from),
                                           network.name(to)),
                               "see route check for pairs without one"});
        }
        step.paths.push_back(std::move(*path));
    }
    keep_used_links(network, step);
    step.connection_names.resize(connections.size());
    return step;
}

}  // namespace longhaul::study
