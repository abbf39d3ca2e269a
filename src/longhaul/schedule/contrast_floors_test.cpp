#include "longhaul/schedule/detail/contrast_floors.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/contrasting.hpp"
#include "longhaul/schedule/detail/test_products.hpp"

namespace longhaul::schedule::detail {
namespace {

/// What a round makes of a number for each island.
std::vector<double> after(const std::vector<double>& numbers,
                          const Round& round,
                          const RoundTable& table) {
    std::vector<double> next = numbers;
    for (const Clique clique : round.cliques) {
        double sum = 0;
        double mass = 0;
        for (const int member : members_of(clique)) {
            sum += table.share[slot(member)] * numbers[slot(member)];
            mass += table.share[slot(member)];
        }
        for (const int member : members_of(clique)) {
            next[slot(member)] = sum / mass;
        }
    }
    return next;
}

/// c' D P c less the square of the mean, as part of the disagreement before any round.
double left_of(const Contrast& contrast,
               const std::vector<double>& numbers,
               const RoundTable& table) {
    double left = 0;
    double mean = 0;
    for (std::size_t i = 0; i < table.n; ++i) {
        left += table.share[i] * contrast[i] * numbers[i];
        mean += table.share[i] * contrast[i];
    }
    return (left - mean * mean) / table.start;
}

/// The least of that over all sequences of rounds, by length.
std::vector<double> least_left(const Contrast& contrast,
                               const std::vector<ListedRound>& rounds,
                               const RoundTable& table) {
    std::vector<double> least(kLongest + 1, INFINITY);
    const std::function<void(std::size_t, const std::vector<double>&)> extend =
        [&](std::size_t length, const std::vector<double>& numbers) {
            least[length] = std::min(least[length], left_of(contrast, numbers, table));
            for (std::size_t r = 0; r < rounds.size() && length < kLongest; ++r) {
                extend(length + 1, after(numbers, rounds[r].round, table));
            }
        };
    extend(0, {contrast.begin(), contrast.end()});
    return least;
}

// All products multiplied out are the twin, both for what is left of the contrast and for the
// disagreement that it bounds.
TEST(ContrastFloors, AreWhatTheBestProductsLeave) {
    const std::vector<Contrast> contrasts = {
        {1, 1, -1, -1, 0, 0}, {1, -1, -1, -1, -1, -1}, {1, 0, 0, 0, 0, -1}, {1, 1, 1, 0, -1, -1}};
    int positive = 0;
    for (const std::uint64_t seed : {21U, 22U}) {
        for (const bool equal : {true, false}) {
            const MixingOptions options = equal ? MixingOptions{} : unequal(6);
            auto rounds = some_rounds(6, 6, seed);
            const AllProducts all(rounds, 6, options);
            const RoundTable table(rounds, 6, options);
            const Twins twins = find_twins(table);
            for (const Contrast& contrast : contrasts) {
                const std::vector<double> left = least_left(contrast, rounds, table);
                ContrastFloors floors(table, twins, contrast);
                for (std::size_t h = 1; h <= kLongest; ++h) {
                    double work = 1e9;
                    const double least = floors.least(h, work, {});
                    EXPECT_LT(work, 1e9);
                    EXPECT_LE(least, std::max(0.0, left[h]));
                    EXPECT_GE(least, left[h] - 0.005);
                    EXPECT_LE(left[h], all.least[h] + 1e-9);
                    positive += least > 0.05 ? 1 : 0;
                }
            }
        }
    }
    EXPECT_GT(positive, 5);
}

/// Two groups of three that may pair as they like, and one pair between them.
const std::vector<std::pair<int, int>> kGroups = {
    {0, 2}, {0, 4}, {2, 4}, {1, 3}, {1, 5}, {3, 5}, {2, 3}};

TEST(Twins, AreIslandsThatCanChangePlaces) {
    const std::vector<ListedRound> rounds = rounds_of_pairs(kGroups, 6);
    // 0 and 4 pair with the same; 1 and 5, too. 2 and 3 only together with all others.
    EXPECT_EQ(find_twins(RoundTable(rounds, 6, {})), (Twins{0, 1, 2, 3, 0, 1}));
    EXPECT_EQ(find_twins(RoundTable(rounds, 6, unequal(6))), (Twins{0, 1, 2, 3, 4, 5}));
    MixingOptions one;
    one.target = {1, 1, 1, 1, 2, 1};
    EXPECT_EQ(find_twins(RoundTable(rounds, 6, one)), (Twins{0, 1, 2, 3, 4, 1}));
    // Any two of a complete graph.
    std::vector<std::pair<int, int>> pairs;
    for (int a = 0; a < 5; ++a) {
        for (int b = a + 1; b < 5; ++b) {
            pairs.emplace_back(a, b);
        }
    }
    EXPECT_EQ(find_twins(RoundTable(rounds_of_pairs(pairs, 5), 5, {})), (Twins{0, 0, 0, 0, 0}));
}

// Numbers of twins in order: nothing is lost.
TEST(ContrastFloors, OfTwinsAreThoseOfAllIslands) {
    auto rounds = rounds_of_pairs(kGroups, 6);
    const RoundTable table(rounds, 6, {});
    for (const Contrast& contrast : {Contrast{1, -1, 1, -1, 1, -1},
                                     Contrast{1, -1, 0, 0, 1, -1},
                                     Contrast{1, -1, 0, 0, 0, -1}}) {
        ContrastFloors with(table, find_twins(table), contrast);
        ContrastFloors without(table, finest_sides(6), contrast);
        for (std::size_t h = 1; h <= 10; ++h) {
            double work = 1e10;
            const double least = with.least(h, work, {});
            EXPECT_NEAR(least, without.least(h, work, {}), 0.004) << h;
            EXPECT_GT(least, 0) << h;
        }
    }
}

// Many points: corners farther apart, at a higher price. What some sequences leave is the twin.
TEST(ContrastFloors, OfLongProductsAreBelowWhatSequencesLeave) {
    core::Random random(5, 704);
    std::vector<std::pair<int, int>> pairs;
    for (int a = 0; a < 4; ++a) {
        for (int b = a + 1; b < 4; ++b) {
            pairs.emplace_back(a, b);
            if (b < 3) {
                pairs.emplace_back(a + 4, b + 4);
            }
        }
    }
    pairs.emplace_back(3, 4);
    const auto rounds = rounds_of_pairs(pairs, 7);
    const MixingOptions options = unequal(7);
    const RoundTable table(rounds, 7, options);
    const Contrast contrast = {1, 1, 1, 1, -1, -1, -1};
    ContrastFloors floors(table, find_twins(table), contrast);
    std::vector<double> least(14, 0);
    for (std::size_t h = 1; h < least.size(); ++h) {
        double work = 2e10;
        least[h] = floors.least(h, work, {});
        EXPECT_GT(least[h], 0.02) << h;
        EXPECT_LE(least[h], least[h - 1] + (h == 1 ? 1 : 1e-4)) << h;
    }
    for (int trial = 0; trial < 300; ++trial) {
        // Mostly the best of some rounds.
        std::vector<double> numbers(contrast.begin(), contrast.end());
        for (std::size_t h = 1; h < least.size(); ++h) {
            std::vector<double> best;
            for (int choice = 0; choice < 1 + trial % 40; ++choice) {
                std::vector<double> next =
                    after(numbers, rounds[random.index(rounds.size())].round, table);
                if (best.empty() ||
                    left_of(contrast, next, table) < left_of(contrast, best, table)) {
                    best = std::move(next);
                }
            }
            numbers = std::move(best);
            EXPECT_LE(least[h], left_of(contrast, numbers, table) + 1e-6) << h;
        }
    }
}

TEST(ContrastFloors, SayNothingWithoutWork) {
    const auto rounds = rounds_of_pairs(kGroups, 6);
    const RoundTable table(rounds, 6, {});
    ContrastFloors floors(table, find_twins(table), {1, -1, 1, -1, 1, -1});
    double none = 0;
    EXPECT_EQ(floors.least(4, none, {}), 0);
    double enough = 1e9;
    EXPECT_EQ(floors.least(4, enough, [] { return true; }), 0);
    EXPECT_GT(floors.least(4, enough, {}), 0);
}

TEST(PromisingContrasts, AreBetweenGroupsThatOneExchangeJoins) {
    const auto rounds = rounds_of_pairs(kGroups, 6);
    const RoundTable table(rounds, 6, {});
    double work = 1e9;
    const std::vector<Contrast> chosen = promising_contrasts(table, find_twins(table), 3, work, {});
    EXPECT_LT(work, 1e9);
    ASSERT_EQ(chosen.size(), 3U);
    // Islands far from the other group on different sides.
    EXPECT_EQ(chosen[0][0], chosen[0][4]);
    EXPECT_EQ(chosen[0][1], chosen[0][5]);
    EXPECT_EQ(chosen[0][0], -chosen[0][1]);
    // Better than what the cut says, or the same.
    double enough = 1e9;
    const double best = ContrastFloors(table, find_twins(table), chosen[0]).least(6, enough, {});
    const double cut =
        ContrastFloors(table, find_twins(table), {1, -1, 1, -1, 1, -1}).least(6, enough, {});
    EXPECT_GE(best, cut);
    EXPECT_GT(cut, 0.05);
    double none = 0;
    EXPECT_TRUE(promising_contrasts(table, find_twins(table), 3, none, {}).size() <= 3);
}

}  // namespace
}  // namespace longhaul::schedule::detail
