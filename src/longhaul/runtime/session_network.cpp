#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "longhaul/runtime/detail/session_network.hpp"
#include "longhaul/runtime/wire.hpp"

namespace longhaul::runtime {
namespace {

constexpr double kMbpsOfGbps = 1000;
constexpr double kGrainMs = 0.5;
constexpr int kIpUdp = 28;  // bytes of headers

/// Resources of the WAN: into an island, over a link.
int ingress(int island) {
    return 2 * island + 1;
}
int over_link(std::size_t islands, std::uint32_t id) {
    return static_cast<int>(2 * islands + id);
}

/// Links from an island to another along a tree.
emulate::Path path_along(const schedule::Islands& islands,
                         const topology::StreamTree& tree,
                         int from,
                         int to) {
    std::map<int, std::uint32_t> into;  // node -> the link that leads to it
    for (const std::uint32_t id : tree.links) {
        into[static_cast<int>(islands.network.links[id].to)] = id;
    }
    emulate::Path path;
    for (int node = to; node != from;) {
        const std::uint32_t id = into.at(node);
        path.push_back(over_link(islands.size(), id));
        node = static_cast<int>(islands.network.links[id].from);
    }
    std::ranges::reverse(path);
    return path;
}

}  // namespace

std::size_t egress(int island) {
    return 2 * static_cast<std::size_t>(island);
}

double link_jitter_ms(const schedule::Islands& islands, std::size_t link) {
    const double sigma = link < islands.jitter_ms.size() ? islands.jitter_ms[link] : 0;
    return std::min(std::sqrt(3.0) * sigma, islands.network.links[link].latency_ms);
}

double block_on_wire(const Session& session) {
    return static_cast<double>(kElementBytes) * session.options.block_elements +
           static_cast<double>(kHead) + kIpUdp + session.wan.ethernet;
}

void lay_network(const schedule::Islands& islands, Session& session) {
    emulate::Wan& wan = session.wan;
    const std::size_t n = islands.size();
    for (std::size_t i = 0; i < 2 * n; ++i) {
        emulate::Host host;
        host.name = fmt::format("{}{}", i < n ? "island" : "aggregator", i % n);
        host.region = islands.islands[i % n].name;
        wan.hosts.push_back(std::move(host));
    }
    emulate::number_hosts(wan);
    wan.seed = session.options.seed;
    wan.grain_ms = kGrainMs;
    // A receiver joins the groups of all senders of all rounds: more than the 20 of the default.
    wan.sysctl["net.ipv4.igmp_max_memberships"] = "32768";
    const double data = static_cast<double>(kElementBytes) * session.options.block_elements;
    const auto shape = [&](double gbps, double latency_ms, double jitter_ms) {
        emulate::Shape made;
        made.rate_mbps = gbps * kMbpsOfGbps * session.rate_scale * block_on_wire(session) / data;
        made.delay_ms = latency_ms * session.options.time_scale;
        made.jitter_ms = jitter_ms * session.options.time_scale;
        made.loss = session.options.loss;
        return made;
    };
    for (const schedule::Island& island : islands.islands) {
        wan.resources.push_back({island.name + ">", shape(island.egress_gbps, 0, 0)});
        wan.resources.push_back({">" + island.name, shape(island.ingress_gbps, 0, 0)});
    }
    for (std::size_t id = 0; id < islands.network.links.size(); ++id) {
        const topology::Link& each = islands.network.links[id];
        wan.resources.push_back({islands.node_name(each.from) + ">" + islands.node_name(each.to),
                                 shape(each.gbps, each.latency_ms, link_jitter_ms(islands, id))});
    }
    wan.paths.resize(4 * n * n);
    session.latency_ms = core::Grid<double>(n, n);
    session.fastest_ms = core::Grid<double>(n, n);
    for (std::size_t from = 0; from < n; ++from) {
        topology::Stream all{static_cast<int>(from), {}, 1};
        for (std::size_t to = 0; to < n; ++to) {
            if (to != from) {
                all.receivers.push_back(static_cast<int>(to));
            }
        }
        const topology::StreamTree tree = topology::shortest_trees(islands.network, {all}).front();
        for (const int to : all.receivers) {
            emulate::Path path = path_along(islands, tree, all.source, to);
            path.insert(path.begin(), static_cast<int>(egress(all.source)));
            path.push_back(ingress(to));
            const auto column = static_cast<std::size_t>(to);
            session.latency_ms(from, column) = emulate::delay_ms(wan, path);
            session.fastest_ms(from, column) = session.latency_ms(from, column);
            for (const int resource : path) {
                session.fastest_ms(from, column) -=
                    wan.resources[static_cast<std::size_t>(resource)].shape.jitter_ms;
            }
            wan.paths[from * 2 * n + column] = std::move(path);
        }
        wan.paths[(n + from) * 2 * n + from] = {ingress(all.source)};
    }
}

emulate::Tree lay_tree(const schedule::Islands& islands,
                       int source,
                       std::uint32_t group,
                       const topology::StreamTree& tree,
                       schedule::Clique receivers) {
    const std::size_t n = islands.size();
    emulate::Tree laid{static_cast<std::size_t>(source), group, {}};
    laid.branches.push_back({{static_cast<int>(egress(source))}, -1, {}});
    std::map<int, int> branch_to{{source, 0}};  // node -> the branch that ends there
    for (const std::uint32_t id : tree.links) {
        const topology::Link& each = islands.network.links[id];
        const auto to = static_cast<int>(each.to);
        const auto branch = static_cast<int>(laid.branches.size());
        const bool receives =
            each.to < n && (receivers >> static_cast<unsigned>(to) & 1U) != 0 && to != source;
        laid.branches.push_back({{over_link(n, id)}, receives ? static_cast<int>(n) + to : -1, {}});
        const auto parent = static_cast<std::size_t>(branch_to.at(static_cast<int>(each.from)));
        laid.branches[parent].next.push_back(branch);
        branch_to[to] = branch;
    }
    return laid;
}

}  // namespace longhaul::runtime
