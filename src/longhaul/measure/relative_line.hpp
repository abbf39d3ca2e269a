// The line that errs least relative to what was measured: closed form, two unknowns.
#pragma once

#include <cstddef>
#include <span>

namespace longhaul::measure {

/// A time at a message size.
struct Point {
    double bytes = 0;
    double seconds = 0;  ///< > 0
};

/// seconds + bytes x seconds_per_byte.
struct Line {
    double seconds = 0;
    double seconds_per_byte = 0;

    [[nodiscard]] double at(double bytes) const { return seconds + bytes * seconds_per_byte; }
};

/// Sums that determine the line over a set of points; sums of disjoint sets add up.
struct LineSums {
    double points = 0;
    double u = 0, v = 0;  ///< u = 1 / T, v = n / T
    double uu = 0, uv = 0, vv = 0;

    void add(const Point& point);
    friend LineSums operator-(LineSums a, const LineSums& b);
};

/// Minimises sum ((a + b n - T) / T)^2 with b > 0 and, where `start_up`, a >= 0. With one size: all
/// of the time is taken for rate. O(1).
[[nodiscard]] Line relative_line(const LineSums& sums, bool start_up);

/// The same over points. O(points).
[[nodiscard]] Line relative_line(std::span<const Point> points, bool start_up);

/// decimal Gbit/s of a slope, at most fabric::kMaxBetaGbps.
[[nodiscard]] double gbps_of(const Line& line);

}  // namespace longhaul::measure
