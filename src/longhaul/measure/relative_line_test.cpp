#include "longhaul/measure/relative_line.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "longhaul/core/random.hpp"
#include "longhaul/measure/detail/test_samples.hpp"

namespace longhaul::measure {
namespace {

double relative_squares(const Line& line, const std::vector<Point>& points) {
    double squares = 0;
    for (const Point& point : points) {
        const double error = (line.at(point.bytes) - point.seconds) / point.seconds;
        squares += error * error;
    }
    return squares;
}

TEST(RelativeLine, FindsALineExactly) {
    std::vector<Point> points;
    for (const double bytes : detail::sizes_between(4096, 256 * detail::kMiB, 4)) {
        points.push_back({bytes, detail::affine_seconds(bytes, 0.2, 10)});
    }
    const Line line = relative_line(points, true);
    EXPECT_NEAR(line.seconds, 0.2e-3, 1e-12);
    EXPECT_NEAR(gbps_of(line), 10, 1e-9);
}

// The closed form against what defines it: nothing near it errs less.
TEST(RelativeLine, NoNeighbourIsBetter) {
    core::Random random(7);
    for (int trial = 0; trial < 200; ++trial) {
        std::vector<Point> points;
        for (const double bytes : detail::sizes_between(1000, 1e6, 3)) {
            const double noise = 1 + 0.3 * (random.uniform() - 0.5);
            points.push_back({bytes, detail::affine_seconds(bytes, 1, 0.1) * noise});
        }
        const Line best = relative_line(points, true);
        const double least = relative_squares(best, points);
        for (const double a : {0.999, 1.0, 1.001}) {
            for (const double b : {0.999, 1.0, 1.001}) {
                const Line near{best.seconds * a, best.seconds_per_byte * b};
                EXPECT_GE(relative_squares(near, points), least - 1e-12);
            }
        }
    }
}

// A negative intercept is no start-up: with a = 0 the best slope is sum(v) / sum(v^2), v = n / T,
// here (1e6 / 1 + 4e6 / 5) / (1e12 + 0.64e12).
TEST(RelativeLine, StartUpIsNeverNegative) {
    const std::vector<Point> points = {{1e6, 1}, {4e6, 5}};
    const Line held = relative_line(points, true);
    EXPECT_EQ(held.seconds, 0);
    EXPECT_NEAR(held.seconds_per_byte, 1.8e6 / 1.64e12, 1e-18);
    const Line free = relative_line(points, false);
    EXPECT_NEAR(free.seconds, -1.0 / 3, 1e-12);
    EXPECT_NEAR(free.seconds_per_byte, 4.0 / 3e6, 1e-15);
}

TEST(RelativeLine, TimesThatDoNotGrowGiveTheLargestRate) {
    const std::vector<Point> points = {{1, 2e-3}, {1000, 2e-3}, {2000, 1e-3}};
    const Line line = relative_line(points, true);
    EXPECT_EQ(gbps_of(line), 1e9);
    EXPECT_GT(line.seconds, 1e-3);
    EXPECT_LT(line.seconds, 2e-3);
}

TEST(RelativeLine, OneSizeIsAllRate) {
    const std::vector<Point> points = {{1e9, 8}};
    const Line line = relative_line(points, true);
    EXPECT_EQ(line.seconds, 0);
    EXPECT_NEAR(gbps_of(line), 1, 1e-12);
}

}  // namespace
}  // namespace longhaul::measure
