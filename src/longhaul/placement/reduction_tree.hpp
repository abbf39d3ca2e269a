// The fastest tree that adds up the gradients of a group: halves are reduced at the same time, then
// the root of one half sends its sum to the root of the other.
#pragma once

#include <vector>

#include "longhaul/core/grid.hpp"

namespace longhaul::placement {

/// Members up to which the best tree is found exactly, by dynamic programming over subsets.
inline constexpr std::size_t kMaxExactTree = 10;

/// `from` sends its sum to `to`, after everything below both.
struct Merge {
    int from = 0;
    int to = 0;
};

struct ReductionTree {
    double seconds = 0;         ///< one way: until the root has the sum
    double bound = 0;           ///< no tree of halves takes less
    int root = 0;               ///< member that holds the sum
    std::vector<Merge> merges;  ///< in an order that can be followed
    [[nodiscard]] bool exact() const { return seconds <= bound; }
};

/// The best tree under symmetric hops (n x n, seconds of one sum from member to member); among
/// equally fast ones a small sum of hops decides. With n members, halves have ceil(n / 2) and
/// floor(n / 2) members:
///
///     f({r}, r) = 0
///     f(S, r)   = min over halves A with r and B, min over q in B,
///                 of max(f(A, r), f(B, q)) + hop(r, q)
///
/// Exact up to kMaxExactTree members (O(3^n)); above, members in the order of nearest-neighbour
/// tours are halved where they stand, and swaps of the slowest branch improve the order, a fixed
/// amount of work.
[[nodiscard]] ReductionTree best_reduction_tree(const core::Grid<double>& hops);

/// Seconds of halving the members in this order, where they stand: the best roots. O(n^2).
[[nodiscard]] double tree_of_order(const core::Grid<double>& hops, const std::vector<int>& order);

}  // namespace longhaul::placement
