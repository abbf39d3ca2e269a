// How far updates have spread after each round: products of mixing matrices as coloured cells.
#pragma once

#include <string>
#include <vector>

#include "longhaul/core/grid.hpp"

namespace longhaul::report {

struct MixingPanel {
    core::Grid<double> weights;  ///< islands x islands, receiver x sender, finite, >= 0
    std::string caption;         ///< one line underneath; may be empty
};

struct MixingPicture {
    std::string title;
    std::string subtitle;
    std::vector<std::string> islands;  ///< at least one
    std::vector<MixingPanel> panels;   ///< the h-th, from 1: after h rounds
};

/// An SVG picture: a panel a product, rows receivers, columns senders, darker for more weight; the
/// scale goes with the square root of the weight, so that 1 / islands is seen beside 1, and is
/// shown underneath with a mark at 1 / islands. Exact zeros stay blank. Weights stand in the cells
/// up to 12 islands. O(panels islands^2).
[[nodiscard]] std::string draw(const MixingPicture& picture);

/// Colour of a weight when `most` is the largest: white to dark blue in steady lightness.
[[nodiscard]] std::string weight_colour(double weight, double most);

}  // namespace longhaul::report
