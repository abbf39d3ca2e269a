// What the order of stages costs at least, for the checker of certificates.
#pragma once

#include <utility>
#include <vector>

#include "longhaul/core/grid.hpp"

namespace longhaul::placement {

/// Weights of a minimum spanning tree over the nodes, rising (Kruskal: edges by weight, joined
/// while they join two trees). O(n^2 log n).
[[nodiscard]] std::vector<double> spanning_edges(const core::Grid<double>& edges);

/// Their sum.
[[nodiscard]] double spanning_weight(const core::Grid<double>& edges);

/// Shortest order of stages of which `chosen[i].second` are alike; edges(i, i) is between two that
/// are. By how many of each stand already and which stands last; a mixed-radix number counts the
/// first. O(n^2 times the product of (number + 1)).
[[nodiscard]] double shortest_order(const core::Grid<double>& edges,
                                    const std::vector<std::pair<int, int>>& chosen);

}  // namespace longhaul::placement
