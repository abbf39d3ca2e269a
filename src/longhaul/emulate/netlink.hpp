// Configures network interfaces of the network namespace in which it was opened (rtnetlink), so
// that no other program is needed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/emulate/fd.hpp"

namespace longhaul::emulate {

class Netlink {
public:
    /// A socket in the network namespace of the calling thread.
    [[nodiscard]] static core::Result<Netlink> open();

    /// Sets an interface up; `mtu` and `queue` (packets) where not 0.
    [[nodiscard]] core::Result<void> set_up(const std::string& interface, int mtu, int queue);
    /// Adds an IPv4 address.
    [[nodiscard]] core::Result<void> add_address(const std::string& interface,
                                                 std::uint32_t address,
                                                 int prefix);
    /// Adds a route to a network through an interface, with `source` as the sender's address.
    /// TCP connections over it use that congestion control, where one is named: a namespace may
    /// choose for a route what it may not choose as its default.
    [[nodiscard]] core::Result<void> add_route(const std::string& interface,
                                               std::uint32_t network,
                                               int prefix,
                                               std::uint32_t source,
                                               const std::string& congestion);
    /// Adds a pair of virtual Ethernet interfaces, the peer in another network namespace.
    [[nodiscard]] core::Result<void> add_veth(const std::string& interface,
                                              const std::string& peer,
                                              int peer_namespace);
    /// Packets that an interface has thrown away instead of sending; 0 when that is not known.
    /// `index` as index_of() gave it: this works from any namespace.
    [[nodiscard]] std::uint64_t dropped(int index);
    /// Number of an interface of the present namespace.
    [[nodiscard]] static int index_of(const std::string& interface);

private:
    explicit Netlink(Fd socket) : socket_(std::move(socket)) {}
    [[nodiscard]] core::Result<void> ask(std::vector<std::uint8_t> message,
                                         const std::string& what);

    /// Sends a message and reads one answer into it. False and errno on failure.
    [[nodiscard]] bool exchange(std::vector<std::uint8_t>& message);

    Fd socket_;
    std::uint32_t sequence_ = 0;
};

}  // namespace longhaul::emulate
