// Medians of bootstrap samples without drawing the samples: the median of n draws with replacement
// from n ascending values lies at order statistics whose distribution is known exactly.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "longhaul/core/random.hpp"

namespace longhaul::measure {

/// Draws of the two middle order statistics (the same one when n is odd) of n draws from n values,
/// from an alias table (Walker, 1977): one random word a draw. Up to kLargestTable values; more are
/// resampled one by one.
class MedianDraws {
public:
    static constexpr std::size_t kLargestTable = 64;

    /// n >= 1. O(n^2).
    explicit MedianDraws(std::size_t n);

    /// A median of `ascending`, which has n values. O(1), or O(n) beyond kLargestTable.
    [[nodiscard]] double draw(std::span<const double> ascending, core::Random& random) const;

private:
    struct Cell {
        std::uint32_t low = 0, high = 0;              // the two middle order statistics
        std::uint32_t other_low = 0, other_high = 0;  // taken instead above the threshold
        std::uint32_t threshold = 0;
    };
    void build(const std::vector<Cell>& outcomes, const std::vector<double>& weights);

    std::size_t n_;
    std::vector<Cell> cells_;
};

/// Tables by number of values.
using MedianTables = std::map<std::size_t, MedianDraws>;

/// Makes the table of n where there is none.
void prepare(MedianTables& tables, std::size_t n);

}  // namespace longhaul::measure
