// What products of rounds leave at least, by how long the longest round of a schedule may be.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "longhaul/schedule/detail/bounds.hpp"

namespace longhaul::schedule::detail {

inline constexpr double kFloorRounding = 1e-12;  ///< of errors; floors lie so much lower

/// Rounds by time, their cliques numbered, in classes of similar times.
struct RoundTable {
    /// Rounds must be ascending by time, not empty; their times positive. Ten islands at most.
    RoundTable(const std::vector<ListedRound>& rounds, int islands, const MixingOptions& mixing);

    [[nodiscard]] std::span<const std::uint32_t> cliques_of(std::size_t round) const {
        return std::span(ids).subspan(first[round], first[round + 1] - first[round]);
    }
    [[nodiscard]] std::size_t size() const { return rounds.size(); }

    [[nodiscard]] double mass_of(Clique clique) const;

    /// Leaves out classes and what only they use.
    void keep_classes(std::size_t count);

    /// Numbers a row of a product takes; those behind the islands are zero.
    static constexpr std::size_t kWidth = 10;

    /// For every clique what its members add to e when each of their rows becomes the mean of them.
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

    /// Products of two and three from the rounds themselves, for each round as an end or in the
    /// middle and three for each class: O(rounds^2 cliques), and more where many are close to the
    /// least. False when `stop` ended it, and nothing is known more.
    bool look_at_triples(const RoundTable& table,
                         const SetErrors& errors,
                         const std::function<bool()>& stop);

    /// Products of more, row by row: all rows that the rounds make of that of one island, as long
    /// as these are at most `most` times a round, and one round further the best clique for each
    /// island. The same for all classes.
    void look_at_rows(const RoundTable& table, double most);

    /// At least rho^h e(h) of a product of which the first rounds may be known.
    [[nodiscard]] double of(std::size_t c,
                            std::size_t h,
                            std::span<const std::size_t> known = {}) const {
        double floor = floors_[c][h];
        if (!known.empty() && h == 2) {
            floor = std::max(floor, first_of_two_[known[0]]);
        } else if (!known.empty() && h == 3) {
            floor = std::max(floor, first_of_three_[known[0]]);
            floor = known.size() < 2 ? floor : std::max(floor, middle_of_three_[known[1]]);
        }
        return floor;
    }
    /// At least the sum of rho^i e(i) over all i > h.
    [[nodiscard]] double after(std::size_t c,
                               std::size_t h,
                               std::span<const std::size_t> known = {}) const {
        double sum = after_[c][std::max<std::size_t>(h, 3)];
        for (std::size_t i = h + 1; i <= 3; ++i) {
            sum += of(c, i, known);
        }
        return sum;
    }

    static constexpr std::size_t kMost = 60;

private:
    void from_single_rounds(const RoundTable& table, const SetErrors& errors);
    void from_pairs(const RoundTable& table, const SetErrors& errors);
    void sum_up();

    double forgetting_;
    std::vector<std::vector<double>> least_;   ///< [class][h], e alone
    std::vector<std::vector<double>> floors_;  ///< the same, weighted
    std::vector<std::vector<double>> after_;
    std::vector<double> first_of_two_;  ///< [round], weighted, for all classes
    std::vector<double> first_of_three_;
    std::vector<double> middle_of_three_;
};

}  // namespace longhaul::schedule::detail
