#include "longhaul/placement/path.hpp"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "longhaul/placement/brute_force.hpp"
#include "longhaul/placement/detail/test_support.hpp"

namespace longhaul::placement {
namespace {

double length_along(const core::Grid<double>& edges, const std::vector<int>& order) {
    double length = 0;
    for (std::size_t i = 1; i < order.size(); ++i) {
        length += edges(static_cast<std::size_t>(order[i - 1]), static_cast<std::size_t>(order[i]));
    }
    return length;
}

TEST(HeldKarp, EqualsBruteForce) {
    for (int i = 0; i < 600; ++i) {
        testing::Instance instance(1, i);
        const std::size_t n = 1 + instance.random.index(8);
        const core::Grid<double> edges =
            random_costs(n, instance.levels, instance.equal_rows, instance.random);
        const Path path = held_karp(edges);
        ASSERT_NEAR(path.length, brute_force_path(edges), 1e-12 * static_cast<double>(n)) << i;
        ASSERT_NEAR(length_along(edges, path.order), path.length, 1e-12 * static_cast<double>(n));
        std::vector<int> sorted = path.order;
        std::ranges::sort(sorted);
        ASSERT_EQ(sorted, testing::counted(n)) << i;
        ASSERT_LE(path.order.front(), path.order.back());
    }
}

TEST(HeldKarp, SolvesPathsWhoseLengthIsKnown) {
    // Points 0 .. 15 on a line, numbered at random: the path along the line has length 15, and none
    // is shorter since every gap must be crossed.
    core::Random random(3);
    const std::vector<int> place = testing::shuffled(16, random);
    core::Grid<double> edges(16, 16);
    for (std::size_t i = 0; i < 16; ++i) {
        for (std::size_t j = 0; j < 16; ++j) {
            edges(i, j) = std::abs(place[i] - place[j]);
        }
    }
    const Path path = shortest_path(edges).value();
    EXPECT_EQ(path.length, 15);
    for (std::size_t i = 1; i < 16; ++i) {
        EXPECT_EQ(std::abs(place[static_cast<std::size_t>(path.order[i])] -
                           place[static_cast<std::size_t>(path.order[i - 1])]),
                  1);
    }
    // All edges equal: 15 of them, read in index order.
    const Path flat = shortest_path(core::Grid<double>(16, 16, 2.0)).value();
    EXPECT_EQ(flat.length, 30);
}

/// Geographical distance of TSPLIB in km: coordinates are degrees.minutes.
double geo_distance(const std::array<double, 2>& a, const std::array<double, 2>& b) {
    const auto radians = [](double x) {
        const double degrees = std::trunc(x);
        return 3.141592 * (degrees + 5.0 * (x - degrees) / 3.0) / 180.0;
    };
    const double q1 = std::cos(radians(a[1]) - radians(b[1]));
    const double q2 = std::cos(radians(a[0]) - radians(b[0]));
    const double q3 = std::cos(radians(a[0]) + radians(b[0]));
    return std::trunc(6378.388 * std::acos(0.5 * ((1 + q1) * q2 - (1 - q1) * q3)) + 1.0);
}

TEST(HeldKarp, SolvesBurma14OfTsplib) {
    // Shortest tour 3323, published with TSPLIB (Reinelt, 1991). A tour is a path between two
    // copies of one node: a toll on their edges keeps each of them at an end.
    const std::vector<std::array<double, 2>> place{{16.47, 96.10},
                                                   {16.47, 94.44},
                                                   {20.09, 92.54},
                                                   {22.39, 93.37},
                                                   {25.23, 97.24},
                                                   {22.00, 96.05},
                                                   {20.47, 97.02},
                                                   {17.20, 96.29},
                                                   {16.30, 97.38},
                                                   {14.05, 98.12},
                                                   {16.53, 97.38},
                                                   {21.52, 95.59},
                                                   {19.41, 97.13},
                                                   {20.09, 94.55},
                                                   {16.47, 96.10}};
    constexpr double kToll = 100'000;
    core::Grid<double> edges(15, 15, 0.0);
    for (std::size_t i = 0; i < 15; ++i) {
        for (std::size_t j = 0; j < 15; ++j) {
            const double tolls = (i % 14 == 0 ? kToll : 0) + (j % 14 == 0 ? kToll : 0);
            edges(i, j) = i == j ? 0 : geo_distance(place[i], place[j]) + tolls;
        }
    }
    const Path path = held_karp(edges);
    EXPECT_EQ(path.length, 3323 + 2 * kToll);
    EXPECT_EQ(path.order.front(), 0);
    EXPECT_EQ(path.order.back(), 14);
}

TEST(HeldKarp, RefusesSeventeenNodesAndSaysWhatToDo) {
    const auto path = shortest_path(core::Grid<double>(17, 17, 0.0));
    ASSERT_FALSE(path);
    EXPECT_EQ(path.error().front().what,
              "17 stages, and the exact path over stages is limited to 16");
    EXPECT_EQ(path.error().front().fix,
              "use at most 16 stages: fewer and larger stages (lower pp, higher dp)");
}

}  // namespace
}  // namespace longhaul::placement
