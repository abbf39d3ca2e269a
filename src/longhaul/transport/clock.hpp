// Clocks and waiting. Durations come from the monotonic clock; UTC is for people only.
#pragma once

#include <string>

#include "longhaul/core/units.hpp"

namespace longhaul::transport {

/// Seconds since some moment in the past that is the same for all processes of a machine.
[[nodiscard]] core::Seconds now();

/// Processor time that the calling thread has used.
[[nodiscard]] core::Seconds thread_cpu_time();

/// "2026-01-31T12:00:00.123Z"
[[nodiscard]] std::string utc_now();

/// The same for a moment, in seconds since 1970.
[[nodiscard]] std::string utc_text(core::Seconds since_1970);

/// Seconds since 1970, UTC.
[[nodiscard]] core::Seconds utc_seconds();

/// Waits until now() >= at, as exactly as the system can.
void sleep_until(core::Seconds at);

}  // namespace longhaul::transport
