// Simulated time: whole picoseconds, so that equal moments are equal and runs repeat to the bit.
#pragma once

#include <chrono>
#include <cstdint>
#include <ratio>

#include "longhaul/core/units.hpp"

namespace longhaul::flowsim {

/// A moment (since the start of the simulation) or a span, in picoseconds.
using Time = std::chrono::duration<std::int64_t, std::pico>;

/// No event happens after this moment: 2^62 ps, 53 days.
inline constexpr Time kHorizon{std::int64_t{1} << 62};
/// What never happens.
inline constexpr Time kNever = Time::max();

/// The nearest picosecond (halves away from zero); kNever beyond the horizon. `seconds` >= 0.
[[nodiscard]] Time to_time(core::Seconds seconds);

[[nodiscard]] inline core::Seconds to_seconds(Time time) {
    return core::Seconds(static_cast<double>(time.count()) / 1e12);
}

}  // namespace longhaul::flowsim
