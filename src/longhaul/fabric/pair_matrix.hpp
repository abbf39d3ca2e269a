// Values of pairs of devices, stored once for devices that are alike.
#pragma once

#include <numeric>
#include <utility>
#include <vector>

#include "longhaul/core/grid.hpp"

namespace longhaul::fabric {

/// An n x n matrix of device pairs with a zero diagonal. Devices have kinds: the value of two
/// different devices is that of their kinds, so that 10,000 devices of 20 regions take 400 numbers.
/// A plain matrix is the case in which every device is a kind of its own.
class PairMatrix {
public:
    PairMatrix() = default;
    /// Every device a kind of its own; the diagonal of `dense` is ignored. Implicit, since it is
    /// the same matrix.
    PairMatrix(core::Grid<double> dense)  // NOLINT(google-explicit-constructor)
        : kind_of_(dense.rows()), table_(std::move(dense)) {
        std::iota(kind_of_.begin(), kind_of_.end(), 0);
    }
    /// `table` is K x K; its diagonal is the value of two devices of one kind.
    PairMatrix(std::vector<int> kind_of_device, core::Grid<double> table)
        : kind_of_(std::move(kind_of_device)), table_(std::move(table)) {}

    /// Devices.
    [[nodiscard]] std::size_t size() const { return kind_of_.size(); }
    [[nodiscard]] double operator()(std::size_t i, std::size_t j) const {
        return i == j ? 0 : table_(kind_of_[i], kind_of_[j]);
    }
    [[nodiscard]] std::size_t kinds() const { return table_.rows(); }
    [[nodiscard]] const std::vector<int>& kind_of_device() const { return kind_of_; }
    [[nodiscard]] const core::Grid<double>& table() const { return table_; }

    friend bool operator==(const PairMatrix&, const PairMatrix&) = default;

private:
    std::vector<int> kind_of_;
    core::Grid<double> table_;
};

/// a x + b y for matrices over the same kinds.
[[nodiscard]] inline PairMatrix combined(double a,
                                         const PairMatrix& x,
                                         double b,
                                         const PairMatrix& y) {
    LONGHAUL_ASSERT(x.kind_of_device() == y.kind_of_device());
    core::Grid<double> table = x.table();
    for (std::size_t i = 0; i < table.cells().size(); ++i) {
        table.cells()[i] = a * table.cells()[i] + b * y.table().cells()[i];
    }
    return {x.kind_of_device(), std::move(table)};
}

}  // namespace longhaul::fabric
