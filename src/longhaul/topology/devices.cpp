#include "longhaul/topology/devices.hpp"

#include <map>

namespace longhaul::topology {
namespace {

std::string host_of(const Topology& topology, NodeId endpoint) {
    const Shape& shape = topology.shape(topology.site_of_endpoint(endpoint));
    const bool host = shape.levels() > 0 && shape.chain().levels.front().up_members;
    return host ? topology.group_name(endpoint, shape.levels() - 1) : topology.name(endpoint);
}

}  // namespace

std::vector<EndpointDevice> devices_of(const Topology& topology) {
    std::map<std::string, int> ranks;
    std::vector<EndpointDevice> devices;
    for (NodeId i = 0; i < topology.endpoints(); ++i) {
        const std::string host = host_of(topology, i);
        devices.push_back({host, ranks[host]++});
    }
    return devices;
}

}  // namespace longhaul::topology
