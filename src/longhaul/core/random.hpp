// Counter-based random numbers, equal on every machine, compiler and thread count.
//
// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC'11):
// the k-th block of stream s under seed z is a pure function of (z, s, k), so parallel tasks take
// streams of their own and need no shared state. The distributions are ours, since those of the
// standard library differ between implementations.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>

namespace longhaul::core {

/// Philox4x32-10: one block of four words from a 128-bit counter and a 64-bit key.
[[nodiscard]] std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                                      std::array<std::uint32_t, 2> key);

class Random {
public:
    explicit Random(std::uint64_t seed, std::uint64_t stream = 0) : seed_(seed), stream_(stream) {}

    [[nodiscard]] std::uint32_t next();
    /// Uniform in [0, bound), without bias (Lemire's multiply and reject); bound >= 1.
    [[nodiscard]] std::uint32_t below(std::uint32_t bound);
    /// Index below a size; sizes stay below 2^32.
    [[nodiscard]] std::size_t index(std::size_t size) {
        return below(static_cast<std::uint32_t>(size));
    }
    /// Uniform in [0, 1) with 53 bits.
    [[nodiscard]] double uniform();

    /// Fisher-Yates.
    template <class T>
    void shuffle(std::span<T> items) {
        for (std::size_t i = items.size(); i > 1; --i) {
            using std::swap;
            swap(items[i - 1], items[index(i)]);
        }
    }

private:
    std::uint64_t seed_;
    std::uint64_t stream_;
    std::uint64_t block_ = 0;
    std::array<std::uint32_t, 4> words_{};
    unsigned used_ = 4;
};

}  // namespace longhaul::core
