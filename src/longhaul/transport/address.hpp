// Where a process listens or connects to, and which addresses belong to a network.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <sys/socket.h>

#include "longhaul/core/diagnostic.hpp"

namespace longhaul::transport {

/// A numeric IPv4 or IPv6 address with a port.
class Address {
public:
    Address() = default;

    /// From "10.0.0.1" or "fe80::1"; nullopt when it is neither. No name is looked up.
    [[nodiscard]] static std::optional<Address> numeric(std::string_view host, std::uint16_t port);
    /// From what the system says.
    [[nodiscard]] static Address from_system(const sockaddr_storage& storage);

    [[nodiscard]] bool is_v6() const { return v6_; }
    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] bool is_wildcard() const;  ///< 0.0.0.0 or ::
    [[nodiscard]] std::string host() const;  ///< "10.0.0.1"
    [[nodiscard]] std::string text() const;  ///< "10.0.0.1:7000", "[fe80::1]:7000"

    /// Fills what system calls take; returns its length.
    unsigned to_system(sockaddr_storage& storage) const;

    /// The 4 or 16 bytes of the address. An IPv4 address mapped into IPv6 counts as IPv4.
    [[nodiscard]] const std::array<std::uint8_t, 16>& bytes() const { return bytes_; }

    friend bool operator==(const Address&, const Address&) = default;

private:
    bool v6_ = false;
    std::uint16_t port_ = 0;
    std::uint32_t scope_ = 0;
    std::array<std::uint8_t, 16> bytes_{};
};

/// A block of addresses, such as 10.0.0.0/8.
class Network {
public:
    /// "10.0.0.0/8", "10.0.0.1" (one address), "fd00::/8"; nullopt when it is none.
    [[nodiscard]] static std::optional<Network> parse(std::string_view text);
    [[nodiscard]] bool contains(const Address& address) const;

    friend bool operator==(const Network&, const Network&) = default;

private:
    Address base_;
    unsigned bits_ = 0;
};

/// Splits "HOST:PORT" or "[V6]:PORT".
struct HostPort {
    std::string host;
    std::uint16_t port = 0;
};
[[nodiscard]] std::optional<HostPort> split_host_port(std::string_view text);

/// Numeric address of a host name or of a numeric address; asks the system's resolver for names.
[[nodiscard]] core::Result<Address> resolve(const std::string& host, std::uint16_t port);

/// Where to listen: an address of this machine, or the name of an interface (its first IPv4
/// address, else its first global IPv6 address). 0.0.0.0 and :: only when `any`.
[[nodiscard]] core::Result<Address> listen_address(std::string_view text, bool any);

}  // namespace longhaul::transport
