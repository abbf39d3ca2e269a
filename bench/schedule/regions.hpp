// Islands in measured cloud regions (the Skyplane grid; the files are the user's).
#pragma once

#include <cstdint>

#include "longhaul/schedule/islands.hpp"
#include "skyplane.hpp"

namespace longhaul::bench {

/// Regions drawn with the seed, a direct link each way between all of them with the measured delay
/// and rate; access as fast as the fastest link of a region; 1 GB. Latencies differ by direction
/// as little as the table says.
[[nodiscard]] schedule::Islands region_islands(const MeasuredRegions& measured,
                                               int islands,
                                               double memory_gb,
                                               std::uint64_t seed);

}  // namespace longhaul::bench
