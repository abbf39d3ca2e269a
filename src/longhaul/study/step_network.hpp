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

/// Links for a flow simulator, their names, and the path of every connection. The latency of a path
/// is what a message takes beyond sending its bytes.
struct StepNetwork {
    std::vector<flowsim::Link> links;
    std::vector<std::string> names;
    std::vector<flowsim::Path> paths;
};

/// Every connection has a link with the alpha and the beta that the fabric states for its
/// direction; what the fabric states as shared is a link for each direction with a limit, or one
/// for both (half duplex), which all pairs across it use. O(connections x shared).
[[nodiscard]] StepNetwork network_of_fabric(const fabric::Fabric& fabric,
                                            const std::vector<Connection>& connections,
                                            bool count_shared);

}  // namespace longhaul::study
