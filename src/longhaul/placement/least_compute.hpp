// Compute that no grouping of the devices can beat.
#pragma once

#include "longhaul/placement/pipelined.hpp"

namespace longhaul::placement {

/// No stage groups in any order have a smaller sum or a smaller slowest stage. The i-th fastest
/// stage is at most as fast as the (i dp)-th fastest device; layers may be cut anywhere. O(n log
/// n).
[[nodiscard]] StageCompute least_compute(const Problem& problem);

/// The same as seconds of a step without transfers.
[[nodiscard]] double least_compute_seconds(const Problem& problem);

/// The additive problem that is left when compute is taken out: pipelined, that of the first
/// message.
[[nodiscard]] Problem additive_part(const Problem& problem);

}  // namespace longhaul::placement
