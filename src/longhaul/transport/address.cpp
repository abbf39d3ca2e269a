#include "longhaul/transport/address.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace longhaul::transport {
namespace {

constexpr std::array<std::uint8_t, 12> kMappedPrefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

std::optional<std::uint16_t> port_of(std::string_view text) {
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    const bool good = error == std::errc() && end == text.data() + text.size();
    return good ? std::optional(port) : std::nullopt;
}

/// First usable address of the interface of that name.
std::optional<Address> address_of_interface(const std::string& name, std::uint16_t port) {
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) != 0) {
        return std::nullopt;
    }
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> guard(list, &::freeifaddrs);
    std::optional<Address> found;
    for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
        if (entry->ifa_addr == nullptr || name != entry->ifa_name) {
            continue;
        }
        const bool v4 = entry->ifa_addr->sa_family == AF_INET;
        if (!v4 && entry->ifa_addr->sa_family != AF_INET6) {
            continue;
        }
        sockaddr_storage storage{};
        std::memcpy(&storage, entry->ifa_addr, v4 ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
        const Address address = Address::from_system(storage);
        if (v4) {
            return Address::numeric(address.host(), port);
        }
        const bool link_local = address.bytes()[0] == 0xfe && (address.bytes()[1] & 0xc0U) == 0x80;
        if (!found && !link_local) {
            found = Address::numeric(address.host(), port);
        }
    }
    return found;
}

}  // namespace

std::optional<Address> Address::numeric(std::string_view host, std::uint16_t port) {
    const std::string text(host);
    Address address;
    address.port_ = port;
    if (::inet_pton(AF_INET, text.c_str(), address.bytes_.data()) == 1) {
        return address;
    }
    address.v6_ = true;
    const std::size_t percent = text.find('%');  // fe80::1%eth0
    if (percent != std::string::npos) {
        address.scope_ = ::if_nametoindex(text.c_str() + percent + 1);
        if (address.scope_ == 0) {
            return std::nullopt;
        }
    }
    if (::inet_pton(AF_INET6, text.substr(0, percent).c_str(), address.bytes_.data()) == 1) {
        return address;
    }
    return std::nullopt;
}

Address Address::from_system(const sockaddr_storage& storage) {
    Address address;
    if (storage.ss_family == AF_INET) {
        sockaddr_in in{};
        std::memcpy(&in, &storage, sizeof in);
        address.port_ = ntohs(in.sin_port);
        std::memcpy(address.bytes_.data(), &in.sin_addr, sizeof in.sin_addr);
        return address;
    }
    sockaddr_in6 in{};
    std::memcpy(&in, &storage, sizeof in);
    address.port_ = ntohs(in.sin6_port);
    std::array<std::uint8_t, 16> bytes{};
    std::memcpy(bytes.data(), &in.sin6_addr, bytes.size());
    if (std::equal(kMappedPrefix.begin(), kMappedPrefix.end(), bytes.begin())) {
        std::copy(bytes.begin() + kMappedPrefix.size(), bytes.end(), address.bytes_.begin());
        return address;
    }
    address.v6_ = true;
    address.scope_ = in.sin6_scope_id;
    address.bytes_ = bytes;
    return address;
}

bool Address::is_wildcard() const {
    return std::ranges::all_of(bytes_, [](std::uint8_t byte) { return byte == 0; });
}

std::string Address::host() const {
    std::array<char, INET6_ADDRSTRLEN> text{};
    ::inet_ntop(v6_ ? AF_INET6 : AF_INET, bytes_.data(), text.data(), text.size());
    return text.data();
}

std::string Address::text() const {
    return fmt::format(fmt::runtime(v6_ ? "[{}]:{}" : "{}:{}"), host(), port_);
}

unsigned Address::to_system(sockaddr_storage& storage) const {
    storage = {};
    if (!v6_) {
        sockaddr_in in{};
        in.sin_family = AF_INET;
        in.sin_port = htons(port_);
        std::memcpy(&in.sin_addr, bytes_.data(), sizeof in.sin_addr);
        std::memcpy(&storage, &in, sizeof in);
        return sizeof in;
    }
    sockaddr_in6 in{};
    in.sin6_family = AF_INET6;
    in.sin6_port = htons(port_);
    in.sin6_scope_id = scope_;
    std::memcpy(&in.sin6_addr, bytes_.data(), bytes_.size());
    std::memcpy(&storage, &in, sizeof in);
    return sizeof in;
}

std::optional<Network> Network::parse(std::string_view text) {
    const std::size_t slash = text.find('/');
    const std::optional<Address> base = Address::numeric(text.substr(0, slash), 0);
    if (!base) {
        return std::nullopt;
    }
    Network network;
    network.base_ = *base;
    const unsigned most = base->is_v6() ? 128 : 32;
    network.bits_ = most;
    if (slash != std::string_view::npos) {
        const std::optional<std::uint16_t> bits = port_of(text.substr(slash + 1));
        if (!bits || *bits > most) {
            return std::nullopt;
        }
        network.bits_ = *bits;
    }
    return network;
}

bool Network::contains(const Address& address) const {
    if (address.is_v6() != base_.is_v6()) {
        return false;
    }
    for (unsigned bit = 0; bit < bits_; ++bit) {
        const unsigned mask = 0x80U >> (bit % 8);
        if ((address.bytes()[bit / 8] & mask) != (base_.bytes()[bit / 8] & mask)) {
            return false;
        }
    }
    return true;
}

std::optional<HostPort> split_host_port(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) {
        return std::nullopt;
    }
    std::string_view host = text.substr(0, colon);
    const std::optional<std::uint16_t> port = port_of(text.substr(colon + 1));
    const bool brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
    if (!port || host.empty() || (!brackets && host.find(':') != std::string_view::npos)) {
        return std::nullopt;
    }
    if (brackets) {
        host = host.substr(1, host.size() - 2);
    }
    return HostPort{std::string(host), *port};
}

core::Result<Address> resolve(const std::string& host, std::uint16_t port) {
    if (const std::optional<Address> address = Address::numeric(host, port)) {
        return *address;
    }
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* list = nullptr;
    if (const int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &list); error != 0) {
        return core::fail({"",
                           host,
                           fmt::format("cannot be looked up: {}", ::gai_strerror(error)),
                           "give a numeric address or a name that the resolver knows"});
    }
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> guard(list, &::freeaddrinfo);
    sockaddr_storage storage{};
    std::memcpy(&storage, list->ai_addr, list->ai_addrlen);
    return *Address::numeric(Address::from_system(storage).host(), port);
}

core::Result<Address> listen_address(std::string_view text, bool any) {
    const std::optional<HostPort> parts = split_host_port(text);
    if (!parts) {
        return core::fail({"",
                           "",
                           core::shown(text) + " is no place to listen",
                           "give INTERFACE:PORT or ADDRESS:PORT, such as eth0:7711 or "
                           "10.0.0.1:7711; port 0 takes a free one"});
    }
    std::optional<Address> address = Address::numeric(parts->host, parts->port);
    if (!address) {
        address = address_of_interface(parts->host, parts->port);
    }
    if (!address) {
        return core::fail(
            {"",
             "",
             core::shown(parts->host) + " is no address, and no interface with an address",
             "see the list that \"ip address\" prints"});
    }
    if (address->is_wildcard() && !any) {
        return core::fail({"",
                           "",
                           parts->host + " would listen on every interface",
                           "name one interface or address, or add --any when you mean it"});
    }
    return *address;
}

}  // namespace longhaul::transport
