// Row-major matrix: rows x columns values in one allocation.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "longhaul/core/assert.hpp"

namespace longhaul::core {

template <class T>
class Grid {
public:
    Grid() = default;
    Grid(std::size_t rows, std::size_t columns, T value = T())
        : rows_(rows), columns_(columns), cells_(rows * columns, value) {}

    [[nodiscard]] std::size_t rows() const { return rows_; }
    [[nodiscard]] std::size_t columns() const { return columns_; }
    [[nodiscard]] bool empty() const { return cells_.empty(); }

    [[nodiscard]] T& operator()(std::size_t row, std::size_t column) {
        LONGHAUL_ASSERT_HEAVY(row < rows_ && column < columns_);
        return cells_[row * columns_ + column];
    }
    [[nodiscard]] const T& operator()(std::size_t row, std::size_t column) const {
        LONGHAUL_ASSERT_HEAVY(row < rows_ && column < columns_);
        return cells_[row * columns_ + column];
    }
    [[nodiscard]] std::span<T> row(std::size_t i) {
        return std::span<T>(cells_).subspan(i * columns_, columns_);
    }
    [[nodiscard]] std::span<const T> row(std::size_t i) const {
        return std::span<const T>(cells_).subspan(i * columns_, columns_);
    }
    [[nodiscard]] std::span<const T> cells() const { return cells_; }
    [[nodiscard]] std::span<T> cells() { return cells_; }

    friend bool operator==(const Grid&, const Grid&) = default;

private:
    std::size_t rows_ = 0;
    std::size_t columns_ = 0;
    std::vector<T> cells_;
};

}  // namespace longhaul::core
