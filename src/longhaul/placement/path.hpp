// Open Hamiltonian path over stages: the order in which stage groups follow each other.
#pragma once

#include <string>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/core/grid.hpp"

namespace longhaul::placement {

/// Stages up to which the exact path is computed: Held-Karp needs pp 2^pp numbers.
inline constexpr int kMaxExactStages = 16;

struct Path {
    double length = 0;
    std::vector<int> order;  ///< every stage once
};

/// Shortest open path through all nodes of a symmetric P x P matrix, by dynamic programming over
/// subsets (Held and Karp, 1962). P from 1 to kMaxExactStages, larger is refused. Of equal paths
/// the one found first in index order is returned, read so that its first node is below its last.
/// O(P^2 2^P) time, O(P 2^P) memory: about 5 us for 8 stages, a few ms for 16.
[[nodiscard]] core::Result<Path> shortest_path(const core::Grid<double>& edges);

/// The same for callers that have checked P already (asserted).
[[nodiscard]] Path held_karp(const core::Grid<double>& edges);

/// The same where edges (a, b) from a to b may differ from (b, a): a path that begins at its first
/// node.
[[nodiscard]] Path directed_held_karp(const core::Grid<double>& edges);

/// What the refusal of too many stages says.
[[nodiscard]] std::string too_many_stages(int pp);
[[nodiscard]] std::string too_many_stages_fix();

}  // namespace longhaul::placement
