// Packets as a TUN device with IFF_VNET_HDR gives them: a virtio header of ten bytes, then IPv4.
// One read may hold many TCP segments (segmentation offload); this file counts them, and cuts some
// of them out when others were lost. Pure: bytes in, bytes out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace longhaul::emulate {

inline constexpr std::size_t kVnetHeader = 10;
inline constexpr std::size_t kMaxPacket = kVnetHeader + 65536;

/// The virtio header (Virtual I/O Device 1.2, 5.1.6; the older layout without num_buffers, which
/// Linux uses for TUN). The kernel's own header is not valid C++.
struct VnetHeader {
    static constexpr std::uint8_t kNeedsChecksum = 1;
    static constexpr std::uint8_t kNone = 0;
    static constexpr std::uint8_t kTcp4 = 1;
    static constexpr std::uint8_t kEcn = 0x80;

    std::uint8_t flags = 0;
    std::uint8_t gso_type = 0;
    std::uint16_t header_bytes = 0;
    std::uint16_t gso_size = 0;  ///< payload bytes a segment
    std::uint16_t checksum_start = 0;
    std::uint16_t checksum_offset = 0;
};

/// What is in a packet.
struct Frame {
    std::uint32_t source = 0;       ///< IPv4, host byte order
    std::uint32_t destination = 0;  ///< IPv4, host byte order
    int ip_bytes = 0;               ///< of the whole, as read
    int header_bytes = 0;           ///< IP and TCP headers, repeated in every segment
    int segment = 0;                ///< payload bytes of a full segment
    int segments = 1;

    /// Bytes on the wire of a full segment, and of the last one; `ethernet` bytes come on top.
    [[nodiscard]] int wire_full(int ethernet) const { return header_bytes + segment + ethernet; }
    [[nodiscard]] int wire_last(int ethernet) const {
        return ip_bytes - (segments - 1) * segment + ethernet;
    }
};

/// Looks into what was read; nothing when it is no sound IPv4 packet. O(1).
[[nodiscard]] std::optional<Frame> inspect(std::span<const std::uint8_t> packet);

/// A packet with `count` segments of a super-packet from segment `first` on: lengths,
/// identification, sequence number, flags and checksums set right. The rest of `packet` is
/// untouched. 0 <= first, 1 <= count, first + count <= frame.segments.
[[nodiscard]] std::vector<std::uint8_t> cut(std::span<const std::uint8_t> packet,
                                            const Frame& frame,
                                            int first,
                                            int count);

/// Internet checksum (RFC 1071) before the final complement.
[[nodiscard]] std::uint16_t ones_sum(std::span<const std::uint8_t> bytes, std::uint32_t start = 0);

}  // namespace longhaul::emulate
