#include "longhaul/runtime/payload.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "longhaul/core/assert.hpp"
#include "longhaul/core/hash.hpp"
#include "longhaul/core/random.hpp"

namespace longhaul::runtime {
namespace {

constexpr std::uint64_t kIslands = 64;  // streams of a round
constexpr int kElementBits = 32;

}  // namespace

std::vector<std::int32_t> payload_of(
    std::uint64_t seed, std::uint32_t round, int island, std::size_t elements, int bits) {
    core::Random random(seed, round * kIslands + static_cast<std::uint64_t>(island));
    std::vector<std::int32_t> values(elements);
    for (std::int32_t& value : values) {
        value = static_cast<std::int32_t>(random.next()) >> (kElementBits - bits);
    }
    return values;
}

std::vector<std::int32_t> fixed_point_row(const std::vector<double>& row) {
    std::vector<std::int32_t> fixed;
    std::vector<std::pair<double, std::size_t>> rests;  // the largest first
    std::int32_t left = kWeightScale;
    for (std::size_t i = 0; i < row.size(); ++i) {
        const double exact = row[i] * kWeightScale;
        fixed.push_back(static_cast<std::int32_t>(std::floor(exact)));
        left -= fixed.back();
        rests.emplace_back(std::floor(exact) - exact, i);
    }
    LONGHAUL_ASSERT(left >= 0 && static_cast<std::size_t>(left) <= row.size());
    std::ranges::sort(rests);
    for (std::size_t i = 0; i < static_cast<std::size_t>(left); ++i) {
        ++fixed[rests[i].second];
    }
    return fixed;
}

std::vector<std::int32_t> expected_sums(std::uint64_t seed,
                                        std::uint32_t round,
                                        const std::vector<Stretch>& stretches,
                                        std::size_t block_elements,
                                        const Adding& adding) {
    std::size_t elements = 0;
    schedule::Clique all = 0;
    for (const Stretch& stretch : stretches) {
        elements += stretch.blocks * block_elements;
        all |= stretch.mask;
    }
    std::vector<std::int32_t> sums(elements, 0);
    for (const int island : schedule::members_of(all)) {
        const std::vector<std::int32_t> payload =
            payload_of(seed, round, island, elements, adding.bits);
        const std::int32_t weight =
            adding.weights.empty() ? 1 : adding.weights[static_cast<std::size_t>(island)];
        std::size_t at = 0;
        for (const Stretch& stretch : stretches) {
            const std::size_t end = at + stretch.blocks * block_elements;
            const bool in = (stretch.mask >> static_cast<unsigned>(island) & 1U) != 0;
            for (; at < end && in; ++at) {
                sums[at] += weight * payload[at];
            }
            at = end;
        }
    }
    return sums;
}

std::string digest_of(const std::vector<std::int32_t>& elements) {
    std::string bytes;
    bytes.reserve(elements.size() * 4);
    for (const std::int32_t element : elements) {
        const auto value = static_cast<std::uint32_t>(element);
        for (const unsigned shift : {0U, 8U, 16U, 24U}) {
            bytes += static_cast<char>((value >> shift) & 0xffU);
        }
    }
    return core::sha256_hex(bytes);
}

}  // namespace longhaul::runtime
