// UDP sockets of the hosts of a trial, and their clocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/runtime/wire.hpp"
#include "longhaul/transport/socket.hpp"

namespace longhaul::runtime {

inline constexpr std::uint16_t kIslandPort = 7002;
inline constexpr std::uint16_t kAggregatorPort = 7003;

/// Never waits. Addresses are IPv4 in host byte order.
class UdpSocket {
public:
    /// On all addresses of the host; multicast leaves by the interface that has `own`.
    [[nodiscard]] static core::Result<UdpSocket> open(std::uint32_t own, std::uint16_t port);

    [[nodiscard]] int fd() const { return descriptor_.get(); }
    /// Receives what is sent to a multicast address.
    [[nodiscard]] core::Result<void> join(std::uint32_t group);
    /// False when the system has no room for it now: as if it were lost on the way.
    bool send(std::uint32_t address, std::uint16_t port, const Datagram& datagram);
    /// The next datagram of ours; false when there is none. Others are dropped.
    [[nodiscard]] bool receive(Datagram& datagram);
    /// When the kernel took in what receive() gave last, clock of the machine, ms: whatever the
    /// process was doing then.
    [[nodiscard]] double received_ms() const { return received_ms_; }

private:
    transport::Descriptor descriptor_;
    std::uint32_t own_ = 0;
    std::vector<std::byte> out_;
    std::vector<std::byte> in_;
    double received_ms_ = 0;
};

/// The clock of a host, ms: that of the machine, plus an error that stays.
[[nodiscard]] double clock_ms(double error_ms);

/// Clock readings as elements of a datagram: nanoseconds, two elements a reading, the high one
/// first.
[[nodiscard]] std::vector<std::int32_t> readings_of(double first_ms, double second_ms);
/// The reading that begins at an element; there must be two.
[[nodiscard]] double reading_ms(std::span<const std::int32_t> elements);

/// Timers that are not grouped, and a place before all ordinary processes. False when the system
/// refuses that place.
bool be_punctual();

/// Waits that long, whatever comes in: one look at many datagrams costs little more than at one.
void nap(double ms);

/// Ends the process as a crash would: nothing is said or put in order.
void end_at_once();

/// Waits until one of the descriptors can be read, or the clock of the host says `until_ms`.
void wait_for(std::span<const int> descriptors, double error_ms, double until_ms);

}  // namespace longhaul::runtime
