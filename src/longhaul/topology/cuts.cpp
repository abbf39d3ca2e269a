#include "longhaul/topology/cuts.hpp"

#include <algorithm>

namespace longhaul::topology {

namespace {

/// Rate of all links between the members of the outermost level and its switches, a member; and of
/// the endpoints of one member together.
std::pair<double, double> way_out(const Shape& shape) {
    const LinkClass& top = shape.classes().back();
    const double members = shape.radix(top.axis);
    double rate = 0;
    for (const LinkClass& links : shape.classes()) {
        if (links.low == 0 && links.high != 0) {
            rate = std::max(rate, links.cable.gbps * shape.radix(links.up_free.front()));
        }
    }
    return {top.cable.gbps * top.count / members, rate * shape.endpoints() / members};
}

}  // namespace

std::string label_of(const Topology& topology, NodeId endpoint) {
    return topology.group_name(endpoint, topology.wan() ? 0 : 1);
}

std::vector<Cut> shared_cuts(const Routes& routes) {
    const Topology& topology = routes.topology();
    std::vector<Cut> cuts;
    for (std::size_t s = 0; s < topology.sites().size(); ++s) {
        const Shape& shape = topology.shape(static_cast<int>(s));
        if (shape.levels() < 2 || shape.classes().back().high == shape.classes().back().low ||
            (topology.wan() && shape.radix(shape.levels() - 1) != 1)) {
            continue;
        }
        const auto [out, inside] = way_out(shape);
        for (std::uint32_t m = 0; out < inside && m < shape.radix(shape.levels() - 1); ++m) {
            const NodeId first = topology.endpoint_base(static_cast<int>(s)) +
                                 m * (shape.endpoints() / shape.radix(shape.levels() - 1));
            const std::string label = label_of(topology, first);
            cuts.push_back({"out of " + label, out, {label}});
        }
    }
    return cuts;
}

}  // namespace longhaul::topology
