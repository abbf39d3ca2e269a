#include "longhaul/placement/pair_limits.hpp"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "longhaul/placement/detail/test_support.hpp"

namespace longhaul::placement {
namespace {

/// Least bottleneck of `pairs` disjoint pairs, by trying every pair or none for the first device.
double brute_pairs(const core::Grid<double>& costs,
                   std::vector<int> from,
                   std::vector<int> to,
                   int pairs,
                   bool same) {
    if (pairs == 0) {
        return 0;
    }
    if (from.empty()) {
        return std::numeric_limits<double>::infinity();
    }
    const int device = from.back();
    from.pop_back();
    std::erase(to, same ? device : -1);
    double best = brute_pairs(costs, from, to, pairs, same);
    for (const int other : to) {
        std::vector<int> rest_from = from;
        std::vector<int> rest_to = to;
        std::erase(rest_to, other);
        std::erase(rest_from, same ? other : -1);
        best = std::min(best,
                        std::max(costs(device, other),
                                 brute_pairs(costs, rest_from, rest_to, pairs - 1, same)));
    }
    return best;
}

TEST(PairLimits, PricesBetweenSetsAreThoseOfAllMatchings) {
    for (int i = 0; i < 200; ++i) {
        testing::Instance instance(60, i);
        const std::size_t n = 2 + i % 6;
        const core::Grid<double> costs =
            random_costs(n, instance.levels, instance.equal_rows, instance.random);
        const std::vector<int> all = testing::counted(n);
        const std::size_t cut = 1 + instance.random.index(n - 1);
        const std::vector<int> a(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(cut));
        const std::vector<int> b(all.begin() + static_cast<std::ptrdiff_t>(cut), all.end());
        const std::vector<double> prices = pair_prices(costs, a, b, n);
        ASSERT_EQ(prices.size(), std::min(a.size(), b.size()));
        for (std::size_t u = 0; u < prices.size(); ++u) {
            ASSERT_EQ(prices[u], brute_pairs(costs, a, b, static_cast<int>(u) + 1, false)) << i;
        }
    }
}

TEST(PairLimits, PricesInsideASetAreNeverAboveThoseOfAllMatchings) {
    int met = 0;
    int all_met = 0;
    for (int i = 0; i < 200; ++i) {
        testing::Instance instance(61, i);
        const std::size_t n = 1 + i % 7;
        const core::Grid<double> costs =
            random_costs(n, instance.levels, instance.equal_rows, instance.random);
        const std::vector<int> all = testing::counted(n);
        const std::vector<double> prices = inner_pair_prices(costs, all, n);
        ASSERT_EQ(prices.size(), n / 2);
        for (std::size_t u = 0; u < prices.size(); ++u) {
            const double exact = brute_pairs(costs, all, all, static_cast<int>(u) + 1, true);
            ASSERT_LE(prices[u], exact) << i;
            met += prices[u] == exact ? 1 : 0;
            ++all_met;
        }
    }
    EXPECT_GT(met, all_met / 2);  // fractional matchings differ by odd cycles alone
}

/// Fewest paths by trying every order of the nodes and cutting where a pair is not open.
int brute_paths(const core::Grid<double>& costs, double threshold) {
    std::vector<int> order = testing::counted(costs.rows());
    int fewest = static_cast<int>(order.size());
    do {
        int paths = 1;
        for (std::size_t i = 1; i < order.size(); ++i) {
            paths += costs(order[i - 1], order[i]) <= threshold ? 0 : 1;
        }
        fewest = std::min(fewest, paths);
    } while (std::ranges::next_permutation(order).found);
    return fewest;
}

TEST(PairLimits, FewPathsAreCountedExactly) {
    for (int i = 0; i < 150; ++i) {
        testing::Instance instance(62, i);
        const std::size_t n = 1 + i % 7;
        const core::Grid<double> costs = random_costs(n, 5, instance.equal_rows, instance.random);
        const double threshold = 1.0 + instance.random.below(3);
        ASSERT_EQ(
            fewest_paths(n, [&](std::size_t a, std::size_t b) { return costs(a, b) <= threshold; }),
            brute_paths(costs, threshold))
            << i;
    }
}

/// A graph of 11 nodes and more that is put together of parts: the exact number of paths of the
/// whole is the sum over the parts, which are small enough to count exactly.
TEST(PairLimits, ManyNodesHaveABoundOfTheirPaths) {
    int met = 0;
    for (int i = 0; i < 150; ++i) {
        testing::Instance instance(63, i);
        const std::size_t parts = 2 + i % 3;
        const std::size_t size = 6;
        const core::Grid<double> costs =
            random_costs(parts * size, 5, instance.equal_rows, instance.random);
        const double threshold = 1.0 + instance.random.below(2);
        const auto open = [&](std::size_t a, std::size_t b) {
            return a / size == b / size && costs(a, b) <= threshold;
        };
        int exact = 0;
        for (std::size_t p = 0; p < parts; ++p) {
            exact += fewest_paths(size, [&](std::size_t a, std::size_t b) {
                return open(p * size + a, p * size + b);
            });
        }
        const int bound = fewest_paths(parts * size, open);
        ASSERT_LE(bound, exact) << i;
        ASSERT_GE(bound, static_cast<int>(parts));
        met += bound == exact ? 1 : 0;
    }
    EXPECT_GT(met, 50);
}

// A star of 12 leaves: one path holds two of them and the centre, every other leaf is alone.
TEST(PairLimits, AStarNeedsAPathForAllButTwoLeaves) {
    EXPECT_EQ(fewest_paths(13, [](std::size_t a, std::size_t b) { return a == 0 || b == 0; }), 11);
}

}  // namespace
}  // namespace longhaul::placement
