// Bottleneck transport: pairs devices of two stages that are known by their classes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "longhaul/core/grid.hpp"

namespace longhaul::placement {

/// Solver with buffers of its own, for many transports in a row.
class BottleneckTransport {
public:
    /// Smallest threshold under which a[k] devices of every class k on one side can be paired with
    /// b[k] on the other (equal sums), a pair of classes costing costs(k, l). Equals the bottleneck
    /// matching of the devices. The threshold starts at the least that leaves no class without a
    /// partner; augmenting paths move bundles, and where none is left it rises to the cheapest pair
    /// that leaves what they reach (Derigs and Zimmermann, 1978). O(K + s^2) and O(s^2 / 64 + s) a
    /// path for s classes present.
    double solve(const core::Grid<double>& costs, std::span<const int> a, std::span<const int> b);

    /// Bundles of the last solve: units[i * right.size() + j] devices of class left[i] with class
    /// right[j].
    [[nodiscard]] std::span<const int> left() const { return left_; }
    [[nodiscard]] std::span<const int> right() const { return right_; }
    [[nodiscard]] std::span<const int> units() const { return flow_; }

private:
    int load(const core::Grid<double>& costs, std::span<const int> a, std::span<const int> b);
    void open_pairs();
    int fill_directly();
    int augment();
    int reach_from(int row);
    void raise_threshold();
    int send_to(int column);
    [[nodiscard]] double lower_threshold() const;

    std::vector<int> left_, right_, supply_, demand_, flow_;
    std::vector<double> price_;
    double threshold_ = 0;
    std::size_t column_words_ = 0, row_words_ = 0;
    std::vector<std::uint64_t> open_;       // columns within the threshold, of each row
    std::vector<std::uint64_t> sending_;    // rows that send to each column
    std::vector<std::uint64_t> unseen_;     // columns that the search has not reached
    std::vector<std::uint64_t> unreached_;  // rows that it has not reached
    std::vector<int> row_before_, column_before_, queue_;
};

}  // namespace longhaul::placement
