// What no choice of devices and stages can avoid when there are more devices than places.
//
// Cut the path of stages at its edges above a threshold. The stages of a piece hold equally many
// devices of every part that hangs together by pairs up to the threshold, since a perfect matching
// cannot leave a part. So L stages in one piece need, of parts with N_c devices, the sum of
// floor(N_c / L) to be dp at least. Of g pieces the longest has ceil(pp / g) stages: that gives
// the fewest pieces, and g - 1 edges above the threshold. Source: docs/mathematics/placement.md,
// "Devices to spare".
#pragma once

#include "longhaul/placement/bounds.hpp"

namespace longhaul::placement {

/// Fewest pieces that `shape.pp` stages of `shape.dp` devices must be cut into, when parts of these
/// sizes hang together. O(parts log pp).
[[nodiscard]] int fewest_pieces(Shape shape, std::span<const int> parts);

/// What the thresholds of some pairs say of the edges between stages.
struct EdgesAtLeast {
    double sum = 0;      ///< of all edges of any path
    double slowest = 0;  ///< of the slowest edge of any path
};
/// O(kinds^2 + kinds^2 log pp). 0 for one stage.
[[nodiscard]] EdgesAtLeast edges_at_least(const PairMatrix& pairs, Shape shape);

/// No placement scores less, under any terms, devices to spare or not: the exchange of a device at
/// best, with edges_at_least, and compute on the fastest devices. Without devices to spare edges
/// are those of elementary_bound.
[[nodiscard]] Bound spare_bound(const Problem& problem);

}  // namespace longhaul::placement
