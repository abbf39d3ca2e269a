// Where one line does not hold: the division of the sizes into segments that the data justify.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "longhaul/measure/relative_line.hpp"

namespace longhaul::measure {

inline constexpr std::size_t kMostSegments = 3;

/// Points first .. last - 1 with their line.
struct LineSegment {
    std::size_t first = 0;
    std::size_t last = 0;
    Line line;
};

/// Divides points, ascending by size, into at most three segments of at least two points each (one
/// segment when there are fewer than four), each with its own line, by dynamic programming over the
/// squares S of the relative errors. The number of segments k has the least BIC:
/// S / sigma^2 + (3k - 1) ln points. `sigma` is the relative error that a median is expected to
/// have. O(points^2 kMostSegments).
[[nodiscard]] std::vector<LineSegment> divide(std::span<const Point> points,
                                              std::span<const double> sigma);

}  // namespace longhaul::measure
