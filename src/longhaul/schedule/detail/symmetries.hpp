// Names of islands that can be exchanged without changing the rounds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "longhaul/schedule/detail/round_table.hpp"

namespace longhaul::schedule::detail {

/// Permutations of islands of equal shares that make each round of a table a round of the table.
/// They are a group, of which index 0 is the identity: all of them, or, where there are more than
/// kMost, all that leave the first islands alone. A product W_h ... W_1 whose rounds and rows are
/// both permuted has the same disagreement.
class Symmetries {
public:
    using Index = std::uint8_t;
    static constexpr std::size_t kMost = 48;

    /// O(kMost rounds islands log(rounds)) and a limited search.
    explicit Symmetries(const RoundTable& table);

    [[nodiscard]] std::size_t size() const { return images_.size(); }
    /// [island] where it goes.
    [[nodiscard]] std::span<const std::uint8_t> images(Index of) const {
        return std::span(images_[of]).first(islands_);
    }
    /// What becomes of a round.
    [[nodiscard]] std::uint32_t round(Index of, std::size_t round) const {
        return rounds_[of][round];
    }
    /// One after the other.
    [[nodiscard]] Index then(Index first, Index second) const {
        return products_[first * size() + second];
    }

private:
    using Images = std::array<std::uint8_t, RoundTable::kMostIslands>;

    std::size_t islands_;
    std::vector<Images> images_;
    std::vector<std::vector<std::uint32_t>> rounds_;  ///< [permutation][round]
    std::vector<Index> products_;                     ///< [first][second]
};

}  // namespace longhaul::schedule::detail
