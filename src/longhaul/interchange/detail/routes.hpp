// Cheapest routes through a graph of links: platforms say links, a fabric needs pairs.
#pragma once

#include <limits>
#include <vector>

namespace longhaul::interchange::detail {

/// What a transfer meets on its way: latencies add up, the narrowest link sets the rate.
struct Way {
    double alpha_ms = 0;
    double beta_gbps = std::numeric_limits<double>::infinity();
    int links = 0;
    std::vector<int> through;  ///< numbers of the links, where they are counted

    void add(const Way& other);
};

struct Edge {
    int to = 0;
    Way way;
};

/// Ways from `source` to every node over the fewest links (ties: the way found first), no longer
/// than `links` of unreachable nodes, which is -1. A node that does not forward may only be an end.
/// O(edges log nodes).
[[nodiscard]] std::vector<Way> ways_from(const std::vector<std::vector<Edge>>& graph,
                                         const std::vector<char>& forwards,
                                         int source);

}  // namespace longhaul::interchange::detail
