// What the messages of a step travel over: connections between devices and the links below them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/fabric/fabric.hpp"
#include "longhaul/flowsim/network.hpp"
#include "longhaul/study/step_graph.hpp"

namespace longhaul::topology {
class Routes;
}

namespace longhaul::study {

/// From one device to another: all messages of the pair in that direction, in order.
struct Connection {
    int from = 0;
    int to = 0;
    friend auto operator<=>(const Connection&, const Connection&) = default;
};

/// The connections that a step uses, ascending, and the one of every task (-1: no message).
struct Connections {
    std::vector<Connection> list;
    std::vector<int> of_task;
};
[[nodiscard]] Connections connections_of(const StepGraph& graph);

/// What connections share, for a flow simulator, and what each has to itself.
struct StepNetwork {
    std::vector<flowsim::Link> links;
    std::vector<std::string> names;  ///< of links; empty: one that carries a latency and no limit
    /// Of every connection. The latency of a path is what a message takes beyond sending its bytes.
    std::vector<flowsim::Path> paths;
    std::vector<double> gbps;                   ///< of every connection alone
    std::vector<std::string> connection_names;  ///< empty: its links say what it carried
};

/// Every connection has the alpha and the beta that the fabric states for its direction; what the
/// fabric states as shared is a link for each direction with a limit, or one for both (half
/// duplex), which all pairs across it use. Pairs of one alpha, beta and set of shared links have
/// equal paths, so that the simulator handles their flows together. O(connections x shared).
[[nodiscard]] StepNetwork network_of_fabric(const fabric::Fabric& fabric,
                                            const std::vector<Connection>& connections,
                                            bool count_shared);

/// Every connection takes the path that the routes give its pair (topology::pair_flow), over the
/// links of the declared network that any connection takes, under their names. `devices` holds the
/// name of every device (fabric::device_names); its endpoint is the one that topology::devices_of
/// gives the same host and rank: "pod0/host1/3", or "pod0/host1#3" where a fabric knows no ranks.
/// Fails when a device of a connection has no endpoint, or its routes lead nowhere.
/// O(endpoints + links + connections x hops).
[[nodiscard]] core::Result<StepNetwork> network_of_routes(
    const topology::Routes& routes,
    std::span<const std::string> devices,
    const std::vector<Connection>& connections);

}  // namespace longhaul::study
