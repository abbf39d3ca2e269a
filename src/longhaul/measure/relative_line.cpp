#include "longhaul/measure/relative_line.hpp"

#include <algorithm>

#include "longhaul/core/assert.hpp"
#include "longhaul/fabric/limits.hpp"

namespace longhaul::measure {
namespace {

constexpr double kLeastSlope = 8e-9 / fabric::kMaxBetaGbps;  // seconds a byte
constexpr double kSingular = 1e-13;  // of the determinant: all sizes are the same

/// Best slope for a start-up of zero.
Line through_zero(const LineSums& sums) {
    return {0, std::max(sums.v / sums.vv, kLeastSlope)};
}

/// Best start-up for a rate without bounds.
Line flat(const LineSums& sums) {
    return {sums.u / sums.uu, kLeastSlope};
}

}  // namespace

void LineSums::add(const Point& point) {
    const double inverse = 1 / point.seconds;
    const double ratio = point.bytes * inverse;
    points += 1;
    u += inverse;
    v += ratio;
    uu += inverse * inverse;
    uv += inverse * ratio;
    vv += ratio * ratio;
}

LineSums operator-(LineSums a, const LineSums& b) {
    a.points -= b.points;
    a.u -= b.u;
    a.v -= b.v;
    a.uu -= b.uu;
    a.uv -= b.uv;
    a.vv -= b.vv;
    return a;
}

Line relative_line(const LineSums& sums, bool start_up) {
    LONGHAUL_ASSERT(sums.points >= 1);
    if (sums.vv == 0) {
        return flat(sums);
    }
    const double determinant = sums.uu * sums.vv - sums.uv * sums.uv;
    if (sums.points < 2 || determinant <= kSingular * sums.uu * sums.vv) {
        return through_zero(sums);
    }
    const Line line{(sums.u * sums.vv - sums.v * sums.uv) / determinant,
                    (sums.v * sums.uu - sums.u * sums.uv) / determinant};
    if (start_up && line.seconds < 0) {
        return through_zero(sums);
    }
    return line.seconds_per_byte < kLeastSlope ? flat(sums) : line;
}

Line relative_line(std::span<const Point> points, bool start_up) {
    LineSums sums;
    for (const Point& point : points) {
        sums.add(point);
    }
    return relative_line(sums, start_up);
}

double gbps_of(const Line& line) {
    return std::min(8e-9 / line.seconds_per_byte, fabric::kMaxBetaGbps);
}

}  // namespace longhaul::measure
