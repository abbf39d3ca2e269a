// What many rows of later products make of one earlier product.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "longhaul/schedule/detail/round_table.hpp"

namespace longhaul::schedule::detail {

/// Rows that are looked at together: one of the widest registers, or several narrower ones.
inline constexpr std::size_t kLane = 16;
struct alignas(kLane * sizeof(float)) Lane {
    using Numbers [[gnu::vector_size(kLane * sizeof(float))]] = float;

    float operator[](std::size_t row) const { return of[row]; }

    Numbers of;
};
/// [island][row]
using LaneRows = std::array<Lane, RoundTable::kMostIslands>;

struct RowsBehind {
    std::span<const LaneRows> rows;
    std::span<const float> earlier;  ///< product, [island][column]
    std::span<const float> even;     ///< [column] what is taken off each row times product
    std::span<Lane> error;           ///< [lane] out: sum of |off|, a last column making up to zero
    std::span<Lane> off;             ///< [lane][column] out
};

/// Returns the least error. The same on all machines: wider registers hold more rows, and each
/// row's sums are added in the same order. O(rows islands columns).
float look_at_rows_behind(const RowsBehind& at);

}  // namespace longhaul::schedule::detail
