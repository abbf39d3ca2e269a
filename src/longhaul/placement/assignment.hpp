// Minimum-sum assignment with lexicographic costs: spends what the bottleneck leaves free.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "longhaul/core/grid.hpp"

namespace longhaul::placement {

/// Costs compared part by part; integers, so that sums are exact.
struct LexCost {
    std::array<std::int64_t, 3> part{};

    friend LexCost operator+(const LexCost& a, const LexCost& b) {
        return {{a.part[0] + b.part[0], a.part[1] + b.part[1], a.part[2] + b.part[2]}};
    }
    friend LexCost operator-(const LexCost& a, const LexCost& b) {
        return {{a.part[0] - b.part[0], a.part[1] - b.part[1], a.part[2] - b.part[2]}};
    }
    friend auto operator<=>(const LexCost&, const LexCost&) = default;
};

/// Column of each row in a perfect assignment of least total cost, by shortest augmenting paths
/// with potentials (Kuhn 1955, Munkres 1957; the O(n^3) form of Jonker and Volgenant, 1987).
[[nodiscard]] std::vector<int> least_assignment(const core::Grid<LexCost>& costs);

}  // namespace longhaul::placement
