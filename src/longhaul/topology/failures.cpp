#include "longhaul/topology/failures.hpp"

#include <algorithm>

#include "longhaul/core/random.hpp"

namespace longhaul::topology {
namespace {

/// Name by which a file knows the end of a link.
std::string end_name(const Topology& topology, NodeId node, bool wan) {
    return wan ? topology.sites()[static_cast<std::size_t>(topology.site_of(node))].name
               : topology.name(node);
}

/// Files name a link of the WAN by its ends: of links side by side none fails alone.
bool parallel(const Topology& topology, std::uint32_t undirected) {
    if (undirected < topology.wan_base()) {
        return false;
    }
    const WanLink& link = topology.declaration().wan[undirected - topology.wan_base()];
    return std::ranges::count_if(topology.declaration().wan, [&](const WanLink& other) {
               return std::minmax(other.a, other.b) == std::minmax(link.a, link.b);
           }) > 1;
}

}  // namespace

Topology with_random_failures(const Topology& topology, double share, std::uint64_t seed) {
    core::Random random(seed);
    std::vector<Exception> exceptions = topology.declaration().exceptions;
    const std::size_t before = exceptions.size();
    core::Value source = topology.declaration().source;
    core::Value listed = core::Value::array();
    if (const core::Value* old = source.find("exception")) {
        listed = *old;
    }
    for (std::uint32_t u = 0; u < topology.undirected_links(); ++u) {
        const bool fails = random.uniform() < share;
        if (!fails || topology.exception(u) != nullptr || parallel(topology, u)) {
            continue;
        }
        const Link link = topology.link(2 * u);
        exceptions.push_back({u, true, {link.gbps, link.latency_ms, link.cost}});
        core::Value ends = core::Value::array();
        const bool wan = u >= topology.wan_base();
        ends.append(core::Value(end_name(topology, link.from, wan)));
        ends.append(core::Value(end_name(topology, link.to, wan)));
        listed.append(core::Value::object().set("link", std::move(ends)).set("down", true));
    }
    if (exceptions.size() > before) {
        source.set("exception", std::move(listed));
    }
    return topology.with_exceptions(std::move(exceptions), std::move(source));
}

}  // namespace longhaul::topology
