// The emulated network of a session.
#pragma once

#include "longhaul/runtime/session.hpp"

namespace longhaul::runtime {

/// The resource of the WAN that leads out of an island.
[[nodiscard]] std::size_t egress(int island);

/// Bytes of a block with all headers.
[[nodiscard]] double block_on_wire(const Session& session);

/// What the jitter of a link, a standard deviation, adds to its latency at most, or takes from it:
/// the emulator draws evenly. No more than the latency.
[[nodiscard]] double link_jitter_ms(const schedule::Islands& islands, std::size_t link);

/// Hosts, access links, links, and unicast paths between islands and from aggregators to their
/// islands; `latency_ms`. Needs `options`, `payload_bytes` and `rate_scale`.
void lay_network(const schedule::Islands& islands, Session& session);

/// The multicast tree of a stream from an island over links of the network to the aggregators of
/// its receivers.
[[nodiscard]] emulate::Tree lay_tree(const schedule::Islands& islands,
                                     int source,
                                     std::uint32_t group,
                                     const topology::StreamTree& tree,
                                     schedule::Clique receivers);

}  // namespace longhaul::runtime
