#include "longhaul/runtime/wire.hpp"

#include "longhaul/core/assert.hpp"

namespace longhaul::runtime {
namespace {

constexpr std::byte kFirst{'L'};
constexpr std::byte kSecond{'X'};

template <class T>
std::byte* put(std::byte* at, T value) {
    for (std::size_t i = sizeof(T); i-- > 0;) {
        *at++ = static_cast<std::byte>((value >> (8 * i)) & 0xffU);
    }
    return at;
}

template <class T>
T get(const std::byte*& at) {
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
        value = static_cast<T>(static_cast<T>(value << 8U) | static_cast<T>(*at++));
    }
    return value;
}

}  // namespace

void write_datagram(const Datagram& datagram, std::vector<std::byte>& bytes) {
    LONGHAUL_ASSERT(datagram.elements.size() <= kMostElements);
    bytes.resize(kHead + datagram.elements.size() * kElementBytes);
    std::byte* at = bytes.data();
    *at++ = kFirst;
    *at++ = kSecond;
    *at++ = static_cast<std::byte>(datagram.kind);
    *at++ = std::byte{0};
    at = put(at, datagram.round);
    at = put(at, datagram.block);
    at = put(at, datagram.source);
    at = put(at, static_cast<std::uint16_t>(datagram.elements.size()));
    at = put(at, datagram.sequence);
    at = put(at, datagram.mask);
    for (const std::int32_t element : datagram.elements) {
        at = put(at, static_cast<std::uint32_t>(element));
    }
}

bool read_datagram(std::span<const std::byte> bytes, Datagram& datagram) {
    if (bytes.size() < kHead || bytes[0] != kFirst || bytes[1] != kSecond) {
        return false;
    }
    const auto kind = static_cast<std::uint8_t>(bytes[2]);
    if (kind < static_cast<std::uint8_t>(Kind::kContribution) ||
        kind > static_cast<std::uint8_t>(Kind::kAnswer)) {
        return false;
    }
    const std::byte* at = bytes.data() + 4;
    datagram.kind = static_cast<Kind>(kind);
    datagram.round = get<std::uint32_t>(at);
    datagram.block = get<std::uint32_t>(at);
    datagram.source = get<std::uint16_t>(at);
    const std::size_t elements = get<std::uint16_t>(at);
    datagram.sequence = get<std::uint32_t>(at);
    datagram.mask = get<std::uint64_t>(at);
    if (bytes.size() != kHead + elements * kElementBytes) {
        return false;
    }
    datagram.elements.resize(elements);
    for (std::int32_t& element : datagram.elements) {
        element = static_cast<std::int32_t>(get<std::uint32_t>(at));
    }
    return true;
}

}  // namespace longhaul::runtime
