// Every placement of a small problem, tried once more by the checker of certificates: code of its
// own, in another order than every_placement.hpp, with every term of the score recomputed.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "longhaul/placement/costs.hpp"
#include "longhaul/placement/replay_rows.hpp"
#include "longhaul/placement/replay_tree.hpp"

namespace longhaul::placement {

/// What all placements score.
struct EveryReplay {
    double least = 0;              ///< the least score, where it is below `enough`, else that
    std::uint64_t placements = 0;  ///< that there are; devices of one kind stand for each other
    std::string why;               ///< why nothing was found out; empty: `least` holds
};

/// What tells two devices of a kind apart in any term, memory and order in an exchange included;
/// empty: nothing does.
[[nodiscard]] std::string every_difference(const Problem& problem, std::span<const int> kinds);

/// Any objective and terms, devices to spare (tp = 1). A placement is a set of stages, which count
/// by kinds; where layers, or times on unequal devices, depend on the order of stages it is a
/// sequence of them; with shared capacity it is a rank map, its first stage in the order of kinds.
/// Stages are listed from the most devices of the first kind down; under the pipelined objective
/// once for each limit on the slowest pair. What begins at `enough` or above is not continued. Sets
/// take the shortest of all orders. Refused: more than kMostReplayPlacements, or another number of
/// them than `claimed`.
[[nodiscard]] EveryReplay replay_every(const Problem& problem,
                                       std::span<const int> kinds,
                                       std::uint64_t claimed,
                                       double enough,
                                       const ReplayLimits& limits);

}  // namespace longhaul::placement
