// Hierarchical clustering of the nodes of a cost matrix: where the fabric falls apart.
#pragma once

#include <vector>

#include "longhaul/core/grid.hpp"

namespace longhaul::placement {

/// Average-linkage dendrogram (Sokal and Michener, 1958) of a symmetric n x n cost matrix.
class Dendrogram {
public:
    /// O(n^3) worst, O(n^2) usual: nearest partners are kept.
    explicit Dendrogram(const core::Grid<double>& costs);

    /// All nodes so that clusters are contiguous and, within a merge, the nearer ends face each
    /// other.
    [[nodiscard]] std::vector<int> leaf_order() const { return clusters_.back(); }
    /// The partition into `count` clusters (1 <= count <= n), in leaf order.
    [[nodiscard]] std::vector<std::vector<int>> cut(std::size_t count) const;

private:
    struct Merge {
        int left = 0;  // index of a leaf (< n) or of an earlier merge (n + its number)
        int right = 0;
    };
    [[nodiscard]] std::vector<int> joined(const std::vector<int>& left,
                                          const std::vector<int>& right,
                                          const core::Grid<double>& costs) const;

    std::size_t leaves_ = 0;
    std::vector<Merge> merges_;
    std::vector<std::vector<int>> clusters_;  // by index: leaves, then merges
};

/// Nodes by repeatedly going to the nearest unvisited one, from `start`. O(n^2).
[[nodiscard]] std::vector<int> nearest_neighbour_tour(const core::Grid<double>& costs, int start);

}  // namespace longhaul::placement
