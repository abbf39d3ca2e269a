// What islands exchange in a trial: whole numbers from a seed, so that anyone can work out every
// sum, to the bit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "longhaul/schedule/round.hpp"

namespace longhaul::runtime {

/// Largest absolute value of an element. Sums of kMaxIslands of them fit into 32 bits.
inline constexpr std::int32_t kLargestElement = (1 << 24) - 1;

/// The payload of an island in a round of the session: evenly distributed over
/// [-kLargestElement - 1, kLargestElement].
[[nodiscard]] std::vector<std::int32_t> payload_of(std::uint64_t seed,
                                                   std::uint32_t round,
                                                   int island,
                                                   std::size_t elements);

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
                                                      std::size_t block_elements);

/// SHA-256 over the elements, 4 bytes each, the low byte first.
[[nodiscard]] std::string digest_of(const std::vector<std::int32_t>& elements);

}  // namespace longhaul::runtime
