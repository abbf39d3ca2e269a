// What must cross shared capacity, for the checker of certificates.
#pragma once

#include "longhaul/placement/costs.hpp"

namespace longhaul::placement {

/// No placement scores less under the pipelined objective with the sharded exchange, every device
/// in use: for each resource that has every device on one of its sides, and each range of devices
/// of the first side that stages may hold, the pairs of a stage that it parts are the least sum by
/// dynamic programming over stages and devices, and one direction carries as many pairs a
/// micro-batch as the range is wide. What loads take on a resource is part of the score: that comes
/// from Contention. The exchange and the edges of one message take `first` seconds at least. 0
/// where nothing is known, or where it would take more than `most_steps`. O(resources D^3 P N).
[[nodiscard]] double replay_crossing(const Problem& problem, double most_steps, double first = 0);

/// The least `first` with which replay_crossing reaches a target: 0 when it does without, infinite
/// where nothing is known.
[[nodiscard]] double crossing_needs(const Problem& problem, double most_steps, double target);

}  // namespace longhaul::placement
