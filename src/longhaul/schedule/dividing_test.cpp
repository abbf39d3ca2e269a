#include "longhaul/schedule/detail/dividing.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/distinct.hpp"
#include "longhaul/schedule/detail/test_products.hpp"

namespace longhaul::schedule::detail {
namespace {

/// Disagreement between the sides after some rounds, multiplied out: all weights that the islands
/// of a side have of those of a side together.
double between_sides(const std::vector<const Round*>& product,
                     const Sides& sides,
                     const RoundTable& table) {
    const std::size_t n = table.n;
    std::vector<std::vector<double>> rows(n, std::vector<double>(n, 0));
    for (std::size_t i = 0; i < n; ++i) {
        rows[i][i] = 1;
    }
    for (const Round* round : product) {
        auto next = rows;
        for (const Clique clique : round->cliques) {
            std::vector<double> mean(n, 0);
            double mass = 0;
            for (const int member : members_of(clique)) {
                mass += table.share[slot(member)];
                for (std::size_t j = 0; j < n; ++j) {
                    mean[j] += table.share[slot(member)] * rows[slot(member)][j];
                }
            }
            for (const int member : members_of(clique)) {
                for (std::size_t j = 0; j < n; ++j) {
                    next[slot(member)][j] = mean[j] / mass;
                }
            }
        }
        rows = std::move(next);
    }
    const std::size_t count = count_sides(sides);
    std::vector<std::vector<double>> off(count, std::vector<double>(count, 0));
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            off[sides[i]][sides[j]] += table.share[i] * (rows[i][j] - table.share[j]);
        }
    }
    double error = 0;
    for (const std::vector<double>& of : off) {
        for (const double part : of) {
            error += std::abs(part);
        }
    }
    return error / table.start;
}

/// The least of that over all products of some length whose first and last rounds are coarsest.
double least_between_sides(std::size_t length,
                           const Sides& sides,
                           const std::vector<ListedRound>& rounds,
                           const RoundTable& table) {
    double least = INFINITY;
    std::vector<const Round*> product;
    const std::function<void()> extend = [&] {
        if (product.size() == length) {
            least = std::min(least, between_sides(product, sides, table));
            return;
        }
        const bool at_end = product.empty() || product.size() + 1 == length;
        for (std::size_t r = 0; r < rounds.size(); ++r) {
            if (!at_end || table.coarsest(r)) {
                product.push_back(&rounds[r].round);
                extend();
                product.pop_back();
            }
        }
    };
    extend();
    return least;
}

TEST(ProductFloors, OfSidesAreWhatTheBestProductsReach) {
    const std::vector<Sides> divisions = {
        {0, 0, 0, 1, 1, 1}, {0, 1, 0, 1, 0, 0}, {2, 0, 0, 1, 1, 0}, {0, 1, 2, 3, 3, 3}};
    for (const std::uint64_t seed : {11U, 12U}) {
        for (const bool equal : {true, false}) {
            const MixingOptions options = equal ? MixingOptions{} : unequal(6);
            auto rounds = some_rounds(6, 6, seed);
            const AllProducts all(rounds, 6, options);
            const RoundTable table(rounds, 6, options);
            for (const Sides& sides : divisions) {
                ProductFloors products(table, sides);
                for (std::size_t h = 2; h <= kLongest; ++h) {
                    double work = 1e9;
                    const double least = products.least(h, work, {});
                    const double true_least = least_between_sides(h, sides, rounds, table);
                    EXPECT_NEAR(least, std::max(0.0, true_least - kGrainsInError), 1e-5) << h;
                    EXPECT_LE(least, true_least);
                    EXPECT_LE(true_least, all.least[h] + 1e-9);
                }
            }
        }
    }
}

TEST(PromisingSides, AreTheGroupsThatOneExchangeJoins) {
    // Islands 0, 2, 4 and 1, 3, 5; only 2 and 3 meet across.
    const std::vector<ListedRound> rounds =
        rounds_of_pairs({{0, 2}, {0, 4}, {2, 4}, {1, 3}, {1, 5}, {3, 5}, {2, 3}}, 6);
    const RoundTable table(rounds, 6, {});
    double work = 1e8;
    const std::vector<Sides> chosen = promising_sides(table, work, {});
    ASSERT_EQ(chosen.size(), 4U);
    EXPECT_LT(work, 1e8);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
        EXPECT_EQ(count_sides(chosen[k]), 5 - k);
        for (std::size_t side = 0; side < 5 - k; ++side) {
            EXPECT_NE(std::ranges::find(chosen[k], side), chosen[k].end());
        }
    }
    const Sides& two = chosen.back();
    EXPECT_EQ(two[0], two[2]);
    EXPECT_EQ(two[0], two[4]);
    EXPECT_EQ(two[1], two[3]);
    EXPECT_EQ(two[1], two[5]);
    EXPECT_NE(two[0], two[1]);
    // What the sides say of long products is nearly all that there is.
    double enough = 1e9;
    const double all = ProductFloors(table, finest_sides(6)).least(6, enough, {});
    const double between = ProductFloors(table, chosen[2]).least(6, enough, {});
    EXPECT_LE(between, all + 1e-6);
    EXPECT_GT(between, 0.8 * all);
    double none = 0;
    EXPECT_EQ(promising_sides(table, none, {}).size(), 4U);
}

}  // namespace
}  // namespace longhaul::schedule::detail
