// Open Hamiltonian paths over more stages than Held-Karp can take: found by local search, bounded
// and, where that ends, proved by branch and bound.
#pragma once

#include <cstdint>

#include "longhaul/placement/path.hpp"

namespace longhaul::placement {

struct BoundedPath {
    Path path;
    double bound = 0;      ///< no path is shorter
    bool optimal = false;  ///< the bound meets the length, up to rounding (1e-12)
};

struct PathOptions {
    std::uint64_t kicks = 0;  ///< perturbations of the local search; 0: 20 for each stage
    std::uint64_t nodes = 0;  ///< nodes of branch and bound; 0: only the bound of the root
    std::uint64_t seed = 7;
};

/// Short open path through all nodes of a symmetric matrix with non-negative costs, any number of
/// nodes >= 1. Nearest-neighbour starts, 2-opt and Or-opt with neighbour lists and don't-look bits,
/// kicked by double bridges (Johnson and McGeoch, 1997). O(P^2) a start, about O(P) a kick.
[[nodiscard]] Path local_path(const core::Grid<double>& edges, const PathOptions& options);

/// The same with a bound: the 1-tree bound of Held and Karp (1970) with subgradient steps on the
/// tour that a free extra node closes, then branching on the edges of a node of degree above two
/// (Volgenant and Jonker, 1982) for at most `options.nodes` nodes.
[[nodiscard]] BoundedPath bounded_path(const core::Grid<double>& edges, const PathOptions& options);

/// What evaluation uses: held_karp up to kMaxExactStages stages, bounded_path with a few nodes up
/// to 32, local_path above with kicks that become fewer as each takes longer.
[[nodiscard]] Path best_path(const core::Grid<double>& edges);

/// The same for nodes that come in an order which may be good already: never longer than that one.
[[nodiscard]] Path best_path_from(const core::Grid<double>& edges);

/// The same for the inside of a search: 11 to 32 stages take a short local search. For 16 that is
/// about a hundred times faster than all subsets, above it spares the proof.
[[nodiscard]] Path quick_path_from(const core::Grid<double>& edges);

/// The given order, 0 to P - 1, bettered by a local search with one kick a node: what walks end
/// with that have seen to the order themselves. Up to 8 nodes exact. About O(P^2).
[[nodiscard]] Path bettered_path(const core::Grid<double>& edges);

}  // namespace longhaul::placement
