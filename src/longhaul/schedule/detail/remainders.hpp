// How much disagreement must still come behind the first rounds of a start.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "longhaul/schedule/detail/distinct.hpp"
#include "longhaul/schedule/detail/error_floors.hpp"
#include "longhaul/schedule/detail/later_products.hpp"
#include "longhaul/schedule/detail/rounds_on_rows.hpp"
#include "longhaul/schedule/detail/symmetries.hpp"

namespace longhaul::schedule::detail {

/// Lower bounds of the remainder of a product P of rounds, rho e(W_1 P) + rho^2 e(W_2 W_1 P) + ...
/// over all rounds W_1, W_2, ... that may follow. What is asked for is kept: products are the same
/// up to the order of columns, where islands have equal shares, and up to symmetries.
class Remainders {
public:
    using Product = std::uint32_t;

    /// `table`, `ahead` (all products of 1, 2, ... rounds; may be empty) and `symmetries` must
    /// outlive it.
    Remainders(const RoundTable& table,
               double forgetting,
               std::vector<LaterProducts>& ahead,
               const Symmetries& symmetries);

    /// More is known of errors. What was proved stays.
    void use_floors(const ErrorFloors& floors);

    /// `rows` of a product of so many rounds, [island][island].
    [[nodiscard]] Product find(const float* rows, std::size_t rounds);
    /// Before any round.
    [[nodiscard]] Product none() const { return 0; }

    [[nodiscard]] double at_least(Product of) const { return known_[of].at_least; }
    /// What some rounds reach, by a narrow beam search. Kept.
    [[nodiscard]] double reached(Product of);
    /// Raises what is known by what one to three rounds at once can do.
    void look_ahead(Product of, double enough, double& work);
    /// Whether the remainder is at least `to`: rounds are tried behind the product, level by level,
    /// each product once, as long as the sum of its errors and a bound of what is behind it stay
    /// below. False also when `work` (rounds tried behind a product) or `stop` end it; `work` is
    /// lowered by what was used.
    [[nodiscard]] bool raise(Product of,
                             double to,
                             double& work,
                             const std::function<bool()>& stop);

private:
    static constexpr std::size_t kMostAhead = 6;
    /// [j] at least e after j + 1 rounds more.
    using Ahead = std::array<float, kMostAhead>;

    struct Known {
        double at_least;
        double reached = -1;  ///< not known yet
        std::size_t rounds;
        Ahead ahead{};
        bool looked = false;    ///< ahead, with the floors of now
        double tried_to = 0;    ///< by a search that did not reach it
        double tried_work = 0;  ///< of this
    };
    /// Products of one length behind that of the search.
    struct Level {
        double worth = 1;  ///< rho^j, j rounds behind that of the search
        std::vector<float> products;
        std::vector<float> sums;  ///< least of all ways to the product
        std::vector<Ahead> ahead;
    };

    [[nodiscard]] double behind(std::size_t rounds, const Ahead& ahead) const;
    [[nodiscard]] std::size_t lists_for(double products, double work) const;
    double meet(const float* rows,
                std::size_t rounds,
                std::size_t lists,
                double enough,
                Ahead& ahead,
                double& work);
    [[nodiscard]] bool search(std::vector<Level>& levels,
                              std::size_t rounds,
                              double to,
                              double& work,
                              const std::function<bool()>& stop);
    [[nodiscard]] bool look_behind(Level& level,
                                   std::size_t rounds,
                                   double to,
                                   Level& next,
                                   double& work,
                                   const std::function<bool()>& stop);
    void extend(const Level& level,
                std::size_t node,
                std::size_t rounds,
                double to,
                Distinct& distinct,
                Level& next);
    void put_in_order(float* rows) const;
    void turn(float* rows) const;
    void keep(const Level& level, std::size_t rounds, double to);

    const RoundTable& table_;
    RoundsOnRows rounds_;
    RoundsOnRows child_;
    double forgetting_;
    std::vector<LaterProducts>& later_;
    const Symmetries& symmetries_;
    std::vector<double> floors_;  ///< [h] of e
    std::vector<double> behind_;  ///< [h] floors of rho e(h + 1) + rho^2 e(h + 2) + ...
    std::vector<float> products_;
    Distinct distinct_;
    std::vector<Known> known_;
};

}  // namespace longhaul::schedule::detail
