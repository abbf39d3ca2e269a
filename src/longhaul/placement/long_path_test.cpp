#include "longhaul/placement/long_path.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "longhaul/placement/instances.hpp"

namespace longhaul::placement {
namespace {

constexpr std::uint32_t kTieLevels[] = {0, 3, 10};

double length_of(const core::Grid<double>& edges, const std::vector<int>& order) {
    double length = 0;
    for (std::size_t i = 1; i < order.size(); ++i) {
        length += edges(order[i - 1], order[i]);
    }
    return length;
}

void expect_permutation(const std::vector<int>& order, std::size_t n) {
    std::vector<int> sorted = order;
    std::ranges::sort(sorted);
    std::vector<int> all(n);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(sorted, all);
}

// Up to 8 stages exact, as Held-Karp says; above never longer than the order that was given, and of
// no more than the optimum on a line of points, where the given order has two stretches turned.
TEST(LongPath, BetteredPathsStartFromTheGivenOrder) {
    for (int i = 0; i < 200; ++i) {
        core::Random random(12, static_cast<std::uint64_t>(i));
        const std::size_t p = 1 + random.index(24);
        const auto edges = random_costs(p, kTieLevels[i % 3], i % 2 == 1, random);
        std::vector<int> given(p);
        std::iota(given.begin(), given.end(), 0);
        const Path path = bettered_path(edges);
        expect_permutation(path.order, p);
        EXPECT_NEAR(path.length, length_of(edges, path.order), 1e-12 * (1 + path.length));
        EXPECT_LE(path.length, length_of(edges, given));
        if (p <= 8) {
            EXPECT_NEAR(path.length, held_karp(edges).length, 1e-9) << "instance " << i;
        }
    }
    std::vector<int> at(20);
    std::iota(at.begin(), at.end(), 0);
    std::reverse(at.begin() + 3, at.begin() + 9);
    std::reverse(at.begin() + 12, at.begin() + 17);
    core::Grid<double> line(20, 20, 0.0);
    for (std::size_t a = 0; a < 20; ++a) {
        for (std::size_t b = 0; b < 20; ++b) {
            line(a, b) = std::abs(at[a] - at[b]);
        }
    }
    EXPECT_DOUBLE_EQ(bettered_path(line).length, 19);  // from one end of the line to the other
}

// Held-Karp is exact; the instances hold ties and equal rows.
TEST(LongPath, LocalSearchFindsTheOptimumUpToSixteenStages) {
    for (int i = 0; i < 300; ++i) {
        core::Random random(11, static_cast<std::uint64_t>(i));
        const std::size_t p = i < 290 ? 1 + random.index(12) : 16;
        const auto edges = random_costs(p, kTieLevels[i % 3], i % 2 == 1, random);
        const Path path = local_path(edges, {});
        expect_permutation(path.order, p);
        EXPECT_NEAR(path.length, length_of(edges, path.order), 1e-12 * (1 + path.length));
        EXPECT_NEAR(path.length, held_karp(edges).length, 1e-9) << "instance " << i;
    }
}

TEST(LongPath, BoundNeverExceedsTheOptimumAndBranchingMeetsIt) {
    int proved = 0;
    for (int i = 0; i < 120; ++i) {
        core::Random random(12, static_cast<std::uint64_t>(i));
        const auto edges = random_costs(3 + random.index(8), kTieLevels[i % 3], i % 2 == 1, random);
        const double optimum = held_karp(edges).length;
        EXPECT_LE(bounded_path(edges, {}).bound, optimum * (1 + 1e-9)) << "instance " << i;
        const BoundedPath branched = bounded_path(edges, {0, 300, 7});
        EXPECT_NEAR(branched.path.length, optimum, 1e-9);
        EXPECT_LE(branched.bound, optimum * (1 + 1e-9));
        proved += branched.optimal ? 1 : 0;
    }
    EXPECT_GE(proved, 90);  // of 120; ties leave one-tree bounds short of integers
}

// A line of points: the shortest path visits them in order, its length is the distance of the ends.
TEST(LongPath, SolvesALineOfAHundredPoints) {
    constexpr std::size_t kPoints = 100;
    std::vector<double> at(kPoints);
    std::iota(at.begin(), at.end(), 0.0);
    core::Random random(13);
    random.shuffle(std::span<double>(at));
    core::Grid<double> edges(kPoints, kPoints, 0.0);
    for (std::size_t i = 0; i < kPoints; ++i) {
        for (std::size_t j = 0; j < kPoints; ++j) {
            edges(i, j) = std::abs(at[i] - at[j]);
        }
    }
    const BoundedPath path = bounded_path(edges, {0, 100, 7});
    EXPECT_NEAR(path.path.length, 99, 1e-9);
    EXPECT_TRUE(path.optimal);
}

TEST(LongPath, SmallestSizes) {
    EXPECT_EQ(bounded_path(core::Grid<double>(1, 1, 0.0), {}).path.order, std::vector<int>({0}));
    core::Grid<double> two(2, 2, 0.0);
    two(0, 1) = two(1, 0) = 3;
    EXPECT_EQ(bounded_path(two, {}).path.length, 3);
    EXPECT_TRUE(bounded_path(two, {}).optimal);
}

TEST(LongPath, EqualSeedsGiveEqualPaths) {
    core::Random random(14);
    const auto edges = random_costs(40, 0, false, random);
    EXPECT_EQ(local_path(edges, {}).order, local_path(edges, {}).order);
}

}  // namespace
}  // namespace longhaul::placement
