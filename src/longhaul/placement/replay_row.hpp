// Counts of devices by class, for the checker of certificates.
#pragma once

#include <array>
#include <cstddef>

namespace longhaul::placement {

/// Classes that a certificate may have.
inline constexpr std::size_t kMostReplayClasses = 16;

/// Devices of each class in a stage, or of what is left.
using ReplayRow = std::array<int, kMostReplayClasses>;

}  // namespace longhaul::placement
