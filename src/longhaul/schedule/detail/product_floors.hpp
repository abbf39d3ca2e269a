// The least error of products of several rounds, from all different products of half as many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "longhaul/schedule/detail/distinct.hpp"
#include "longhaul/schedule/detail/later_products.hpp"
#include "longhaul/schedule/detail/round_table.hpp"

namespace longhaul::schedule::detail {

/// Rounds that leave the others alone may come in any order, so sequences of rounds have far fewer
/// products than there are sequences. They have fewer still where islands of one side are as one,
/// both as those whose updates come and as those who get them: the errors of the sums of weights
/// that are left are at most those of all weights, and nearly as large where few exchanges join the
/// sides, for it is disagreement between them that lasts.
class ProductFloors {
public:
    /// `table` must outlive it. Two sides at least.
    ProductFloors(const RoundTable& table, Sides sides);

    /// At least the error of every product of `length` rounds, 2 or more; zero when the work or
    /// `stop` end it. `work` (numbers added) is lowered by what was used. All different products of
    /// length / 2 rounds are met with all of the other half, side by side, as long as sides that
    /// were not looked at yet leave hope for a smaller error.
    [[nodiscard]] double least(std::size_t length, double& work, const std::function<bool()>& stop);

    /// All products of `length` rounds, 1 or more, the last of them coarsest; nothing when there
    /// are more than `most` or the work or `stop` end it.
    [[nodiscard]] std::optional<LaterProducts> later(std::size_t length,
                                                     std::size_t most,
                                                     double& work,
                                                     const std::function<bool()>& stop);

    [[nodiscard]] const Sides& sides() const { return sides_; }

private:
    /// Whether levels_ holds the products of so many rounds now.
    bool list(std::size_t length, double& work, const std::function<bool()>& stop);
    struct Growing {
        explicit Growing(std::size_t compared) : distinct(compared) {}

        std::vector<float> products;
        std::vector<float> ordered;  ///< the same in order, where any order will do
        Distinct distinct;           ///< of these
    };

    void add_after(std::uint32_t round, Growing& next) const;
    void add_in_order(const float* product, std::vector<float>& to) const;
    /// Those first that disagree least: they are likely to be a part of the best products.
    [[nodiscard]] std::vector<std::size_t> by_error(const std::vector<float>& products) const;
    /// What each clique would average to.
    void take_means(const float* product);

    const RoundTable& table_;
    Sides sides_;
    std::size_t columns_;  ///< sides but for the last: weights sum to 1
    /// Islands of equal shares may change their names where updates come from: errors stay the
    /// same.
    bool any_order_;
    /// [rounds][product][island][column]: weights of the sides at each island, all different; of
    /// coarsest first rounds only. Of those that differ in the order of columns alone one is kept
    /// where that order does not matter.
    std::vector<std::vector<float>> levels_;
    std::vector<float> means_;  ///< [clique][column]
    bool too_many_ = false;
};

}  // namespace longhaul::schedule::detail
