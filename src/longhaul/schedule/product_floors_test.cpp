#include "longhaul/schedule/detail/product_floors.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/distinct.hpp"
#include "longhaul/schedule/detail/error_floors.hpp"
#include "longhaul/schedule/detail/test_products.hpp"

namespace longhaul::schedule::detail {
namespace {

TEST(Distinct, FindsWhatIsThere) {
    Distinct distinct(2);
    std::vector<float> list;
    for (int k = 0; k < 3000; ++k) {
        list.insert(list.end(), {static_cast<float>(k) / 4096, 0.25F});
        EXPECT_EQ(distinct.keep_last(list), k);
    }
    for (int k = 0; k < 3000; ++k) {
        list.insert(list.end(), {static_cast<float>(k) / 4096 + kGrain / 8, 0.25F});
        EXPECT_EQ(distinct.keep_last(list), k);
        EXPECT_EQ(list.size(), 6000U);
    }
    list.insert(list.end(), {0.5F, 0.75F});
    EXPECT_EQ(distinct.keep_last(list), 3000U);
    distinct.forget_last(list);
    EXPECT_EQ(list.size(), 6000U);
    list.insert(list.end(), {0.5F, 0.75F});
    EXPECT_EQ(distinct.keep_last(list), 3000U);
}

// Products of all sequences of rounds, multiplied out, are the twin.
TEST(ProductFloors, AreWhatTheBestProductsReach) {
    for (const auto& [n, count, seed] :
         {std::tuple(4, 5, 1U), std::tuple(5, 6, 2U), std::tuple(6, 6, 3U), std::tuple(7, 5, 4U)}) {
        for (const bool equal : {true, false}) {
            const MixingOptions options = equal ? MixingOptions{} : unequal(n);
            auto rounds = some_rounds(n, static_cast<std::size_t>(count), seed);
            const AllProducts all(rounds, n, options);
            const RoundTable table(rounds, n, options);
            ProductFloors products(table, finest_sides(slot(n)));
            for (std::size_t h = 2; h <= kLongest; ++h) {
                double work = 1e9;
                const double least = products.least(h, work, {});
                EXPECT_NEAR(least, std::max(0.0, all.least[h] - kGrainsInError), 1e-5)
                    << n << " islands, " << h << " rounds";
                EXPECT_LE(least, all.least[h]);
                EXPECT_LT(work, 1e9);
            }
            double little = 10;
            EXPECT_EQ(ProductFloors(table, finest_sides(slot(n))).least(4, little, {}), 0);
            double enough = 1e9;
            EXPECT_EQ(
                ProductFloors(table, finest_sides(slot(n))).least(4, enough, [] { return true; }),
                0);
        }
    }
}

TEST(ErrorFloors, AreBelowAllProducts) {
    for (const std::uint64_t seed : {5U, 6U, 7U}) {
        for (const bool equal : {true, false}) {
            const MixingOptions options = equal ? MixingOptions{} : unequal(5);
            auto rounds = some_rounds(5, 6, seed);
            const AllProducts all(rounds, 5, options);
            const RoundTable table(rounds, 5, options);
            const SetErrors errors(5, options);
            ErrorFloors floors(table, errors, 1);
            EXPECT_NEAR(floors.of(1), all.least[1], 1e-9);
            EXPECT_NEAR(floors.of(2), all.least[2], 1e-9);
            const double before = floors.after(2);
            floors.look_at_rows(table, 1e5);
            EXPECT_GE(floors.after(2), before);
            for (std::size_t h = 1; h <= kLongest; ++h) {
                EXPECT_LE(floors.of(h), all.least[h] + 1e-9) << h;
            }
            // What is known of more rounds than these holds for these.
            const RoundTable fewer(std::span<const ListedRound>(rounds).first(4), 5, options);
            const ErrorFloors of_fewer(fewer, errors, 1, &floors);
            EXPECT_GE(of_fewer.of(2), all.least[2] - 1e-9);
            floors.raise(3, all.least[3]);
            EXPECT_NEAR(floors.of(3), all.least[3], 1e-9);
        }
    }
}

}  // namespace
}  // namespace longhaul::schedule::detail
