// Linear systems with symmetric positive definite matrices.
#pragma once

#include <span>
#include <vector>

#include "longhaul/core/grid.hpp"

namespace longhaul::measure::detail {

/// K = L L'. Holds L and its inverse, because leave-one-out errors need the diagonal of 1/K.
class Cholesky {
public:
    /// Adds to the diagonal what K lacks to be positive definite. O(n^3 / 3).
    explicit Cholesky(core::Grid<double> matrix);

    [[nodiscard]] std::size_t size() const { return lower_.rows(); }
    /// x with L x = b. O(n^2).
    [[nodiscard]] std::vector<double> forward(std::span<const double> right) const;
    /// x with K x = b. O(n^2).
    [[nodiscard]] std::vector<double> solve(std::span<const double> right) const;
    /// Diagonal of the inverse of K. O(n^3 / 6).
    [[nodiscard]] std::vector<double> inverse_diagonal() const;

private:
    core::Grid<double> lower_;
};

/// Sum of products in a fixed order, four sums at a time.
[[nodiscard]] double dot(std::span<const double> a, std::span<const double> b);

}  // namespace longhaul::measure::detail
