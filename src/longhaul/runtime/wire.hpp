// Datagrams between islands and aggregators: one block of a payload each. Pure: values in, bytes
// out, and back.
//
//     "LX" · kind (1 byte) · 0 · round (4) · block (4) · source (2) · elements (2) · sequence (4) ·
//     mask (8) · elements of 4 bytes; everything with the high byte first
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "longhaul/schedule/round.hpp"

namespace longhaul::runtime {

enum class Kind : std::uint8_t {
    kContribution = 1,  ///< a block of one island's payload, to all of its clique
    kSum = 2,           ///< what an aggregator added up, to its island
    kRequest = 3,       ///< elements are pairs: the source lacks `second` blocks from `first` on;
                        ///< `block` is the attempt, `sequence` counts requests
    kResend = 4,        ///< a block again, to the island that asked, without weights
    kProbe = 5,         ///< what time is it? `sequence` is a number of the asker's
    kAnswer = 6         ///< to a probe; elements are two readings of the clock, see udp.hpp
};

struct Datagram {
    Kind kind = Kind::kContribution;
    std::uint32_t round = 0;   ///< of the session
    std::uint32_t block = 0;   ///< of the payload
    std::uint16_t source = 0;  ///< island that sends; of a sum, the island it is for
    std::uint32_t sequence = 0;
    schedule::Clique mask = 0;  ///< islands whose blocks are in it
    std::vector<std::int32_t> elements;

    friend bool operator==(const Datagram&, const Datagram&) = default;
};

inline constexpr std::size_t kHead = 28;  ///< bytes before the elements
inline constexpr std::size_t kElementBytes = 4;
/// What Ethernet frames of 1500 bytes hold behind the headers of IPv4, UDP and ours.
inline constexpr int kMostElements = 361;

/// Replaces `bytes`. At most kMostElements elements.
void write_datagram(const Datagram& datagram, std::vector<std::byte>& bytes);

/// False when it is none of ours, or cut short.
[[nodiscard]] bool read_datagram(std::span<const std::byte> bytes, Datagram& datagram);

}  // namespace longhaul::runtime
