// Networks of a WAN, and the addresses of its hosts.
#pragma once

#include <optional>
#include <string_view>

#include "longhaul/emulate/wan.hpp"

namespace longhaul::emulate {

/// 10.77.0.0/16 for the WAN and 10.78.0.0/16 for the management network.
inline constexpr std::uint32_t kDefaultNetwork = 0x0a4d0000;
inline constexpr std::uint32_t kDefaultControlNetwork = 0x0a4e0000;
inline constexpr int kDefaultPrefix = 16;

/// "10.77.0.1", or nothing.
[[nodiscard]] std::optional<std::uint32_t> parse_address(std::string_view text);

struct Network {
    std::uint32_t address = 0;
    int prefix = 0;
};

/// "10.77.0.0/16", or nothing; bits of the host part must be zero.
[[nodiscard]] std::optional<Network> parse_network(std::string_view text);

/// Numbers the hosts that have no address: host k gets number k + 1 of both networks, the control
/// namespace the last one but one.
void number_hosts(Wan& wan, std::uint32_t control_network, int control_prefix);

/// Why a text cannot be the name of a host, region or resource; empty when it can. Host names are
/// at most 63 letters, digits, "-", "_" and ".", and start with a letter or digit.
[[nodiscard]] std::string name_problem(std::string_view name);

}  // namespace longhaul::emulate
