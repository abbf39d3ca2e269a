// What islands exchange in a trial: whole numbers from a seed, so that anyone can work out every
// sum, to the bit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "longhaul/schedule/round.hpp"

namespace longhaul::runtime {

/// Bits of an element, with the sign: sums of kMaxIslands of them fit into 32 bits.
inline constexpr int kPayloadBits = 25;
/// Where weights differ they are multiples of 1 / kWeightScale, and rows sum to 1: sums of products
/// with elements of kWeightedBits bits fit into 32 bits.
inline constexpr std::int32_t kWeightScale = 1 << 15;
inline constexpr int kWeightedBits = 16;

/// The payload of an island in a round of the session: evenly distributed over
/// [-2^(bits - 1), 2^(bits - 1) - 1].
[[nodiscard]] std::vector<std::int32_t> payload_of(std::uint64_t seed,
                                                   std::uint32_t round,
                                                   int island,
                                                   std::size_t elements,
                                                   int bits = kPayloadBits);

/// A row of weights in units of 1 / kWeightScale: rounded so that the row sums to kWeightScale,
/// each less than 1 unit from what it was. The row must be >= 0 and sum to 1 (to 1e-6).
[[nodiscard]] std::vector<std::int32_t> fixed_point_row(const std::vector<double>& row);

/// How an island adds up.
struct Adding {
    int bits = kPayloadBits;            ///< of elements
    std::vector<std::int32_t> weights;  ///< one an island by number; empty: 1 each
};

/// A stretch of blocks that holds the sum of the same islands.
struct Stretch {
    std::uint32_t blocks = 0;
    schedule::Clique mask = 0;

    friend bool operator==(const Stretch&, const Stretch&) = default;
};

/// The sums that an island must end with when block after block holds what `stretches` says.
/// O(elements islands).
[[nodiscard]] std::vector<std::int32_t> expected_sums(std::uint64_t seed,
                                                      std::uint32_t round,
                                                      const std::vector<Stretch>& stretches,
                                                      std::size_t block_elements,
                                                      const Adding& adding = {});

/// SHA-256 over the elements, 4 bytes each, the low byte first.
[[nodiscard]] std::string digest_of(const std::vector<std::int32_t>& elements);

}  // namespace longhaul::runtime
