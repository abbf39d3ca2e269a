#include "longhaul/study/step_network.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "longhaul/fabric/names.hpp"

namespace longhaul::study {
namespace {

using core::GbitPerSecond;

constexpr double kNoLimitGbps = 1e9;  // far above what all connections together can send

/// A link of what is shared, unless it has no limit; -1 then.
int add_link(const std::string& name, double gbps, StepNetwork& network) {
    if (gbps == fabric::SharedCapacity::kNoLimit) {
        return -1;
    }
    network.links.push_back({GbitPerSecond(gbps), {}});
    network.names.push_back(name);
    return static_cast<int>(network.links.size()) - 1;
}

/// Where a message meets a resource: what leads out of places first, what leads into them last.
int place_on_path(const fabric::SharedCapacity& resource, bool out) {
    return !resource.between.empty() ? 1 : out ? 0 : 2;
}

/// Two links a resource, from side 1 to side 2 and back, or one for both (half duplex).
void add_shared(const fabric::Fabric& fabric,
                const std::vector<Connection>& connections,
                StepNetwork& network) {
    const std::vector<std::vector<int>> sides = fabric.shared_sides();
    std::vector<std::array<flowsim::Path, 3>> crossed(connections.size());
    for (std::size_t k = 0; k < sides.size(); ++k) {
        const fabric::SharedCapacity& resource = fabric.parts().shared[k];
        const std::string suffix = resource.duplex ? ", there" : "";
        const int there = add_link(resource.name + suffix, resource.there_gbps, network);
        const int back = resource.duplex
                             ? add_link(resource.name + ", back", resource.back_gbps, network)
                             : there;
        const auto side = [&](int device) { return sides[k][static_cast<std::size_t>(device)]; };
        for (std::size_t c = 0; c < connections.size(); ++c) {
            const int from = side(connections[c].from);
            const int to = side(connections[c].to);
            const int link = from == 1 ? there : back;
            if (from != 0 && to != 0 && from != to && link >= 0) {
                const int place = place_on_path(resource, from == 1);
                crossed[c][static_cast<std::size_t>(place)].push_back(
                    {static_cast<flowsim::LinkId>(link), 1});
            }
        }
    }
    for (std::size_t c = 0; c < connections.size(); ++c) {
        for (const flowsim::Path& part : crossed[c]) {
            network.paths[c].insert(network.paths[c].end(), part.begin(), part.end());
        }
    }
}

}  // namespace

Connections connections_of(const StepGraph& graph) {
    Connections connections;
    for (const Task& task : graph.tasks()) {
        if (task.is_message()) {
            connections.list.push_back({task.device, task.peer});
        }
    }
    std::ranges::sort(connections.list);
    const auto [first, last] = std::ranges::unique(connections.list);
    connections.list.erase(first, last);
    for (const Task& task : graph.tasks()) {
        const auto at =
            std::ranges::lower_bound(connections.list, Connection{task.device, task.peer});
        connections.of_task.push_back(
            task.is_message() ? static_cast<int>(at - connections.list.begin()) : -1);
    }
    return connections;
}

StepNetwork network_of_fabric(const fabric::Fabric& fabric,
                              const std::vector<Connection>& connections,
                              bool count_shared) {
    const std::vector<std::string> names = fabric::device_names(fabric);
    const fabric::FabricParts& parts = fabric.parts();
    StepNetwork network;
    std::map<double, flowsim::LinkId> of_alpha;
    for (const Connection& pair : connections) {
        const double alpha_ms = parts.alpha_ms(pair.from, pair.to);
        const auto [at, added] =
            of_alpha.try_emplace(alpha_ms, static_cast<flowsim::LinkId>(network.links.size()));
        if (added) {
            network.links.push_back(
                {GbitPerSecond(kNoLimitGbps), flowsim::to_time(core::milliseconds(alpha_ms))});
            network.names.emplace_back();
        }
        network.paths.push_back({{at->second, 1}});
        network.gbps.push_back(parts.beta_gbps(pair.from, pair.to));
        network.connection_names.push_back(fmt::format("{} to {}",
                                                       names[static_cast<std::size_t>(pair.from)],
                                                       names[static_cast<std::size_t>(pair.to)]));
    }
    if (count_shared) {
        add_shared(fabric, connections, network);
    }
    return network;
}

}  // namespace longhaul::study
