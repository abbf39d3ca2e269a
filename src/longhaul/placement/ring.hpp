// The ring with the fastest slowest hop: a bottleneck Hamiltonian cycle over the devices of a
// group.
#pragma once

#include <vector>

#include "longhaul/core/grid.hpp"

namespace longhaul::placement {

/// Members up to which the best ring is found exactly, by dynamic programming over subsets.
inline constexpr std::size_t kMaxExactRing = 12;

struct Ring {
    std::vector<int> order;  ///< members 0 .. n - 1; the last one sends to the first
    double slowest = 0;      ///< its slowest hop; 0 for one member
    double bound = 0;        ///< no ring has a faster slowest hop
    [[nodiscard]] bool exact() const { return slowest <= bound; }
};

/// The best ring under symmetric hops (n x n, diagonal ignored). Two members have one hop.
///
/// No ring is faster than the least threshold under which the members are biconnected (a ring has
/// no member whose loss cuts it). From there on, thresholds are tried: exactly up to kMaxExactRing
/// members (O(n 2^n) each), by path extension and rotation (Posa, 1976) above, so that the result
/// is exact where it meets the bound.
[[nodiscard]] Ring best_ring(const core::Grid<double>& hops);

/// The same ring with a shorter sum of hops and none slower than its slowest: tails turned around
/// as long as that helps (2-opt). Fewer long hops load shared links less.
void shorten(Ring& ring, const core::Grid<double>& hops);

/// Least threshold under which the members are biconnected (n >= 3). O(n^2 log n).
[[nodiscard]] double biconnected_threshold(const core::Grid<double>& hops);

}  // namespace longhaul::placement
