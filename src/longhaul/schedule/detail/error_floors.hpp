// What products of rounds leave at least.
#pragma once

#include <cstddef>
#include <vector>

#include "longhaul/schedule/detail/bounds.hpp"
#include "longhaul/schedule/detail/round_table.hpp"

namespace longhaul::schedule::detail {

inline constexpr double kFloorRounding = 1e-12;  ///< of errors; floors lie so much lower

/// Least e of products of h rounds of a table.
class ErrorFloors {
public:
    /// From single rounds and pairs. O(rounds^2), less where `of_more` says what pairs of a table
    /// leave that has these rounds and others.
    ErrorFloors(const RoundTable& table,
                const SetErrors& errors,
                double forgetting,
                const ErrorFloors* of_more = nullptr);

    /// Products of two and more, row by row: all rows that the rounds make of that of one island,
    /// as long as they are at most `most` times a round, and one round further the best clique for
    /// each island.
    void look_at_rows(const RoundTable& table, double most);

    /// Something better is known of products of h rounds.
    void raise(std::size_t h, double least);

    /// At least rho^h e(h).
    [[nodiscard]] double of(std::size_t h) const { return floors_[h]; }
    /// At least the sum of rho^i e(i) over all i > h.
    [[nodiscard]] double after(std::size_t h) const { return after_[h]; }
    /// rho^h e(h) for h = 0, 1, ...
    [[nodiscard]] const std::vector<double>& all() const { return floors_; }

    static constexpr std::size_t kMost = 60;

private:
    void from_single_rounds(const RoundTable& table, const SetErrors& errors);
    void from_pairs(const RoundTable& table, const SetErrors& errors, double known);
    void sum_up();

    double forgetting_;
    std::vector<double> least_;   ///< [h], e alone
    std::vector<double> floors_;  ///< the same, weighted
    std::vector<double> after_;
};

}  // namespace longhaul::schedule::detail
