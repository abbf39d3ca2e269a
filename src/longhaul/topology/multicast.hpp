// Trees from one node to several, for all-to-all exchanges inside groups: a stream crosses each
// link of its tree once.
#pragma once

#include <cstdint>
#include <vector>

#include "longhaul/topology/topology.hpp"

namespace longhaul::topology {

/// What streams run over: nodes 0 .. nodes - 1 and directed links; those that are down are not
/// used.
struct StreamNetwork {
    int nodes = 0;
    std::vector<Link> links;
};

/// The sites of a WAN; link i is directed link 2 x wan_base() + i of the topology.
[[nodiscard]] StreamNetwork site_network(const Topology& topology);

/// All nodes; link i is directed link i of the topology.
[[nodiscard]] StreamNetwork whole_network(const Topology& topology);

/// One stream: where it starts and where it must arrive.
struct Stream {
    int source = 0;
    std::vector<int> receivers;
    double gbps = 1;  ///< its rate, for what it loads
};

/// Directed links of the tree of a stream, each after the one that leads to it.
struct StreamTree {
    std::vector<std::uint32_t> links;

    friend bool operator==(const StreamTree&, const StreamTree&) = default;
};

/// Trees of shortest paths by cost, ties to the lower link: what multicast over IS-IS or PIM
/// builds. Unreachable receivers are left out. O(streams links log nodes).
[[nodiscard]] std::vector<StreamTree> shortest_trees(const StreamNetwork& network,
                                                     const std::vector<Stream>& streams);

struct TreeOptions {
    double latency_cap_ms = 0;  ///< for every receiver; 0: the largest latency of shortest_trees
    int rounds = 400;           ///< how often every tree is grown anew; every 40th starts afresh
    std::uint64_t seed = 7;
};

/// Trees that keep the fullest link low: in each round every tree is grown anew over random lengths
/// that rise with the load of the others, receiver by receiver from the nearest, within the latency
/// cap, and kept when the sorted list of loads over capacity does not rise. Never worse than
/// shortest_trees. A heuristic: no bound comes with it. O(rounds streams receivers links log
/// nodes).
[[nodiscard]] std::vector<StreamTree> congestion_aware_trees(const StreamNetwork& network,
                                                             const std::vector<Stream>& streams,
                                                             const TreeOptions& options);

/// Gbit/s on every directed link.
[[nodiscard]] std::vector<double> stream_loads(const StreamNetwork& network,
                                               const std::vector<Stream>& streams,
                                               const std::vector<StreamTree>& trees);

/// Latency from the source to each receiver of a stream, ms; infinite when the tree misses it.
[[nodiscard]] std::vector<double> stream_latencies(const StreamNetwork& network,
                                                   const Stream& stream,
                                                   const StreamTree& tree);

}  // namespace longhaul::topology
