// Bottleneck perfect matching: which device of one stage talks to which of the next.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "longhaul/core/grid.hpp"
#include "longhaul/fabric/pair_matrix.hpp"

namespace longhaul::placement {

struct Matching {
    double value = 0;         ///< the largest cost of a matched pair
    std::vector<int> column;  ///< column[row]: the partner of each row
};

/// Perfect matching of rows to columns of a square matrix whose largest cost is smallest: both the
/// value and a matching that attains it. O(n^2 log n) for the threshold search plus augmenting
/// paths on bitsets, O(n^3 / 64) each.
[[nodiscard]] Matching bottleneck_matching(const core::Grid<double>& costs);

/// The same between groups of devices, reusing buffers: the inner loop of the search.
class BottleneckSolver {
public:
    /// Smallest threshold that admits a perfect matching of `rows` to `columns` (equal sizes) under
    /// costs(row device, column device). O(n^2 log n + n^3 / 64 per tried threshold).
    double solve(const fabric::PairMatrix& costs,
                 std::span<const int> rows,
                 std::span<const int> columns);
    /// The same between all rows and all columns of a square matrix.
    double solve(const core::Grid<double>& costs);
    /// Partner position of each row position of the last solve.
    [[nodiscard]] std::span<const int> partner() const { return column_of_row_; }

private:
    void start(std::size_t n);
    double least_threshold();
    [[nodiscard]] double lower_bound() const;
    bool admits(double threshold);
    bool augment(int row);

    std::size_t n_ = 0;
    std::size_t words_ = 0;
    std::vector<double> cells_;
    std::vector<double> levels_;
    std::vector<std::uint64_t> allowed_;  // n_ rows of words_ words
    std::vector<std::uint64_t> unseen_;   // columns not yet visited by the current augmentation
    std::vector<int> column_of_row_;
    std::vector<int> row_of_column_;
};

}  // namespace longhaul::placement
