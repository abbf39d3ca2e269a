#include "longhaul/emulate/packet.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include <gtest/gtest.h>

namespace longhaul::emulate {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kHeaders = 52;  // IPv4 20, TCP 20, time stamps 12

void put(Bytes& bytes, std::size_t at, std::uint32_t value, int size) {
    for (int i = 0; i < size; ++i) {
        bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * (size - 1 - i)));
    }
}

std::uint32_t get(const Bytes& bytes, std::size_t at, int size) {
    std::uint32_t value = 0;
    for (int i = 0; i < size; ++i) {
        value = (value << 8U) | bytes[at + i];
    }
    return value;
}

/// Sum of 16-bit words with end-around carry: RFC 1071, in its plainest form.
std::uint32_t plain_sum(const Bytes& bytes, std::size_t begin, std::size_t end) {
    std::uint32_t sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
        sum += (i - begin) % 2 == 0 ? bytes[i] * 256U : bytes[i];
        sum = sum > 0xffff ? sum - 0xffff : sum;
    }
    return sum;
}

/// A super-packet as a device gives it: virtio header, IPv4, TCP with time stamps, payload 0, 1, 2,
/// ... The TCP checksum holds the sum of the pseudo header, as Linux leaves it for the device.
Bytes super_packet(std::size_t payload, std::uint16_t segment, std::uint8_t flags) {
    Bytes bytes(kVnetHeader + kHeaders + payload);
    const std::uint16_t header = kHeaders;
    const std::uint16_t start = 20;
    const std::uint16_t offset = 16;
    bytes[0] = 1;  // needs a checksum
    bytes[1] = segment > 0 ? 1 : 0;
    std::memcpy(&bytes[2], &header, 2);
    std::memcpy(&bytes[4], &segment, 2);
    std::memcpy(&bytes[6], &start, 2);
    std::memcpy(&bytes[8], &offset, 2);
    const std::size_t ip = kVnetHeader;
    put(bytes, ip, 0x45, 1);
    put(bytes, ip + 2, static_cast<std::uint32_t>(kHeaders + payload), 2);
    put(bytes, ip + 4, 1000, 2);
    put(bytes, ip + 8, 64, 1);
    put(bytes, ip + 9, 6, 1);
    put(bytes, ip + 12, 0x0a4d0001, 4);
    put(bytes, ip + 16, 0x0a4d0002, 4);
    put(bytes, ip + 10, 0xffff - plain_sum(bytes, ip, ip + 20), 2);
    put(bytes, ip + 24, 0xfffff000, 4);  // sequence number, about to wrap
    put(bytes, ip + 32, 0x80, 1);        // 32 bytes of TCP header
    put(bytes, ip + 33, flags, 1);
    std::iota(bytes.begin() + static_cast<std::ptrdiff_t>(ip + kHeaders), bytes.end(), 0);
    return bytes;
}

Bytes payload_of(const Bytes& packet) {
    return {packet.begin() + static_cast<std::ptrdiff_t>(kVnetHeader + kHeaders), packet.end()};
}

TEST(Packet, CountsSegmentsAndTheirBytes) {
    const Bytes packet = super_packet(3000, 1448, 0x10);
    const auto frame = inspect(packet);
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->source, 0x0a4d0001);
    EXPECT_EQ(frame->destination, 0x0a4d0002);
    EXPECT_EQ(frame->segments, 3);  // 1448 + 1448 + 104
    EXPECT_EQ(frame->wire_full(14), 1514);
    EXPECT_EQ(frame->wire_last(14), 104 + 52 + 14);
}

TEST(Packet, OneSegmentIsOnePacket) {
    const auto frame = inspect(super_packet(700, 0, 0x10));
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->segments, 1);
    EXPECT_EQ(frame->wire_last(14), 700 + 52 + 14);
}

TEST(Packet, WhatIsNoPacketIsRefused) {
    EXPECT_FALSE(inspect(Bytes()));
    EXPECT_FALSE(inspect(Bytes(kVnetHeader + 19)));
    EXPECT_FALSE(inspect(Bytes(kVnetHeader + 40)));  // version 0
    Bytes six(kVnetHeader + 40);
    six[kVnetHeader] = 0x60;
    EXPECT_FALSE(inspect(six));
    Bytes options = super_packet(10, 0, 0);
    options[kVnetHeader] = 0x4f;  // 60 bytes of IP header
    EXPECT_TRUE(inspect(options));
    options.resize(kVnetHeader + 50);
    EXPECT_FALSE(inspect(options));
    Bytes tcp = super_packet(3000, 1448, 0x10);
    tcp[kVnetHeader + 32] = 0x10;  // TCP header of 4 bytes
    EXPECT_FALSE(inspect(tcp));
    tcp = super_packet(3000, 1448, 0x10);
    tcp[kVnetHeader + 9] = 17;  // UDP with TCP's offload
    EXPECT_FALSE(inspect(tcp));
}

TEST(Packet, AnyPrefixOfAPacketIsSafe) {
    const Bytes whole = super_packet(100, 48, 0x10);
    for (std::size_t size = 0; size < whole.size(); ++size) {
        static_cast<void>(inspect(std::span(whole).first(size)));
    }
}

/// Whether a piece is a sound packet, by plain sums over all of it.
void check_sound(const Bytes& piece) {
    const std::size_t ip = kVnetHeader;
    const auto total = static_cast<std::uint32_t>(piece.size() - ip);
    EXPECT_EQ(get(piece, ip + 2, 2), total);
    EXPECT_EQ(plain_sum(piece, ip, ip + 20), 0xffff);
    Bytes pseudo(piece.begin() + ip + 12, piece.begin() + ip + 20);
    pseudo.insert(pseudo.end(), {0, 6, 0, 0});
    put(pseudo, 10, total - 20, 2);
    EXPECT_EQ(get(piece, ip + 36, 2), plain_sum(pseudo, 0, pseudo.size()));
}

// Pieces put together are the whole, whatever the cut; sequence numbers say where each belongs.
TEST(Packet, PiecesAreSoundAndMakeTheWhole) {
    const Bytes packet = super_packet(10 * 100 - 30, 100, 0x10 | 0x08 | 0x01 | 0x80);
    const Frame frame = *inspect(packet);
    ASSERT_EQ(frame.segments, 10);
    for (int at = 1; at < 10; ++at) {
        const Bytes first = cut(packet, frame, 0, at);
        const Bytes second = cut(packet, frame, at, 10 - at);
        check_sound(first);
        check_sound(second);
        Bytes joined = payload_of(first);
        const Bytes rest = payload_of(second);
        EXPECT_EQ(get(second, kVnetHeader + 24, 4) - get(first, kVnetHeader + 24, 4),
                  joined.size());
        joined.insert(joined.end(), rest.begin(), rest.end());
        EXPECT_EQ(joined, payload_of(packet));
        EXPECT_EQ(get(first, kVnetHeader + 33, 1), 0x90);   // no FIN, no PSH before the end
        EXPECT_EQ(get(second, kVnetHeader + 33, 1), 0x19);  // no CWR after the beginning
        EXPECT_EQ(inspect(first)->segments, at);
        EXPECT_EQ(inspect(second)->segments, 10 - at);
    }
}

TEST(Packet, OneSegmentNeedsNoOffload) {
    const Bytes packet = super_packet(1000, 100, 0x10);
    const Bytes piece = cut(packet, *inspect(packet), 4, 1);
    EXPECT_EQ(piece[1], 0);
    EXPECT_EQ(piece[4], 0);
    EXPECT_EQ(piece[0], 1);  // the checksum is still to be filled in
    EXPECT_EQ(payload_of(piece).size(), 100);
    check_sound(piece);
}

// RFC 1071, section 3: the bytes 00 01 f2 03 f4 f5 f6 f7 sum to ddf2.
TEST(Packet, SumOfTheRfc) {
    EXPECT_EQ(ones_sum(Bytes{0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7}), 0xddf2);
}

}  // namespace
}  // namespace longhaul::emulate
