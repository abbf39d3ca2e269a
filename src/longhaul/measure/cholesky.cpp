#include <cmath>

#include "longhaul/measure/detail/cholesky.hpp"

namespace longhaul::measure::detail {
namespace {

/// Least pivot, relative to the diagonal, that counts as positive.
constexpr double kLeastPivot = 1e-10;

}  // namespace

double dot(std::span<const double> a, std::span<const double> b) {
    double s0 = 0;
    double s1 = 0;
    double s2 = 0;
    double s3 = 0;
    std::size_t i = 0;
    for (; i + 4 <= a.size(); i += 4) {
        s0 += a[i] * b[i];
        s1 += a[i + 1] * b[i + 1];
        s2 += a[i + 2] * b[i + 2];
        s3 += a[i + 3] * b[i + 3];
    }
    for (; i < a.size(); ++i) {
        s0 += a[i] * b[i];
    }
    return (s0 + s1) + (s2 + s3);
}

Cholesky::Cholesky(core::Grid<double> matrix) : lower_(std::move(matrix)) {
    for (std::size_t i = 0; i < size(); ++i) {
        const auto row = lower_.row(i);
        for (std::size_t j = 0; j < i; ++j) {
            row[j] = (row[j] - dot(row.first(j), lower_.row(j).first(j))) / lower_(j, j);
        }
        const double least = kLeastPivot * row[i];
        const double pivot = row[i] - dot(row.first(i), row.first(i));
        row[i] = std::sqrt(pivot > least ? pivot : least);
    }
}

std::vector<double> Cholesky::forward(std::span<const double> right) const {
    std::vector<double> x(right.begin(), right.end());
    for (std::size_t i = 0; i < size(); ++i) {
        x[i] -= dot(lower_.row(i).first(i), std::span(x).first(i));
        x[i] /= lower_(i, i);
    }
    return x;
}

std::vector<double> Cholesky::solve(std::span<const double> right) const {
    std::vector<double> x = forward(right);
    for (std::size_t i = size(); i-- > 0;) {
        x[i] /= lower_(i, i);
        const auto row = lower_.row(i);
        for (std::size_t j = 0; j < i; ++j) {
            x[j] -= row[j] * x[i];
        }
    }
    return x;
}

std::vector<double> Cholesky::inverse_diagonal() const {
    std::vector<double> diagonal(size(), 0.0);
    std::vector<double> column(size());
    for (std::size_t j = 0; j < size(); ++j) {
        column[j] = 1 / lower_(j, j);
        double sum = column[j] * column[j];
        for (std::size_t i = j + 1; i < size(); ++i) {
            const auto known = std::span(column).subspan(j, i - j);
            column[i] = -dot(lower_.row(i).subspan(j, i - j), known) / lower_(i, i);
            sum += column[i] * column[i];
        }
        diagonal[j] = sum;
    }
    return diagonal;
}

}  // namespace longhaul::measure::detail
