// Shortest paths by search on the whole network: what compiled routes must equal, and where their
// patches come from.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "longhaul/topology/topology.hpp"

namespace longhaul::topology {

inline constexpr std::int64_t kUnreachable = std::numeric_limits<std::int64_t>::max();

/// The links that are up, by node. Links keep their numbers.
class Graph {
public:
    struct Edge {
        std::uint32_t to = 0;
        std::uint32_t link = 0;  ///< directed
        int cost = 1;
    };

    /// `links[i]` is directed link i; links that are down are left out. O(nodes + links).
    Graph(std::uint32_t nodes, std::span<const Link> links);

    [[nodiscard]] std::uint32_t nodes() const {
        return static_cast<std::uint32_t>(first_.size() - 1);
    }
    [[nodiscard]] std::span<const Edge> out(std::uint32_t node) const {
        return std::span(edges_).subspan(first_[node], first_[node + 1] - first_[node]);
    }

    /// Least sum of costs from every node to one, or kUnreachable: breadth first when all costs are
    /// equal, else Dijkstra. O(nodes + links), with a logarithm for unequal costs.
    [[nodiscard]] std::vector<std::int64_t> distances_to(std::uint32_t target) const;

    /// Directed links out of a node on shortest paths, in the order of their numbers.
    [[nodiscard]] std::vector<std::uint32_t> next_links(
        std::uint32_t node, const std::vector<std::int64_t>& distances) const;

private:
    [[nodiscard]] std::vector<std::int64_t> breadth_first(std::uint32_t target) const;
    [[nodiscard]] std::vector<std::int64_t> dijkstra(std::uint32_t target) const;

    std::vector<std::uint32_t> first_;
    std::vector<Edge> edges_;
    std::vector<std::uint32_t> first_in_;
    std::vector<Edge> in_;  ///< `to` is where the edge comes from
    bool equal_costs_ = true;
};

}  // namespace longhaul::topology
