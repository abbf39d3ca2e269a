// Plain twins of the fast solvers, for tests and `selftest`: correct by inspection, exponential.
#pragma once

#include "longhaul/placement/evaluate.hpp"

namespace longhaul::placement {

/// Bottleneck matching value over all n! assignments; n up to about 9.
[[nodiscard]] double brute_force_bottleneck(const core::Grid<double>& costs);

/// Shortest open path over all n! orders; n up to about 9.
[[nodiscard]] double brute_force_path(const core::Grid<double>& edges);

/// Score of a partition straight from its definition: all orders of stages, all matchings.
[[nodiscard]] double brute_force_partition(const Costs& costs, const Stages& stages);

}  // namespace longhaul::placement
