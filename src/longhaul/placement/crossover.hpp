// Children of two placements that keep what both parents agree on.
#pragma once

#include "longhaul/core/random.hpp"
#include "longhaul/placement/evaluate.hpp"

namespace longhaul::placement {

/// For each stage of `one` the stage of `two` that stands for it: the assignment of stages to
/// stages with the most devices in common, since the numbers of stages mean nothing. O(n + pp^3).
[[nodiscard]] std::vector<int> aligned_stages(const Stages& one, const Stages& two);

/// A child in the order of `one`. Stages are aligned first; devices that lie in aligned stages of
/// both parents stay there (the partition crossover of graph partitioning); every other device goes
/// to its stage in one parent or the other, drawn, while there is room, else to any room left.
[[nodiscard]] Stages crossover(const Stages& one, const Stages& two, core::Random& random);

}  // namespace longhaul::placement
