// Plain twins of the fast solvers, for tests and `selftest`: correct by inspection, exponential.
#pragma once

#include "longhaul/placement/evaluate.hpp"

namespace longhaul::placement {

/// Bottleneck matching value over all n! assignments; n up to about 9.
[[nodiscard]] double brute_force_bottleneck(const core::Grid<double>& costs);

/// Shortest open path over all n! orders; n up to about 9.
[[nodiscard]] double brute_force_path(const core::Grid<double>& edges);

/// Slowest hop of the best ring over all orders; n up to about 9.
[[nodiscard]] double brute_force_ring(const core::Grid<double>& hops);

/// Seconds of the best reduction tree over all splits into halves, see reduction_tree.hpp; n up to
/// about 7.
[[nodiscard]] double brute_force_tree(const core::Grid<double>& hops);

/// Score of a partition straight from its definition: all orders of stages, all matchings.
[[nodiscard]] double brute_force_partition(const Costs& costs, const Stages& stages);

}  // namespace longhaul::placement
