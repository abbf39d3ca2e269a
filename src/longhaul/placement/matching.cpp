#include "longhaul/placement/matching.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "longhaul/core/assert.hpp"

namespace longhaul::placement {

Matching bottleneck_matching(const core::Grid<double>& costs) {
    LONGHAUL_ASSERT(costs.rows() == costs.columns());
    BottleneckSolver solver;
    const double value = solver.solve(costs);
    return {value, {solver.partner().begin(), solver.partner().end()}};
}

double BottleneckSolver::solve(const fabric::PairMatrix& costs,
                               std::span<const int> rows,
                               std::span<const int> columns) {
    LONGHAUL_ASSERT_NORMAL(rows.size() == columns.size());
    start(rows.size());
    double* cell = cells_.data();
    for (const int row : rows) {
        for (const int column : columns) {
            *cell++ = costs(row, column);
        }
    }
    return least_threshold();
}

double BottleneckSolver::solve(const core::Grid<double>& costs) {
    start(costs.rows());
    std::ranges::copy(costs.cells(), cells_.begin());
    return least_threshold();
}

void BottleneckSolver::start(std::size_t n) {
    n_ = n;
    words_ = (n_ + 63) / 64;
    cells_.resize(n_ * n_);
    allowed_.resize(n_ * words_);
    unseen_.resize(words_);
    column_of_row_.assign(n_, -1);
    row_of_column_.assign(n_, -1);
}

double BottleneckSolver::least_threshold() {
    double high = lower_bound();
    if (admits(high)) {
        return high;
    }
    // Binary search over the distinct values above the bound; a matching found under a lower
    // threshold stays a matching under a higher one, so `admits` goes on from it.
    levels_.clear();
    std::ranges::copy_if(cells_, std::back_inserter(levels_), [&](double c) { return c > high; });
    std::ranges::sort(levels_);
    levels_.erase(std::unique(levels_.begin(), levels_.end()), levels_.end());
    std::size_t low = 0;
    std::size_t top = levels_.size() - 1;
    std::vector<int> partial_columns = column_of_row_;
    std::vector<int> partial_rows = row_of_column_;
    while (low < top) {
        const std::size_t middle = (low + top) / 2;
        if (admits(levels_[middle])) {
            top = middle;
            column_of_row_ = partial_columns;
            row_of_column_ = partial_rows;
        } else {
            low = middle + 1;
            partial_columns = column_of_row_;
            partial_rows = row_of_column_;
        }
    }
    high = levels_[low];
    const bool perfect = admits(high);
    LONGHAUL_ASSERT(perfect);
    return high;
}

/// No threshold below the cheapest entry of some row or column can do.
double BottleneckSolver::lower_bound() const {
    double bound = 0;
    for (std::size_t i = 0; i < n_; ++i) {
        double row = std::numeric_limits<double>::infinity();
        double column = row;
        for (std::size_t j = 0; j < n_; ++j) {
            row = std::min(row, cells_[i * n_ + j]);
            column = std::min(column, cells_[j * n_ + i]);
        }
        bound = std::max({bound, row, column});
    }
    return bound;
}

bool BottleneckSolver::admits(double threshold) {
    for (std::size_t i = 0; i < n_; ++i) {
        for (std::size_t word = 0; word < words_; ++word) {
            std::uint64_t bits = 0;
            const std::size_t end = std::min<std::size_t>(64, n_ - word * 64);
            const double* cell = &cells_[i * n_ + word * 64];
            for (std::size_t bit = 0; bit < end; ++bit) {
                bits |= static_cast<std::uint64_t>(cell[bit] <= threshold) << bit;
            }
            allowed_[i * words_ + word] = bits;
        }
    }
    for (std::size_t row = 0; row < n_; ++row) {
        if (column_of_row_[row] >= 0) {
            continue;
        }
        std::ranges::fill(unseen_, ~std::uint64_t{0});
        if (!augment(static_cast<int>(row))) {
            return false;
        }
    }
    return true;
}

/// Depth-first augmenting path from a free row; free columns are taken first.
bool BottleneckSolver::augment(int row) {
    const std::uint64_t* allowed = &allowed_[row * words_];
    for (std::size_t word = 0; word < words_; ++word) {
        while (const std::uint64_t open = allowed[word] & unseen_[word]) {
            const int bit = std::countr_zero(open);
            const int column = static_cast<int>(word) * 64 + bit;
            unseen_[word] &= ~(std::uint64_t{1} << static_cast<unsigned>(bit));
            const int owner = row_of_column_[column];
            if (owner < 0 || augment(owner)) {
                row_of_column_[column] = row;
                column_of_row_[row] = column;
                return true;
            }
        }
    }
    return false;
}

}  // namespace longhaul::placement
