#include "longhaul/transport/tcp_state.hpp"

#include <limits>

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace longhaul::transport {
namespace {

constexpr double kMicrosecond = 1e-6;

core::Seconds microseconds(std::uint64_t count) {
    return core::Seconds(kMicrosecond * static_cast<double>(count));
}

}  // namespace

TcpState tcp_state(const Socket& socket) {
    // glibc's own header knows an older structure, without the limits.
    tcp_info info{};
    socklen_t size = sizeof info;
    TcpState state;
    if (::getsockopt(socket.fd(), IPPROTO_TCP, TCP_INFO, &info, &size) != 0) {
        return state;
    }
    const bool measured = info.tcpi_min_rtt != std::numeric_limits<std::uint32_t>::max();
    state.min_rtt = microseconds(measured ? info.tcpi_min_rtt : 0);
    state.rtt = microseconds(info.tcpi_rtt);
    state.busy = microseconds(info.tcpi_busy_time);
    state.rwnd_limited = microseconds(info.tcpi_rwnd_limited);
    state.sndbuf_limited = microseconds(info.tcpi_sndbuf_limited);
    state.retransmitted_bytes = static_cast<double>(info.tcpi_bytes_retrans);
    state.unsent_bytes = static_cast<double>(info.tcpi_notsent_bytes);
    state.in_flight_bytes = static_cast<double>(info.tcpi_unacked) * info.tcpi_snd_mss;
    state.delivery_gbps = 8e-9 * static_cast<double>(info.tcpi_delivery_rate);
    state.application_limited = info.tcpi_delivery_rate_app_limited != 0;
    return state;
}

}  // namespace longhaul::transport
