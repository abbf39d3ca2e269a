// All products of the later rounds, and the least error that they leave of a product.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "longhaul/schedule/detail/round_table.hpp"
#include "longhaul/schedule/detail/rows_behind.hpp"

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

    /// Numbers added for each product of the earlier rounds, at least.
    [[nodiscard]] double numbers() const {
        return static_cast<double>(lanes_.size() * kLane * n_ * columns_);
    }
    /// Numbers added since the last call.
    [[nodiscard]] double looked() { return std::exchange(looked_, 0); }

private:
    static constexpr std::size_t kMostSides = RoundTable::kMostIslands;
    /// What each side but the last is off by.
    using Off = std::array<float, kMostSides>;
    /// Products that share their first rows, by place of the last of them.
    struct Beginnings {
        std::vector<std::uint32_t> row;
        std::vector<std::uint32_t> first;  ///< of their longer ones in the next place, and the end
    };
    /// Of those that leave hope.
    struct Hopeful {
        std::uint32_t beginning;
        float sum;
        Off off;
    };

    [[nodiscard]] float look_at(std::size_t place, const float* earlier);
    void extend(std::size_t place, float rest, float& least);
    float add(const Off& before, std::uint32_t row, Off& after) const;
    [[nodiscard]] std::vector<std::uint32_t> number_rows(const RoundTable& table,
                                                         const std::vector<float>& products);
    void find_beginnings(const std::vector<std::uint32_t>& row_of);

    std::size_t n_;
    std::size_t columns_;
    float scale_;                           ///< an error for what all sides are off by
    std::array<float, kMostSides> mass_{};  ///< share of each side
    std::array<float, kMostSides> even_{};  ///< the same by place
    /// [row / kLane][island][row % kLane], times the share of the island; each place begins a lane.
    std::vector<LaneRows> lanes_;
    std::vector<std::size_t> first_;      ///< [place] of its rows
    std::size_t few_ = 0;                 ///< places with few rows, looked at first
    std::vector<Beginnings> beginnings_;  ///< [place]
    std::vector<Lane> error_;             ///< [row / kLane][row % kLane]
    std::vector<Lane> off_;               ///< [row / kLane][column][row % kLane]
    std::vector<Hopeful> hopeful_;
    std::vector<Hopeful> next_;
    double looked_ = 0;
};

}  // namespace longhaul::schedule::detail
