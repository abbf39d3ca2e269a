#include "longhaul/schedule/detail/corners.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "longhaul/core/random.hpp"
#include "longhaul/schedule/detail/least_product.hpp"

namespace longhaul::schedule::detail {
namespace {

Point random_point(core::Random& random, std::size_t dimensions) {
    Point point{};
    for (std::size_t d = 0; d < dimensions; ++d) {
        point[d] = static_cast<float>(2 * random.uniform() - 1);
    }
    return point;
}

std::vector<Point> random_cloud(core::Random& random, std::size_t dimensions, std::size_t count) {
    std::vector<Point> cloud;
    while (cloud.size() < count) {
        cloud.push_back(random_point(random, dimensions));
    }
    return cloud;
}

float least_in(const std::vector<Point>& cloud, const Point& direction) {
    float least = INFINITY;
    for (const Point& point : cloud) {
        least = std::min(least, dot(direction, point));
    }
    return least;
}

TEST(PointSet, FindsTheLeastOfAllPoints) {
    core::Random random(3, 700);
    for (const std::size_t count : {1U, 2U, 15U, 16U, 17U, 100U}) {
        const std::vector<Point> cloud = random_cloud(random, 7, count);
        PointSet points(7);
        for (const Point& point : cloud) {
            points.add(point);
        }
        ASSERT_EQ(points.size(), count);
        for (int trial = 0; trial < 20; ++trial) {
            const Point direction = random_point(random, 7);
            const PointSet::Least least = points.least(direction);
            ASSERT_LT(least.at, count);
            EXPECT_EQ(points.at(least.at), cloud[least.at]);
            EXPECT_NEAR(least.value, least_in(cloud, direction), 1e-6);
            EXPECT_NEAR(dot(direction, cloud[least.at]), least.value, 1e-6);
        }
    }
}

// A hull with a margin reaches as far in every direction as all points do.
TEST(Corners, HoldTheWholeCloud) {
    core::Random random(3, 701);
    for (const auto& [dimensions, count, near] : {std::tuple(2U, 500U, 0.001F),
                                                  std::tuple(3U, 400U, 0.05F),
                                                  std::tuple(6U, 300U, 0.1F),
                                                  std::tuple(10U, 200U, 0.3F),
                                                  std::tuple(4U, 1U, 0.01F)}) {
        const std::vector<Point> cloud = random_cloud(random, dimensions, count);
        double work = 1e9;
        const auto corners = find_corners(cloud, dimensions, near, work, {});
        ASSERT_TRUE(corners.has_value());
        EXPECT_LE(corners->off, near + 1e-6F);
        for (const Point& corner : corners->points) {
            EXPECT_NE(std::ranges::find(cloud, corner), cloud.end());
        }
        for (int trial = 0; trial < 2000; ++trial) {
            const Point direction = random_point(random, dimensions);
            const float margin = corners->off * std::sqrt(dot(direction, direction));
            EXPECT_LE(least_in(corners->points, direction) - margin,
                      least_in(cloud, direction) + 1e-5F);
        }
    }
}

TEST(Corners, OfACubeAreItsEight) {
    core::Random random(3, 702);
    std::vector<Point> cloud = random_cloud(random, 3, 300);
    for (unsigned corner = 0; corner < 8; ++corner) {
        Point point{};
        for (std::size_t d = 0; d < 3; ++d) {
            point[d] = (corner >> d & 1U) != 0 ? 1.5F : -1.5F;
        }
        cloud.push_back(point);
    }
    double work = 1e9;
    const auto corners = find_corners(cloud, 3, 0.001F, work, {});
    ASSERT_TRUE(corners.has_value());
    EXPECT_EQ(corners->points.size(), 8U);
    for (const Point& corner : corners->points) {
        EXPECT_EQ(std::abs(corner[0]) + std::abs(corner[1]) + std::abs(corner[2]), 4.5F);
    }
    double none = 10;
    EXPECT_FALSE(find_corners(cloud, 3, 0.001F, none, {}).has_value());
    double enough = 1e9;
    EXPECT_FALSE(find_corners(cloud, 3, 0.001F, enough, [] { return true; }).has_value());
}

TEST(LeastProduct, IsThatOfAllPairs) {
    core::Random random(3, 703);
    for (const auto& [dimensions, first, second] : {std::tuple(1U, 1U, 1U),
                                                    std::tuple(3U, 1U, 400U),
                                                    std::tuple(5U, 300U, 33U),
                                                    std::tuple(10U, 250U, 250U)}) {
        // About the middle, and far from it.
        for (const float shift : {0.0F, 3.0F}) {
            std::vector<Point> a = random_cloud(random, dimensions, first);
            const std::vector<Point> b = random_cloud(random, dimensions, second);
            for (Point& point : a) {
                point[0] += shift;
            }
            float least = INFINITY;
            for (const Point& point : a) {
                least = std::min(least, least_in(b, point));
            }
            double work = 1e9;
            const auto found = least_product(a, b, dimensions, work, {});
            ASSERT_TRUE(found.has_value());
            EXPECT_NEAR(*found, least, 1e-5);
            EXPECT_LT(work, 1e9);
        }
    }
    const std::vector<Point> cloud = random_cloud(random, 4, 500);
    double little = 10;
    EXPECT_FALSE(least_product(cloud, cloud, 4, little, {}).has_value());
    double enough = 1e9;
    EXPECT_FALSE(least_product(cloud, cloud, 4, enough, [] { return true; }).has_value());
}

}  // namespace
}  // namespace longhaul::schedule::detail
