// The picture of `place --phase`: which structure of placement wins at which payloads.
#pragma once

#include <string>
#include <vector>

#include "longhaul/core/grid.hpp"
#include "longhaul/report/axis.hpp"

namespace longhaul::report {

struct PhaseMap {
    std::string title;
    std::string subtitle;
    std::string second_subtitle;  ///< may be empty
    Axis x;
    Axis y;
    std::vector<std::string> structures;  ///< names; the most frequent should come first
    std::vector<std::string> details;     ///< more of each, such as its regions; or empty
    core::Grid<int> structure;            ///< y.values x x.values, row 0 = lowest y: which wins
    core::Grid<char> proved;              ///< the same size: whether the best is proved; or empty
};

/// An SVG picture: coloured cells with borders between structures, a letter in the largest patch of
/// each, a legend with their details and shares, and a dot in cells without proof, but under a
/// letter. Structures beyond the palette share a grey. O(cells).
[[nodiscard]] std::string draw(const PhaseMap& map);

}  // namespace longhaul::report
