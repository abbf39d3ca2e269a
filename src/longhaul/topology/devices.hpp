// Endpoints as devices of hosts: the names under which fabrics and plans know them.
#pragma once

#include <string>
#include <vector>

#include "longhaul/topology/topology.hpp"

namespace longhaul::topology {

/// What an endpoint is in a fabric.
struct EndpointDevice {
    std::string host;
    int local_rank = 0;  ///< which device of its host, in the order of the endpoints
};

/// One an endpoint. Endpoints of one innermost group are devices of one host where the group's
/// ports up are theirs; every other endpoint is a host by itself. O(endpoints).
[[nodiscard]] std::vector<EndpointDevice> devices_of(const Topology& topology);

}  // namespace longhaul::topology
