// Who owns the shards of a hierarchical exchange: members of every region, and which of them meet
// across regions.
#pragma once

#include <vector>

#include "longhaul/core/grid.hpp"

namespace longhaul::placement {

/// Arrangements that are all looked at, at most; beyond, they are searched.
inline constexpr double kMostOwnerArrangements = 20'000;

struct Owners {
    /// Positions of the members of each region; the owners come first, and those at one place of
    /// all regions meet.
    std::vector<std::vector<int>> regions;
    std::size_t count = 0;  ///< owners of a region: the fewest members of any
    double seconds = 0;     ///< 2 x inside + across, see exchange.hpp
    bool exact = true;      ///< false: searched, and there may be a faster arrangement
};

/// The fastest arrangement. `regions`: positions of the members of each; `hops`: symmetric, seconds
/// of the message from member to owner within a region, of the message between owners of two.
/// Members that no hop tells apart stand for each other. Exact by depth-first search with bounds up
/// to kMostOwnerArrangements, or where a bound is met; above by exchanges of members. Seconds
/// depend on these hops alone, whatever the numbers of the positions; only among those of a search
/// that is not exact may ties be broken by the order of members. O(D^2) where members of a region
/// do not differ.
[[nodiscard]] Owners best_owners(std::vector<std::vector<int>> regions,
                                 const core::Grid<double>& hops);

}  // namespace longhaul::placement
