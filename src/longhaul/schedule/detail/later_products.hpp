// All products of the later rounds, and the least error that they leave of a product.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "longhaul/schedule/detail/round_table.hpp"

namespace longhaul::schedule::detail {

/// The products of the later rounds as indices of rows, a row being what the islands of a side get
/// from each island. In lexicographic order: products that share their first rows stand together.
/// Reversed products are products, and rounds are symmetric but for the shares, so that one list
/// serves both halves.
class LaterProducts {
public:
    /// `products`: [product][island][column], a column for each side but the last.
    LaterProducts(const RoundTable& table, const Sides& sides, const std::vector<float>& products);

    /// Lowers `least` to the error of the best product behind this one of the earlier rounds.
    void lower(const float* earlier, float& least);

    [[nodiscard]] std::size_t size() const { return shared_.size(); }
    /// Numbers added for each product of the earlier rounds, at least.
    [[nodiscard]] double numbers() const {
        return static_cast<double>(lanes_.size() * kLane * n_ * columns_);
    }
    /// Numbers added since the last call.
    [[nodiscard]] double looked() { return std::exchange(looked_, 0); }

private:
    /// Rows that are looked at together, so that loops unroll.
    static constexpr std::size_t kLane = 16;
    using Lane = std::array<float, kLane>;
    static constexpr std::size_t kMostSides = RoundTable::kMostIslands;
    /// What each side but the last is off by.
    using Off = std::array<float, kMostSides>;
    /// [place] what it and further ones are off by at least, as far as they were looked at.
    using Rests = std::array<float, kMostSides + 1>;

    [[nodiscard]] float look_at(std::size_t place, const float* earlier);
    bool walk(std::size_t places, const Rests& rests, float& least);
    float add(const Off& before, std::uint32_t row, Off& after) const;
    [[nodiscard]] float total(const Off& off) const;
    [[nodiscard]] std::vector<std::uint32_t> number_rows(const RoundTable& table,
                                                         const std::vector<float>& products);
    void sort(const std::vector<std::uint32_t>& row_of);
    void find_ends();

    std::size_t n_;
    std::size_t columns_;
    float scale_;                           ///< an error for what all sides are off by
    std::array<float, kMostSides> mass_{};  ///< share of each side
    std::array<float, kMostSides> even_{};  ///< the same by place
    /// [row / kLane][island][row % kLane], times the share of the island; each place begins a lane.
    std::vector<std::array<Lane, RoundTable::kMostIslands>> lanes_;
    std::vector<std::size_t> first_;     ///< [place] of its rows
    std::vector<std::uint32_t> row_of_;  ///< [product][place]
    std::vector<std::uint32_t> ends_;    ///< [product][place]: behind the last that shares the rows
                                         ///< up to this
    std::vector<std::uint8_t> shared_;   ///< [product]: first rows shared with the one before
    std::vector<float> error_;           ///< [row]
    std::vector<Lane> off_;              ///< [row / kLane][column][row % kLane]
    double looked_ = 0;
};

}  // namespace longhaul::schedule::detail
