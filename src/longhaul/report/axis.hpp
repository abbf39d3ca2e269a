// One axis of a picture: values on a linear or logarithmic scale, with cells and ticks.
#pragma once

#include <string>
#include <vector>

namespace longhaul::report {

/// Ascending values (positive on a logarithmic scale), the centres of cells.
struct Axis {
    std::string title;  ///< what it shows, with its unit
    std::vector<double> values;
    bool logarithmic = true;
};

struct Tick {
    double position = 0;  ///< share of the axis, 0 to 1
    std::string label;    ///< empty: a small tick
};

/// Where the cells of the values begin and end, as shares of the axis: values + 1 numbers from 0 to
/// 1. Cells meet halfway between values, on the scale of the axis. At least one value.
[[nodiscard]] std::vector<double> cell_edges(const Axis& axis);

/// Ticks at 1, 2 and 5 times powers of ten on a logarithmic scale, at round steps on a linear one.
[[nodiscard]] std::vector<Tick> ticks(const Axis& axis);

}  // namespace longhaul::report
