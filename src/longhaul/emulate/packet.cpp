#include "longhaul/emulate/packet.hpp"

#include <algorithm>
#include <cstring>

#include "longhaul/core/assert.hpp"

namespace longhaul::emulate {
namespace {

constexpr std::size_t kIpHeader = 20;
constexpr std::size_t kTcpHeader = 20;
constexpr std::size_t kIpLength = 2;
constexpr std::size_t kIpId = 4;
constexpr std::size_t kIpProtocol = 9;
constexpr std::size_t kIpChecksum = 10;
constexpr std::size_t kIpSource = 12;
constexpr std::size_t kIpDestination = 16;
constexpr std::size_t kTcpSequence = 4;
constexpr std::size_t kTcpOffset = 12;
constexpr std::size_t kTcpFlags = 13;
constexpr std::size_t kTcpChecksum = 16;
constexpr std::uint8_t kFin = 0x01;
constexpr std::uint8_t kPush = 0x08;
constexpr std::uint8_t kWindowReduced = 0x80;
constexpr std::uint8_t kTcp = 6;

// Fields of the network: high byte first.
std::uint16_t get16(const std::uint8_t* at) {
    return static_cast<std::uint16_t>((at[0] << 8U) | at[1]);
}

std::uint32_t get32(const std::uint8_t* at) {
    return (std::uint32_t{get16(at)} << 16U) | get16(at + 2);
}

void put16(std::uint8_t* at, std::uint32_t value) {
    at[0] = static_cast<std::uint8_t>(value >> 8U);
    at[1] = static_cast<std::uint8_t>(value);
}

void put32(std::uint8_t* at, std::uint32_t value) {
    put16(at, value >> 16U);
    put16(at + 2, value & 0xffffU);
}

// Fields of the virtio header: in the order of the machine.
std::uint16_t native16(const std::uint8_t* at) {
    std::uint16_t value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
}

void put_native16(std::uint8_t* at, std::uint16_t value) {
    std::memcpy(at, &value, sizeof value);
}

/// Headers of one segment of a TCP super-packet: IP and TCP; 0 when they do not hold.
std::size_t tcp_headers(const std::uint8_t* ip, std::size_t ip_header, std::size_t total) {
    if (ip[kIpProtocol] != kTcp || total < ip_header + kTcpHeader) {
        return 0;
    }
    const std::size_t words = ip[ip_header + kTcpOffset] >> 4U;
    const std::size_t headers = ip_header + words * 4;
    return words * 4 >= kTcpHeader && headers <= total ? headers : 0;
}

/// Lengths and checksums of a cut packet.
void seal(std::uint8_t* ip, std::size_t total) {
    const std::size_t ip_header = (ip[0] & 0x0fU) * std::size_t{4};
    put16(ip + kIpLength, static_cast<std::uint32_t>(total));
    put16(ip + kIpChecksum, 0);
    put16(ip + kIpChecksum, ~std::uint32_t{ones_sum({ip, ip_header})} & 0xffffU);
    // The sum of the pseudo header; the device that sends the segment adds the rest.
    const auto start = static_cast<std::uint32_t>(kTcp + total - ip_header);
    put16(ip + ip_header + kTcpChecksum, ones_sum({ip + kIpSource, 8}, start));
}

}  // namespace

std::uint16_t ones_sum(std::span<const std::uint8_t> bytes, std::uint32_t start) {
    std::uint64_t sum = start;
    for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
        sum += get16(&bytes[i]);
    }
    if (bytes.size() % 2 != 0) {
        sum += std::uint32_t{bytes.back()} << 8U;
    }
    while (sum >> 16U != 0) {
        sum = (sum & 0xffffU) + (sum >> 16U);
    }
    return static_cast<std::uint16_t>(sum);
}

std::optional<Frame> inspect(std::span<const std::uint8_t> packet) {
    if (packet.size() < kVnetHeader + kIpHeader) {
        return std::nullopt;
    }
    const std::uint8_t* ip = packet.data() + kVnetHeader;
    const std::size_t total = packet.size() - kVnetHeader;
    const std::size_t ip_header = (ip[0] & 0x0fU) * std::size_t{4};
    if (ip[0] >> 4U != 4 || ip_header < kIpHeader || ip_header > total) {
        return std::nullopt;
    }
    Frame frame;
    frame.source = get32(ip + kIpSource);
    frame.destination = get32(ip + kIpDestination);
    frame.ip_bytes = static_cast<int>(total);
    frame.header_bytes = frame.ip_bytes;
    const std::uint8_t type = packet[1] & static_cast<std::uint8_t>(~VnetHeader::kEcn);
    const int size = native16(packet.data() + 4);
    if (type == VnetHeader::kNone || size == 0) {
        return frame;
    }
    const std::size_t headers = tcp_headers(ip, ip_header, total);
    if (type != VnetHeader::kTcp4 || headers == 0) {
        return std::nullopt;  // an offload that was not asked for
    }
    const int payload = static_cast<int>(total - headers);
    frame.header_bytes = static_cast<int>(headers);
    frame.segment = size;
    frame.segments = std::max(1, (payload + size - 1) / size);
    return frame;
}

std::vector<std::uint8_t> cut(std::span<const std::uint8_t> packet,
                              const Frame& frame,
                              int first,
                              int count) {
    LONGHAUL_ASSERT(first >= 0 && count >= 1 && first + count <= frame.segments);
    const auto headers = static_cast<std::size_t>(frame.header_bytes);
    const auto payload = static_cast<std::size_t>(frame.ip_bytes) - headers;
    const auto size = static_cast<std::size_t>(frame.segment);
    const std::size_t begin = static_cast<std::size_t>(first) * size;
    const std::size_t end = std::min(payload, begin + static_cast<std::size_t>(count) * size);
    std::vector<std::uint8_t> piece(kVnetHeader + headers + end - begin);
    const auto body = packet.begin() + static_cast<std::ptrdiff_t>(kVnetHeader + headers);
    const auto after = std::copy(packet.begin(), body, piece.begin());
    std::copy(
        body + static_cast<std::ptrdiff_t>(begin), body + static_cast<std::ptrdiff_t>(end), after);
    if (count == 1) {
        piece[1] = VnetHeader::kNone;
        put_native16(&piece[4], 0);
    }
    std::uint8_t* ip = piece.data() + kVnetHeader;
    std::uint8_t* tcp = ip + (ip[0] & 0x0fU) * std::size_t{4};
    put16(ip + kIpId, get16(ip + kIpId) + static_cast<std::uint32_t>(first));
    put32(tcp + kTcpSequence, get32(tcp + kTcpSequence) + static_cast<std::uint32_t>(begin));
    if (first + count < frame.segments) {
        tcp[kTcpFlags] &= static_cast<std::uint8_t>(~(kFin | kPush));
    }
    if (first > 0) {
        tcp[kTcpFlags] &= static_cast<std::uint8_t>(~kWindowReduced);
    }
    seal(ip, headers + end - begin);
    return piece;
}

}  // namespace longhaul::emulate
