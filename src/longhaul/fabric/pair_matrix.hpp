// Values of pairs of devices, stored once for devices that are alike.
#pragma once

#include <numeric>
#include <utility>
#include <vector>

#include "longhaul/core/grid.hpp"

namespace longhaul::fabric {

/// An n x n matrix of ordered pairs of devices with a zero diagonal. Devices have kinds: the value
/// of two different devices is that of their kinds, so that 10,000 devices of 20 regions take 400
/// numbers. A plain matrix is the case in which every device is a kind of its own.
template <class T>
class PairTable {
public:
    PairTable() = default;
    /// Every device a kind of its own; the diagonal of `dense` is ignored. Implicit, since it is
    /// the same matrix.
    PairTable(core::Grid<T> dense)  // NOLINT(google-explicit-constructor)
        : kind_of_(dense.rows()), table_(std::move(dense)) {
        std::iota(kind_of_.begin(), kind_of_.end(), 0);
    }
    /// `table` is K x K; its diagonal is the value of two devices of one kind.
    PairTable(std::vector<int> kind_of_device, core::Grid<T> table)
        : kind_of_(std::move(kind_of_device)), table_(std::move(table)) {}

    /// Devices.
    [[nodiscard]] std::size_t size() const { return kind_of_.size(); }
    [[nodiscard]] bool empty() const { return kind_of_.empty(); }
    [[nodiscard]] T operator()(std::size_t i, std::size_t j) const {
        return i == j ? T() : table_(kind_of_[i], kind_of_[j]);
    }
    [[nodiscard]] std::size_t kinds() const { return table_.rows(); }
    [[nodiscard]] const std::vector<int>& kind_of_device() const { return kind_of_; }
    /// Kinds x kinds; of a plain matrix the matrix itself.
    [[nodiscard]] const core::Grid<T>& table() const { return table_; }
    [[nodiscard]] core::Grid<T>& table() { return table_; }

    /// Every pair written out; a plain matrix as it is. O(n^2).
    [[nodiscard]] core::Grid<T> full() const {
        if (kinds() == size()) {
            return table_;
        }
        core::Grid<T> all(size(), size());
        for (std::size_t i = 0; i < size(); ++i) {
            for (std::size_t j = 0; j < size(); ++j) {
                all(i, j) = (*this)(i, j);
            }
        }
        return all;
    }

    friend bool operator==(const PairTable&, const PairTable&) = default;

private:
    std::vector<int> kind_of_;
    core::Grid<T> table_;
};

/// Numbers of pairs: delays, rates, costs.
using PairMatrix = PairTable<double>;

/// Devices of each of `kinds` kinds.
[[nodiscard]] inline std::vector<int> devices_of_kinds(const std::vector<int>& kind_of_device,
                                                       std::size_t kinds) {
    std::vector<int> devices(kinds, 0);
    for (const int kind : kind_of_device) {
        ++devices[kind];
    }
    return devices;
}

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
