// What every placement sends over a shared resource, micro-batch after micro-batch or in its
// exchanges.
//
// Let a resource have N1 of all devices on its first side, all others on its second, and a stage s
// a_s of the N1. Of the pairs of two stages in a row at least |a_s - a_(s+1)| cross, so that one
// direction carries max a - min a pairs a micro-batch at least, and a stage group exchanges over
// a_s (D - a_s) pairs. Whatever the stages hold: if they all lie within [low, high], the exchange
// is least when as many as can be lie at the two ends, since it is concave in a_s. So for every
// range of high - low, either part has a least number of seconds. Source:
// docs/mathematics/terms.md, "What must cross".
#pragma once

#include "longhaul/placement/costs.hpp"

namespace longhaul::placement {

struct CrossingBound {
    double value = 0;   ///< no placement scores less, seconds; 0: nothing is known
    int resource = -1;  ///< that has it
    double beside = 0;  ///< of it: what no placement takes less than beside the first message
};

/// Pairs of devices of a stage that a resource parts, over all `stages`, at least: `devices` of
/// them lie on one side, `low` to `high` <= `dp` in a stage; -1 when that cannot be. O(1).
[[nodiscard]] long long fewest_parted_pairs(int stages, int dp, int devices, int low, int high);

/// Pipelined objective with the sharded exchange, every device in use and on one side of a
/// resource. `first`: seconds that the exchange and the edges of one message take together at
/// least, without sharing. O(resources D^2) beside elementary bounds.
[[nodiscard]] CrossingBound crossing_bound(const Problem& problem, double first = 0);

}  // namespace longhaul::placement
