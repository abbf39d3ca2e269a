#include "longhaul/report/places.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "longhaul/core/random.hpp"

namespace longhaul::report {
namespace {

double distance_of(Point a, Point b) {
    return std::hypot(a.x - b.x, a.y - b.y);
}

core::Grid<double> distances_of(const std::vector<Point>& points) {
    core::Grid<double> distance(points.size(), points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        for (std::size_t j = 0; j < points.size(); ++j) {
            distance(i, j) = distance_of(points[i], points[j]);
        }
    }
    return distance;
}

// Distances of points in the plane fix the points up to turns and mirrors: scaling must find them.
TEST(Places, RecoversThePlane) {
    core::Random random(3);
    for (int round = 0; round < 20; ++round) {
        std::vector<Point> points;
        for (int i = 0; i < 12; ++i) {
            points.push_back({90 * random.uniform(), 40 * random.uniform()});
        }
        const auto places = places_by_distance(distances_of(points));
        ASSERT_EQ(places.size(), points.size());
        for (std::size_t i = 0; i < points.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                EXPECT_NEAR(
                    distance_of(places[i], places[j]), distance_of(points[i], points[j]), 1e-4);
            }
        }
        EXPECT_LE(places[0].x, 0);
        EXPECT_LE(places[0].y, 0);
    }
}

// 3-4-5 in the plane: a rectangle of 8 x 6, whatever the order of its corners.
TEST(Places, LaysTheWiderSideAcross) {
    const std::vector<Point> corners{{0, 0}, {0, 8}, {6, 0}, {6, 8}};
    const auto places = places_by_distance(distances_of(corners));
    ASSERT_EQ(places.size(), 4U);
    for (const Point& place : places) {
        EXPECT_NEAR(std::abs(place.x), 4, 1e-9);
        EXPECT_NEAR(std::abs(place.y), 3, 1e-9);
    }
    EXPECT_NEAR(places[0].x, -4, 1e-9);
    EXPECT_NEAR(places[0].y, -3, 1e-9);
}

TEST(Places, FailsWithoutDistances) {
    EXPECT_TRUE(places_by_distance({}).empty());
    EXPECT_TRUE(places_by_distance(core::Grid<double>(1, 1, 0.0)).empty());
    EXPECT_TRUE(places_by_distance(core::Grid<double>(5, 5, 0.0)).empty());
    core::Grid<double> cut_off(2, 2, 0.0);
    cut_off(0, 1) = cut_off(1, 0) = std::numeric_limits<double>::infinity();
    EXPECT_TRUE(places_by_distance(cut_off).empty());
}

// A ring of four and a node apart; by hand.
TEST(Places, FindsShortestPaths) {
    const auto lengths = path_lengths(5, 5, {{0, 1, 1}, {1, 2, 2}, {2, 3, 3}, {3, 0, 10}});
    EXPECT_EQ(lengths(0, 2), 3);
    EXPECT_EQ(lengths(3, 0), 6);
    EXPECT_EQ(lengths(0, 0), 0);
    EXPECT_TRUE(std::isinf(lengths(0, 4)));
}

TEST(Places, PutsTransitNodesBetweenTheirNeighbours) {
    std::vector<Point> places{{0, 0}, {6, 0}, {}, {}, {}};
    place_between(places, 2, {{0, 2, 1}, {2, 3, 1}, {3, 1, 1}});
    EXPECT_NEAR(places[2].x, 2, 1e-9);
    EXPECT_NEAR(places[3].x, 4, 1e-9);
    EXPECT_EQ(places[4].x, 3);  // joined to nothing: in the middle
}

TEST(Places, MovesNeighboursApartInsideTheRoom) {
    core::Random random(11);
    for (int round = 0; round < 10; ++round) {
        std::vector<Point> points(40);
        for (std::size_t i = 0; i < points.size(); i += 2) {
            points[i] = {random.uniform(), random.uniform() / 10};  // every other one at (0, 0)
        }
        const auto places = fitted(points, {400, 280}, 30, 2);
        for (std::size_t i = 0; i < places.size(); ++i) {
            EXPECT_TRUE(places[i].x >= 0 && places[i].x <= 400);
            EXPECT_TRUE(places[i].y >= 0 && places[i].y <= 280);
            for (std::size_t j = 0; j < i; ++j) {
                EXPECT_GT(distance_of(places[i], places[j]), 15);
            }
        }
    }
    EXPECT_EQ(fitted({{7, 7}}, {100, 50}, 30, 1)[0].x, 50);
}

// Every point lies on the inner side of every edge, and corners are among the points.
TEST(Places, HullHoldsAllPoints) {
    core::Random random(2);
    std::vector<Point> points;
    for (int i = 0; i < 200; ++i) {
        points.push_back({std::floor(20 * random.uniform()), std::floor(20 * random.uniform())});
    }
    const auto hull = convex_hull(points);
    ASSERT_GE(hull.size(), 3U);
    for (std::size_t k = 0; k < hull.size(); ++k) {
        const Point a = hull[k];
        const Point b = hull[(k + 1) % hull.size()];
        for (const Point& p : points) {
            EXPECT_GE((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x), 0);
        }
    }
    EXPECT_EQ(convex_hull({{0, 0}, {1, 1}, {2, 2}}).size(), 2U);
}

}  // namespace
}  // namespace longhaul::report
