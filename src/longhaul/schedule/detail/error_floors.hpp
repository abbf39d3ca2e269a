// What products of rounds leave at least, by how long the longest round of a schedule may be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "longhaul/schedule/detail/bounds.hpp"

namespace longhaul::schedule::detail {

/// Rounds by time, their cliques numbered, in classes of similar times.
struct RoundTable {
    /// Rounds must be ascending by time, not empty; their times positive.
    RoundTable(const std::vector<ListedRound>& rounds, int islands, const MixingOptions& mixing);

    [[nodiscard]] std::span<const std::uint32_t> cliques_of(std::size_t round) const {
        return std::span(ids).subspan(first[round], first[round + 1] - first[round]);
    }
    [[nodiscard]] std::size_t size() const { return rounds.size(); }

    [[nodiscard]] double mass_of(Clique clique) const;

    /// Leaves out classes and what only they use.
    void keep_classes(std::size_t count);

    /// For every clique what its members add to e when each of their rows (n x n, row-major)
    /// becomes the mean of them.
    void errors_of_means(const double* rows, std::vector<double>& errors) const;
    /// Least error of a round whose cliques have these: each island in its best clique.
    [[nodiscard]] double least_of_rows(const std::vector<double>& errors) const;
    /// Rows after a round.
    void apply(std::size_t round, const double* before, double* after) const;

    std::size_t n;
    std::vector<ListedRound> rounds;
    std::vector<Clique> cliques;
    std::vector<std::vector<std::size_t>> members;
    std::vector<double> mass;          ///< share of each clique
    std::vector<std::size_t> first;    ///< of each round in ids
    std::vector<std::uint32_t> ids;    ///< cliques of the rounds, one after the other
    std::vector<std::size_t> classes;  ///< of each round, ascending
    std::vector<double> class_ms;      ///< least time of each class
    std::vector<double> share;
    double start = 0;  ///< sum of share |row - share| before any round
    bool equal = true;

private:
    void number_cliques();
    void divide();
};

/// Least e of products of h rounds of the classes up to c.
class ErrorFloors {
public:
    ErrorFloors(const RoundTable& table, const SetErrors& errors, double forgetting);

    /// Products of three from the rounds themselves: O(rounds^2 cliques).
    void look_at_triples(const RoundTable& table);

    /// At least rho^h e(h).
    [[nodiscard]] double of(std::size_t c, std::size_t h) const { return floors_[c][h]; }
    /// At least the sum of rho^i e(i) over all i > h.
    [[nodiscard]] double after(std::size_t c, std::size_t h) const { return after_[c][h]; }

    static constexpr std::size_t kMost = 60;

private:
    void from_single_rounds(const RoundTable& table, const SetErrors& errors);
    void from_pairs(const RoundTable& table, const SetErrors& errors);
    void sum_up();

    double forgetting_;
    std::vector<std::vector<double>> least_;   ///< [class][h], e alone
    std::vector<std::vector<double>> floors_;  ///< the same, weighted
    std::vector<std::vector<double>> after_;
};

}  // namespace longhaul::schedule::detail
