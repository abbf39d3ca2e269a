// A step as bars over time: one row a device.
#pragma once

#include <string>
#include <vector>

namespace longhaul::report {

/// A span of time in a lane of a row.
struct GanttBar {
    int row = 0;
    int lane = 0;      ///< of the row, 0 at the top
    double begin = 0;  ///< seconds
    double end = 0;
    int kind = 0;       ///< place in Gantt::kinds
    std::string label;  ///< shown where it fits
};

struct Gantt {
    std::string title;
    std::string subtitle;
    std::vector<std::string> rows;   ///< names
    int lanes = 1;                   ///< of each row
    std::vector<std::string> kinds;  ///< what colours mean
    std::vector<GanttBar> bars;
    double end = 0;  ///< of the time axis, seconds, > 0
    std::vector<GanttBar>
        path;  ///< outlined on top of the bars: what decides the end; may be empty
};

/// An SVG picture with a time axis, a legend and rows of equal height. Bars narrower than a third
/// of a pixel are joined to their neighbours of the same kind, so that the size of the picture is
/// bounded. Bars of no length are left out. O(bars log bars).
[[nodiscard]] std::string draw(const Gantt& gantt);

}  // namespace longhaul::report
