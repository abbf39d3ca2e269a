// A bound from the number of different stages. An edge below the cheapest pair of two classes joins
// equal stages only, so a path over c different stages has c - 1 edges that cost as much; and one
// of the c stages stands so often that it cannot hold many devices of any class.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "longhaul/placement/classes.hpp"
#include "longhaul/placement/proof_log.hpp"
#include "longhaul/placement/shape.hpp"

namespace longhaul::placement {

/// Classes up to which the bounds of this header work: one bit each.
inline constexpr std::size_t kMostDifferentClasses = 64;

/// No stage of `dp` devices with at most caps[k] of class k has a smaller group term under the
/// sharded exchange (`exchange` K x K): branch and bound over which classes it holds, best first,
/// with the weighted means of their sums as bounds. Stops at `enough`, or when `nodes` is used up,
/// which it lowers; the result is valid all the same. Infinite when no stage fits. `log` takes the
/// tree: every leaf has a bound of the result at least.
[[nodiscard]] double least_exchange_within(const core::Grid<double>& exchange,
                                           int dp,
                                           std::span<const int> caps,
                                           double enough,
                                           std::size_t& nodes,
                                           std::vector<DifferentLog::Node>* log = nullptr);

/// No placement of classes of these sizes scores less: the least over the numbers of different
/// stages, each with the largest share that one stage must have. Stops at `enough`. 0 where it says
/// nothing: one stage, one class, or no cost inside a class below those between classes.
[[nodiscard]] double different_stages_bound(const ClassCosts& costs,
                                            Shape shape,
                                            const std::vector<int>& sizes,
                                            double enough,
                                            std::size_t nodes,
                                            DifferentLog* log = nullptr);

}  // namespace longhaul::placement
