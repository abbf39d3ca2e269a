// What a link can plausibly be: beyond these a number is a slip of the pen, and
// costs could overflow.
#pragma once

namespace longhaul::fabric {

inline constexpr double kMaxAlphaMs = 1e9;
inline constexpr double kMinBetaGbps = 1e-9;
inline constexpr double kMaxBetaGbps = 1e9;
inline constexpr double kMinSpeed = 1e-6;  // relative to the reference device
inline constexpr double kMaxSpeed = 1e6;
inline constexpr int kMaxDevices = 20'000;

}  // namespace longhaul::fabric
