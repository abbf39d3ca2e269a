// The shortest path over stage groups that also pay for their place on it.
#pragma once

#include <vector>

#include "longhaul/core/grid.hpp"

namespace longhaul::placement {

/// Order of the groups: edges(g, h) between neighbours, price(g, t) for group g at place t, which
/// may be negative. Held-Karp over (set, last), O(P^2 2^P).
[[nodiscard]] std::vector<int> path_with_places(const core::Grid<double>& edges,
                                                const core::Grid<double>& price);

}  // namespace longhaul::placement
