// Floors of long products from what one contrast between islands becomes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "longhaul/schedule/detail/corners.hpp"
#include "longhaul/schedule/detail/round_table.hpp"
#include "longhaul/schedule/detail/twins.hpp"

namespace longhaul::schedule::detail {

/// A number for each island: 1, 0 or -1.
using Contrast = std::vector<std::int8_t>;

/// The disagreement of a product P is at least what is left of a contrast c, c' D P c less that of
/// the mean, D the shares. That is the product of two vectors, one for each half of the rounds, of
/// n numbers each, so that halves of five and six rounds can be listed, and it is linear in both:
/// of a half only corners matter, and those near to a mean of corners may be left out at a small
/// price. Twins may change places in one half if they do in the other: their numbers are kept in
/// order. (docs/mathematics/schedule-extensions.md)
class ContrastFloors {
public:
    /// `table` must outlive it, and have these twins. Islands on both sides.
    ContrastFloors(const RoundTable& table, const Twins& twins, Contrast contrast);

    /// At least the error of every product of `length` rounds, 1 or more; zero when nothing is
    /// known, or the work or `stop` end it. `work` (numbers added) is lowered by what was used.
    [[nodiscard]] double least(std::size_t length, double& work, const std::function<bool()>& stop);

    [[nodiscard]] const Contrast& contrast() const { return contrast_; }

private:
    /// What so many rounds, the first of them coarsest, make of the contrast, times the root of the
    /// share, the mean taken off.
    struct Level {
        std::vector<Point> points;
        float off = 0;               ///< every one is at most so far from a mean of points
        std::vector<Point> corners;  ///< those of the points, when they have been looked for
        float farther = 0;           ///< every point is at most so far from a mean of corners
    };

    bool find_corners_of(Level& level, double& work, const std::function<bool()>& stop) const;
    /// Empty when there is too little work or room.
    [[nodiscard]] std::vector<Point> after_one_more(const std::vector<Point>& before,
                                                    double& work) const;
    bool list(std::size_t length, double& work, const std::function<bool()>& stop);
    /// Numbers of twins the other way round: so they meet numbers in order with the least product.
    [[nodiscard]] Point turned(const Point& point) const;

    const RoundTable* table_;
    Contrast contrast_;
    std::vector<std::vector<std::size_t>> twins_;  ///< two and more with one number
    Point root_{};                                 ///< of the share
    std::vector<Level> levels_;
};

}  // namespace longhaul::schedule::detail
