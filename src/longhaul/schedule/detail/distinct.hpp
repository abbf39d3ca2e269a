// Stretches of numbers in a growing list, each kept once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace longhaul::schedule::detail {

/// Numbers of [0, 1] that differ by less are as good as equal; pairs of islands that average six
/// times and more have entries of such size.
inline constexpr float kGrain = 1.0F / (1U << 22U);
/// What grains may add up to in an error of at most ten islands, single precision included.
inline constexpr double kGrainsInError = 1e-4;

/// The nearest whole number of steps to a number of [0, 1]; inlined, unlike lround.
inline std::uint32_t nearest_step(float number, float steps) {
    constexpr float kHalf = 0.5F;
    return static_cast<std::uint32_t>(number * steps + kHalf);
}

/// Finds out whether the last `width` numbers of a list are there before, up to kGrain each.
class Distinct {
public:
    explicit Distinct(std::size_t width) : width_(width), slots_(kFirstSlots, kFree) {}

    /// Index of the stretch at the end of the list. When there is an equal one before, the last is
    /// taken off. Amortised O(width).
    std::size_t keep_last(std::vector<float>& list);
    /// Takes off a stretch that was kept just now.
    void forget_last(std::vector<float>& list);

private:
    static constexpr std::uint32_t kFree = UINT32_MAX;
    static constexpr std::size_t kFirstSlots = 1U << 10U;  // a power of two

    [[nodiscard]] std::size_t slot_of(const float* stretch) const;
    [[nodiscard]] bool equal(const float* a, const float* b) const;
    void grow(const std::vector<float>& list, std::size_t count);

    std::size_t width_;
    std::vector<std::uint32_t> slots_;
    std::size_t last_ = 0;  ///< slot of the last that was kept
};

/// Puts the columns of a matrix in an order that only their numbers decide. O(rows columns).
void sort_columns(float* numbers, std::size_t rows, std::size_t columns);

}  // namespace longhaul::schedule::detail
