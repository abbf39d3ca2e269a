// What a message costs on a connection that has just been opened, or was idle: slow start.
#pragma once

#include "longhaul/core/units.hpp"

namespace longhaul::measure {

/// Seconds from the first byte to the acknowledgement of the last, on a fresh TCP connection
/// (connected before): a window of 10 segments of 1448 bytes doubles every round trip until it
/// covers rate x round trip, then the rest flows at the rate; one more round trip brings the
/// acknowledgement. Initial window: RFC 6928. bytes >= 0, rtt >= 0, beta > 0. O(log(beta rtt)).
[[nodiscard]] core::Seconds cold_seconds(double bytes, core::Seconds rtt, core::GbitPerSecond beta);

}  // namespace longhaul::measure
