// Which devices to use, as starts of the search where there are more than places.
#pragma once

#include <vector>

#include "longhaul/placement/costs.hpp"

namespace longhaul::placement {

/// The shape.devices() devices that are left when the one farthest from the others is taken away
/// again and again: by its dp - 1 cheapest exchanges and its cheapest edge. Ascending. O(kinds^2)
/// to begin with, and O(kinds) for every kind that loses a near one.
[[nodiscard]] std::vector<int> nearest_devices(const Problem& problem);

/// Sets of devices to begin with: without those that are far from all others; without the smallest
/// classes; and, for every class, without it and then those that are farthest from the rest.
[[nodiscard]] std::vector<std::vector<int>> device_sets(const Problem& problem);

}  // namespace longhaul::placement
