// Orders of stages where an edge may cost more one way than the other: rates of shared capacity
// that differ by direction, with payloads that differ by pass (contention.hpp).
#pragma once

#include "longhaul/placement/path.hpp"

namespace longhaul::placement {

/// Short open path through all nodes of a matrix with non-negative costs, (a, b) from a to b, any
/// number of nodes >= 1. Of a symmetric matrix that of best_path. Else exact up to kMaxExactStages
/// nodes; above, the best path of the mean of both ways is read from the better end, and bettered
/// by moving and turning stretches (2-opt and Or-opt) as long as that helps. O(P^2) a round.
[[nodiscard]] Path best_directed_path(const core::Grid<double>& edges);

}  // namespace longhaul::placement
