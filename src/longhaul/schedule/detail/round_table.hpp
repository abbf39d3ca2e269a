// Rounds that a search puts one behind the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "longhaul/schedule/detail/bounds.hpp"

namespace longhaul::schedule::detail {

/// Side of each island, 0, 1, ...; in the finest division each island is a side.
using Sides = std::vector<std::uint8_t>;
[[nodiscard]] Sides finest_sides(std::size_t islands);
[[nodiscard]] std::size_t count_sides(const Sides& sides);

/// Rounds of one schedule, their cliques numbered.
struct RoundTable {
    /// Rounds must not be empty; ten islands at most.
    RoundTable(std::span<const ListedRound> rounds, int islands, const MixingOptions& mixing);

    [[nodiscard]] std::span<const std::uint32_t> cliques_of(std::size_t round) const {
        return std::span(ids).subspan(first[round], first[round + 1] - first[round]);
    }
    [[nodiscard]] std::size_t size() const { return rounds.size(); }
    /// Whether no other round is known to average more in the same cliques. As the first or the
    /// last round of a sequence no other can leave less disagreement.
    [[nodiscard]] bool coarsest(std::size_t round) const { return coarser[round] == round; }
    /// All rounds, or those that the ends of a sequence need.
    [[nodiscard]] std::vector<std::uint32_t> rounds_at(bool end) const;

    static constexpr std::size_t kMostIslands = 10;

    std::size_t n;
    std::vector<ListedRound> rounds;
    std::vector<Clique> cliques;
    std::vector<std::vector<std::size_t>> members;
    std::vector<double> mass;        ///< share of each clique
    std::vector<std::size_t> first;  ///< of each round in ids
    std::vector<std::uint32_t> ids;  ///< cliques of the rounds, one after the other
    std::vector<std::uint32_t>
        coarser;  ///< [round]: the coarsest that is known to hold its cliques
    std::vector<double> share;
    double start = 0;  ///< sum of share |row - share| before any round
    bool equal = true;

private:
    void find_coarser();
};

/// Where the rounds end whose times are similar, for each of at most `classes` classes of equal
/// ratios. `rounds` ascending by time, the least above 0.
[[nodiscard]] std::vector<std::size_t> ends_of_classes(std::span<const ListedRound> rounds,
                                                       double classes);

}  // namespace longhaul::schedule::detail
