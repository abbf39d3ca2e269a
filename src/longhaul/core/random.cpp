#include "longhaul/core/random.hpp"

#include "longhaul/core/assert.hpp"

namespace longhaul::core {
namespace {

std::uint32_t low(std::uint64_t x) {
    return static_cast<std::uint32_t>(x);
}
std::uint32_t high(std::uint64_t x) {
    return static_cast<std::uint32_t>(x >> 32U);
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> c,
                                        std::array<std::uint32_t, 2> key) {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = std::uint64_t{0xD2511F53U} * c[0];
        const std::uint64_t b = std::uint64_t{0xCD9E8D57U} * c[2];
        c = {high(b) ^ c[1] ^ key[0], low(b), high(a) ^ c[3] ^ key[1], low(a)};
        key[0] += 0x9E3779B9U;
        key[1] += 0xBB67AE85U;
    }
    return c;
}

std::uint32_t Random::next() {
    if (used_ == 4) {
        words_ = philox4x32({low(block_), high(block_), low(stream_), high(stream_)},
                            {low(seed_), high(seed_)});
        ++block_;
        used_ = 0;
    }
    return words_[used_++];
}

std::uint32_t Random::below(std::uint32_t bound) {
    LONGHAUL_ASSERT_NORMAL(bound >= 1);
    const std::uint32_t reject = (0U - bound) % bound;
    while (true) {
        const std::uint64_t product = std::uint64_t{next()} * bound;
        if (low(product) >= reject) {
            return high(product);
        }
    }
}

double Random::uniform() {
    const std::uint64_t upper = next() >> 5U;
    const std::uint64_t lower = next() >> 6U;
    return static_cast<double>((upper << 26U) | lower) * 0x1p-53;
}

}  // namespace longhaul::core
