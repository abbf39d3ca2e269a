#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "longhaul/emulate/detail/addresses.hpp"
#include "longhaul/emulate/read.hpp"
#include "longhaul/topology/cuts.hpp"

namespace longhaul::emulate {
namespace {

constexpr double kMbpsOfGbps = 1000;

/// "eu-pod0-host3": the name of an endpoint as the name of a host.
std::string endpoint_name(std::string text) {
    for (char& c : text) {
        if (!name_problem(std::string("a") + c).empty()) {
            c = '-';
        }
    }
    return name_problem(text).empty() ? text : "host-" + text;
}

core::Result<void> name_hosts(const topology::Topology& network, Wan& wan, std::string_view name) {
    std::map<std::string, topology::NodeId> taken;
    for (topology::NodeId node = 0; node < network.endpoints(); ++node) {
        Host host;
        host.name = endpoint_name(network.name(node));
        host.region = topology::label_of(network, node);
        const auto [first, fresh] = taken.try_emplace(host.name, node);
        if (!fresh || !name_problem(host.name).empty()) {
            return core::fail({std::string(name),
                               network.name(node),
                               fresh ? "is no name for a host"
                                     : fmt::format("has the host name of {}, \"{}\"",
                                                   network.name(first->second),
                                                   host.name),
                               "use shorter names of letters and digits"});
        }
        wan.hosts.push_back(std::move(host));
    }
    return {};
}

}  // namespace

core::Result<Wan> from_topology(const topology::Routes& routes, std::string_view name) {
    const topology::Topology& network = routes.topology();
    const std::size_t n = network.endpoints();
    if (n < 2 || n > kMaxHosts) {
        return core::fail({std::string(name),
                           "",
                           fmt::format("the topology has {} endpoints", n),
                           fmt::format("2 to {} can be emulated, a host each", kMaxHosts)});
    }
    Wan wan;
    wan.network = kDefaultNetwork;
    wan.prefix = kDefaultPrefix;
    if (auto named = name_hosts(network, wan, name); !named) {
        return tl::unexpected(named.error());
    }
    number_hosts(wan, kDefaultControlNetwork, kDefaultPrefix);
    wan.paths.resize(n * n);
    const std::vector<topology::Link> links = network.links();
    std::map<topology::LinkId, int> resource_of;
    for (topology::NodeId from = 0; from < n; ++from) {
        for (topology::NodeId to = 0; to < n; ++to) {
            const topology::Route route = routes.path(from, to, topology::pair_flow(from, to));
            if (!route.reachable) {
                return core::fail(
                    {std::string(name),
                     "",
                     fmt::format("no path from {} to {}", network.name(from), network.name(to)),
                     "every pair needs one; see route check"});
            }
            for (const topology::LinkId id : route.links) {
                const auto [found, fresh] =
                    resource_of.try_emplace(id, static_cast<int>(wan.resources.size()));
                if (fresh) {
                    const topology::Link& link = links[id];
                    Shape shape;
                    shape.rate_mbps = link.gbps * kMbpsOfGbps;
                    shape.delay_ms = link.latency_ms;
                    wan.resources.push_back(
                        {fmt::format("{}>{}", network.name(link.from), network.name(link.to)),
                         shape});
                }
                wan.paths[from * n + to].push_back(found->second);
            }
        }
    }
    return wan;
}

}  // namespace longhaul::emulate
