#include "longhaul/measure/segmentation.hpp"

#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "longhaul/measure/cold.hpp"
#include "longhaul/measure/detail/test_samples.hpp"

namespace longhaul::measure {
namespace {

constexpr double kSigma = 0.03;

std::vector<Point> points_of(const std::vector<double>& sizes,
                             const std::function<double(double)>& seconds) {
    std::vector<Point> points;
    for (const double bytes : sizes) {
        points.push_back({bytes, seconds(bytes)});
    }
    return points;
}

std::vector<LineSegment> divided(const std::vector<Point>& points) {
    return divide(points, std::vector<double>(points.size(), kSigma));
}

double squares_of(const std::vector<Point>& points, const LineSegment& part) {
    double squares = 0;
    for (std::size_t i = part.first; i < part.last; ++i) {
        const double error = (part.line.at(points[i].bytes) / points[i].seconds - 1) / kSigma;
        squares += error * error;
    }
    return squares;
}

LineSegment part_of(const std::vector<Point>& points, std::size_t first, std::size_t last) {
    const std::vector<Point> inside(points.begin() + static_cast<std::ptrdiff_t>(first),
                                    points.begin() + static_cast<std::ptrdiff_t>(last));
    return {first, last, relative_line(inside, first == 0)};
}

/// Least BIC over every division, by trying all.
double brute_force_bic(const std::vector<Point>& points) {
    const std::size_t n = points.size();
    const double price = std::log(static_cast<double>(n));
    double least = squares_of(points, part_of(points, 0, n)) + 2 * price;
    for (std::size_t a = 2; a + 2 <= n; ++a) {
        const double first = squares_of(points, part_of(points, 0, a));
        least = std::min(least, first + squares_of(points, part_of(points, a, n)) + 5 * price);
        for (std::size_t b = a + 2; b + 2 <= n; ++b) {
            least = std::min(least,
                             first + squares_of(points, part_of(points, a, b)) +
                                 squares_of(points, part_of(points, b, n)) + 8 * price);
        }
    }
    return least;
}

// Slow twin: all divisions.
TEST(Segmentation, EqualsBruteForce) {
    core::Random random(7);
    for (int trial = 0; trial < 200; ++trial) {
        const std::size_t n = 2 + random.index(10);
        std::vector<Point> points;
        double bytes = 1000;
        for (std::size_t i = 0; i < n; ++i, bytes *= 2) {
            const double noise = std::exp(0.4 * random.uniform());
            points.push_back({bytes, detail::affine_seconds(bytes, 1, 0.1) * noise});
        }
        double bic = 0;
        const std::vector<LineSegment> parts = divided(points);
        for (const LineSegment& part : parts) {
            bic += squares_of(points, part);
        }
        bic += (3 * static_cast<double>(parts.size()) - 1) * std::log(static_cast<double>(n));
        EXPECT_NEAR(bic, brute_force_bic(points), 1e-9 * bic) << "trial " << trial;
    }
}

// Four kinds of links with known rates; 1, 1, 2 and 3 lines describe them. A warm connection over
// 80 ms and 191.28 Mbit/s; a shaper without a burst.
TEST(Segmentation, WarmLinkAndPlainShaperAreOneLine) {
    const std::vector<double> sizes =
        detail::sizes_between(16 * detail::kKiB, 16 * detail::kMiB, 2);
    ASSERT_EQ(sizes.size(), 11U);
    core::Random random(7);
    const auto noise = [&random] { return 1 + 0.01 * detail::normal(random); };
    const auto warm = divided(points_of(
        sizes, [&](double n) { return detail::affine_seconds(n, 80, 0.19128) * noise(); }));
    ASSERT_EQ(warm.size(), 1U);
    EXPECT_NEAR(warm[0].line.seconds, 0.080, 0.001);
    EXPECT_NEAR(gbps_of(warm[0].line), 0.19128, 0.02 * 0.19128);
    const auto shaped = divided(points_of(
        sizes, [&](double n) { return detail::affine_seconds(n, 0.1, 0.09564) * noise(); }));
    ASSERT_EQ(shaped.size(), 1U);
    EXPECT_NEAR(gbps_of(shaped[0].line), 0.09564, 0.02 * 0.09564);
}

// Medians of five messages through Linux's token bucket filter (100 Mbit/s, burst 4 MB), measured
// between two network namespaces with 0.5 s of idle time before each. One line would say some
// Gbit/s. The last says 100 Mbit/s less 66 bytes of headers a packet of 1514: 95.64.
TEST(Segmentation, TokenBucketIsABurstAndARate) {
    const std::vector<double> seconds = {0.000233,
                                         0.000250,
                                         0.000259,
                                         0.000287,
                                         0.000295,
                                         0.000356,
                                         0.000499,
                                         0.000769,
                                         0.015876,
                                         0.367027,
                                         1.068675};
    std::vector<Point> points;
    for (std::size_t i = 0; i < seconds.size(); ++i) {
        points.push_back({std::ldexp(16 * detail::kKiB, static_cast<int>(i)), seconds[i]});
    }
    const auto parts = divided(points);
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_NEAR(gbps_of(parts[1].line), 0.09564, 0.0005);
    EXPECT_LT(parts[1].line.seconds, 0);
    EXPECT_GT(gbps_of(relative_line(points, true)), 1);
}

// A cold connection: slow start for the small sizes, the rate for the last.
TEST(Segmentation, ColdConnectionIsThreeLines) {
    const auto parts = divided(
        points_of(detail::sizes_between(16 * detail::kKiB, 16 * detail::kMiB, 2), [](double bytes) {
            return cold_seconds(bytes, core::milliseconds(80), core::GbitPerSecond(0.19128))
                .value();
        }));
    ASSERT_EQ(parts.size(), 3U);
    EXPECT_NEAR(gbps_of(parts[2].line), 0.19128, 0.02 * 0.19128);
}

TEST(Segmentation, FewSizesAreOneLine) {
    const auto steep = [](double bytes) { return bytes < 5e3 ? 1e-3 : 1.0; };
    for (const std::size_t n : {1U, 2U, 3U}) {
        std::vector<double> sizes = {1e3, 2e3, 1e4};
        sizes.resize(n);
        EXPECT_EQ(divided(points_of(sizes, steep)).size(), 1U);
    }
}

}  // namespace
}  // namespace longhaul::measure
