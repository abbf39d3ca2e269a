// The least error of products of several rounds, from all different products of half as many.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "longhaul/schedule/detail/rounds_on_rows.hpp"

namespace longhaul::schedule::detail {

/// Rounds that leave the others alone may come in any order, so sequences of rounds have far fewer
/// products than there are sequences.
class ProductFloors {
public:
    /// `table` must outlive it.
    explicit ProductFloors(const RoundTable& table);

    /// At least the error of every product of `length` rounds, 2 or more; zero when the work or
    /// `stop` end it. `work` (numbers added) is lowered by what was used. All different products of
    /// length / 2 rounds are met with all of the other half, row by row, as long as rows that were
    /// not looked at yet leave hope for a smaller error.
    [[nodiscard]] double least(std::size_t length, double& work, const std::function<bool()>& stop);

private:
    /// Whether levels_ holds the products of so many rounds now.
    bool list(std::size_t length, double& work, const std::function<bool()>& stop);

    RoundsOnRows rounds_;
    std::vector<std::vector<float>> levels_;  ///< [rounds][product][row][column], all different
    bool too_many_ = false;
};

}  // namespace longhaul::schedule::detail
