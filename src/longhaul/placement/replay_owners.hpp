// How the checker of certificates finds the owners of a hierarchical exchange: code of its own,
// from the formulas of exchange.hpp.
#pragma once

#include <functional>
#include <vector>

namespace longhaul::placement {

/// Seconds from one device to another.
using ReplayHop = std::function<double(int, int)>;

/// 2 x inside + across of the devices of each region with `owners` owners each, the least over who
/// owns and which owners meet. `share`: to an owner of the region; `part`: between owners of two.
/// Exact where that takes few enough steps; else no more than that.
[[nodiscard]] double replay_owners(std::vector<std::vector<int>> regions,
                                   std::size_t owners,
                                   const ReplayHop& share,
                                   const ReplayHop& part);

}  // namespace longhaul::placement
