// Networks of islands to try things on.
#pragma once

#include <cstdint>

#include "longhaul/schedule/islands.hpp"

namespace longhaul::schedule::detail {

/// Random points on a map of 8,000 x 4,000 km, joined by their Gabriel graph (planar, connected):
/// latency of 1.3 times the distance in glass, 100 Gbit/s; islands of 20 Gbit/s access, 1 GB.
/// O(islands^3).
[[nodiscard]] Islands planar_islands(int islands, double memory_gb, std::uint64_t seed);

/// Some of the islands, in order, with all links; the others only forward.
[[nodiscard]] Islands without_islands(const Islands& islands,
                                      const std::vector<std::string>& dropped);

}  // namespace longhaul::schedule::detail
