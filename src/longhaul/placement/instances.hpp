// Random problems for self-tests, tests and benchmarks.
#pragma once

#include "longhaul/core/random.hpp"
#include "longhaul/placement/costs.hpp"

namespace longhaul::placement {

/// Symmetric n x n costs with a zero diagonal: whole numbers from 1 to `levels` (few levels: many
/// ties), or uniform in (0, 1] when `levels` is 0. With `equal_rows`, about half of the nodes are
/// copies of another node.
[[nodiscard]] core::Grid<double> random_costs(std::size_t n,
                                              std::uint32_t levels,
                                              bool equal_rows,
                                              core::Random& random);

/// Problem of a shape with independent random pipeline and exchange costs.
[[nodiscard]] Problem random_problem(Shape shape,
                                     std::uint32_t levels,
                                     bool equal_rows,
                                     core::Random& random);

}  // namespace longhaul::placement
