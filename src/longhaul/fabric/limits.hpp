// What a link can plausibly be: beyond these a number is a slip of the pen, and
// costs could overflow.
#pragma once

namespace longhaul::fabric {

inline constexpr double kMaxAlphaMs = 1e9;
inline constexpr double kMinBetaGbps = 1e-9;
inline constexpr double kMaxBetaGbps = 1e9;

}  // namespace longhaul::fabric
