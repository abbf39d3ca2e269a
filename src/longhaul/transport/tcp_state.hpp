// What the kernel knows of a TCP connection (struct tcp_info of linux/tcp.h).
#pragma once

#include <cstdint>

#include "longhaul/core/units.hpp"
#include "longhaul/transport/socket.hpp"

namespace longhaul::transport {

/// Counters since the connection began, except where said otherwise.
struct TcpState {
    core::Seconds min_rtt;         ///< least of the last minutes; 0 when unknown
    core::Seconds rtt;             ///< smoothed
    core::Seconds busy;            ///< data was under way
    core::Seconds rwnd_limited;    ///< the window of the receiver was full
    core::Seconds sndbuf_limited;  ///< the send buffer was full
    double retransmitted_bytes = 0;
    double unsent_bytes = 0;           ///< handed to the kernel and not sent yet, now
    double in_flight_bytes = 0;        ///< sent and not acknowledged, now
    double delivery_gbps = 0;          ///< latest estimate of the rate; 0 when unknown
    bool application_limited = false;  ///< that estimate is of a sender that had less to send
};

/// All zero where the kernel does not say.
[[nodiscard]] TcpState tcp_state(const Socket& socket);

}  // namespace longhaul::transport
