// Pairs the devices of two large stages: devices that are alike are moved together.
#pragma once

#include <span>
#include <vector>

#include "longhaul/placement/assignment.hpp"
#include "longhaul/placement/costs.hpp"

namespace longhaul::placement {

/// Units from each row to each column of a transport with the least total cost: supply[i] leave row
/// i, demand[j] reach column j (equal sums). Successive shortest paths with potentials, as
/// least_assignment, but in bundles. O(rows columns) a path.
[[nodiscard]] core::Grid<int> least_transport(const core::Grid<LexCost>& costs,
                                              std::vector<int> supply,
                                              std::vector<int> demand);

/// Devices of `next` reordered so that position r continues the pipeline of stage[r], within the
/// bottleneck value of the two stages. Among such orders: most pairs on one host, then least sum of
/// pair costs (to a nanosecond); devices of equal kind and host are paired in the order of their
/// indices. Above 2^20 cells of such devices the sums are not minimised, and pairs on one host are
/// kept together where the rest can still be paired. O(cells^2) a bundle, and O(dp log dp).
[[nodiscard]] std::vector<int> continue_by_cells(const PairMatrix& pipeline,
                                                 const std::vector<int>& stage,
                                                 const std::vector<int>& next,
                                                 std::span<const int> host_of);

}  // namespace longhaul::placement
