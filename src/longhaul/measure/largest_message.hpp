// How large a message must be to tell the rate of a path: the window of a connection has to open to
// rate x round trip (a bandwidth-delay product), and stay there, for most of the message.
#pragma once

namespace longhaul::measure {

/// Bandwidth-delay products that a message should have at least.
inline constexpr double kEnoughPipes = 4;

/// Bytes under way at full rate: rate x round trip.
[[nodiscard]] double pipe_bytes(double bytes_per_s, double rtt_s);

/// Least largest message that tells a rate: four bandwidth-delay products, 16 MiB or more.
[[nodiscard]] double enough_bytes(double bytes_per_s, double rtt_s);

}  // namespace longhaul::measure
