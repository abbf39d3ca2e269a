// What the messages of a step travel over: connections between devices and the links below them.
#pragma once

#include <string>
#include <vector>

#include "longhaul/fabric/fabric.hpp"
#include "longhaul/flowsim/network.hpp"
#include "longhaul/study/step_graph.hpp"

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
    std::vector<double> gbps;  ///< of every connection alone
    std::vector<std::string> connection_names;
};

/// Every connection has the alpha and the beta that the fabric states for its direction; what the
/// fabric states as shared is a link for each direction with a limit, or one for both (half
/// duplex), which all pairs across it use. Pairs of one alpha, beta and set of shared links have
/// equal paths, so that the simulator handles their flows together. O(connections x shared).
[[nodiscard]] StepNetwork network_of_fabric(const fabric::Fabric& fabric,
                                            const std::vector<Connection>& connections,
                                            bool count_shared);

}  // namespace longhaul::study
