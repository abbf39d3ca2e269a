#include <algorithm>

#include "longhaul/emulate/detail/addresses.hpp"

namespace longhaul::emulate {
namespace {

constexpr std::size_t kLongestName = 63;
constexpr int kLeastPrefix = 8;
constexpr int kMostPrefix = 22;  // room for kMaxHosts
constexpr unsigned kMaxByte = 255;

std::optional<unsigned> parse_number(std::string_view text, unsigned most) {
    constexpr std::size_t kDigits = 3;
    constexpr unsigned kTen = 10;
    unsigned value = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') {
            return std::nullopt;
        }
        value = value * kTen + static_cast<unsigned>(c - '0');
    }
    const bool good = !text.empty() && text.size() <= kDigits && value <= most;
    return good ? std::optional(value) : std::nullopt;
}

std::uint32_t host_bits(int prefix) {
    return 0xffffffffU >> static_cast<unsigned>(prefix);
}

}  // namespace

std::optional<std::uint32_t> parse_address(std::string_view text) {
    std::uint32_t address = 0;
    for (int part = 0; part < 4; ++part) {
        const std::size_t dot = part < 3 ? text.find('.') : text.size();
        const std::optional<unsigned> byte = dot == std::string_view::npos
                                                 ? std::nullopt
                                                 : parse_number(text.substr(0, dot), kMaxByte);
        if (!byte) {
            return std::nullopt;
        }
        address = (address << 8U) | *byte;
        text.remove_prefix(std::min(text.size(), dot + 1));
    }
    return address;
}

/// Networks that never leave a host or name none (RFC 6890): "this" network, loopback, link-local,
/// multicast and reserved.
bool special(std::uint32_t address) {
    constexpr std::uint32_t kThis = 0;
    constexpr std::uint32_t kLoopback = 127;
    constexpr std::uint32_t kMulticast = 224;
    constexpr std::uint32_t kLinkLocal = (169U << 8U) | 254U;
    const std::uint32_t first = address >> 24U;
    return first == kThis || first == kLoopback || first >= kMulticast ||
           address >> 16U == kLinkLocal;
}

std::optional<Network> parse_network(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) {
        return std::nullopt;
    }
    const auto address = parse_address(text.substr(0, slash));
    const auto prefix = parse_number(text.substr(slash + 1), kMostPrefix);
    if (!address || !prefix || static_cast<int>(*prefix) < kLeastPrefix) {
        return std::nullopt;
    }
    const Network network{*address, static_cast<int>(*prefix)};
    const bool zero = (network.address & host_bits(network.prefix)) == 0;
    return zero && !special(network.address) ? std::optional(network) : std::nullopt;
}

void number_hosts(Wan& wan, std::uint32_t control_network, int control_prefix) {
    for (std::size_t i = 0; i < wan.hosts.size(); ++i) {
        const auto number = static_cast<std::uint32_t>(i + 1);
        if (wan.hosts[i].address == 0) {
            wan.hosts[i].address = wan.network + number;
        }
        wan.hosts[i].control = control_network + number;
    }
    wan.control_host = control_network + host_bits(control_prefix) - 1;
}

std::string name_problem(std::string_view name) {
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    };
    const auto allowed = [&](char c) { return plain(c) || c == '-' || c == '_' || c == '.'; };
    if (name.empty() || name.size() > kLongestName || !plain(name.front()) ||
        !std::ranges::all_of(name, allowed)) {
        return "it must be 1 to 63 letters, digits, -, _ or ., and start with a letter or digit";
    }
    return name == "control" ? "control is the management namespace; choose another name" : "";
}

}  // namespace longhaul::emulate
