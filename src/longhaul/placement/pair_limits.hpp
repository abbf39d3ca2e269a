// How many pairs of devices a threshold leaves: disjoint pairs between two sets, and paths that
// cover a set.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "longhaul/placement/costs.hpp"

namespace longhaul::placement {

/// The least threshold under which two disjoint sets have 1, 2, … disjoint pairs, up to `most` or
/// the smaller set. Augmenting paths of least bottleneck: O(most n^2).
[[nodiscard]] std::vector<double> pair_prices(const PairMatrix& costs,
                                              std::span<const int> a,
                                              std::span<const int> b,
                                              std::size_t most);

/// A lower bound of the same inside one set, from fractional matchings (pairs of the set with a
/// copy of itself, halved).
[[nodiscard]] std::vector<double> inner_pair_prices(const PairMatrix& costs,
                                                    std::span<const int> devices,
                                                    std::size_t most);

/// Vertex-disjoint paths over open pairs that cover all n nodes, at least. Exact up to 10 nodes
/// (O(n^2 2^n)); above, connected parts of n' nodes need n' less half the largest fractional
/// 2-matching, and at least one each (O(n^3)); parts of more than 128 nodes count one.
[[nodiscard]] int fewest_paths(std::size_t n,
                               const std::function<bool(std::size_t, std::size_t)>& open);

}  // namespace longhaul::placement
