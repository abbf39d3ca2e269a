#include "longhaul/schedule/detail/start_bounds.hpp"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/product_floors.hpp"
#include "longhaul/schedule/detail/test_products.hpp"

namespace longhaul::schedule::detail {
namespace {

/// The sum over each way, as far as products are known, never passes the bound.
void follow(const StartBounds& starts, const std::vector<ListedRound>& rounds, FastMixing& mixing) {
    std::vector<const Round*> product;
    const std::function<void(StartBounds::Product, double, double)> on =
        [&](StartBounds::Product before, double sum, double bound) {
            if (before.known()) {
                bound = std::max(bound, sum + starts.left(before));
            }
            if (product.size() == kLongest) {
                EXPECT_LE(bound, sum + 2e-4);
                return;
            }
            for (std::size_t r = 0; r < rounds.size(); ++r) {
                product.push_back(&rounds[r].round);
                const double error = mixing.error_after(product);
                StartBounds::Product next;
                if (starts.looked_behind(before)) {
                    next = starts.after(before, r);
                    const double left = next.known() ? starts.left(next) : starts.cap();
                    EXPECT_LE(starts.left(before), error + left + 2e-4);
                }
                on(next, sum + error, bound);
                product.pop_back();
            }
        };
    on(StartBounds::kNoRound, 0, 0);
}

TEST(StartBounds, AreBelowAllSequences) {
    for (const auto& [n, count, seed] :
         {std::tuple(4, 4, 8U), std::tuple(5, 6, 9U), std::tuple(6, 5, 10U)}) {
        for (const bool equal : {true, false}) {
            const MixingOptions options = equal ? MixingOptions{} : unequal(n);
            auto rounds = some_rounds(n, static_cast<std::size_t>(count), seed);
            const AllProducts all(rounds, n, options);
            const RoundTable table(rounds, n, options);
            // Floors of the first rounds only, so that what comes later counts nothing.
            std::vector<double> floors(kLongest + 1, 0);
            floors[1] = all.least[1];
            floors[2] = all.least[2];
            StartBounds starts(table, finest_sides(slot(n)), floors, 1);
            EXPECT_NEAR(starts.least(), all.least[1] + all.least[2], 2e-4);
            double before = starts.least();
            for (const double cap : {0.9 * all.least_sum, 2 * all.least_sum}) {
                double work = 1e7;
                starts.look(cap, work, {});
                EXPECT_GT(work, 0);
                EXPECT_GE(starts.least(), std::min(cap, all.least_of_four) - 2e-4);
                EXPECT_LE(starts.least(), all.least_sum + 1e-6);
                EXPECT_GE(starts.least(), before - 1e-6);
                before = starts.least();
            }
            FastMixing mixing(n, options);
            std::vector<const Round*> product;
            follow(starts, rounds, mixing);
            // Products of more rounds at once: the same, with fewer products looked behind.
            std::vector<LaterProducts> later;
            ProductFloors lists(table, finest_sides(slot(n)));
            for (const std::size_t length : {1U, 2U, 3U}) {
                double enough = 1e9;
                later.push_back(lists.later(length, 1'000'000, enough, {}).value());
            }
            for (const double cap : {0.9 * all.least_sum, 2 * all.least_sum}) {
                StartBounds ahead(table, finest_sides(slot(n)), floors, 1);
                ahead.look_ahead_with(later);
                double work = 1e7;
                ahead.look(cap, work, {});
                EXPECT_GT(work, 0);
                EXPECT_LE(ahead.least(), all.least_sum + 1e-6);
                EXPECT_GE(ahead.least(), std::min(cap, all.least_of_four) - 2e-4);
                follow(ahead, rounds, mixing);
            }
            // Islands that are as one, and all products without a cap.
            Sides sides(slot(n), 0);
            sides[0] = 1;
            sides[1] = 2;
            StartBounds merged(table, sides, floors, 1);
            double much = 1e7;
            merged.look_at_all(much, {});
            EXPECT_GT(much, 0);
            EXPECT_LE(merged.least(), all.least_sum + 1e-6);
            EXPECT_GE(merged.least(), all.least[1] + all.least[2] - 2e-4);
            const std::function<void(StartBounds::Product, double)> follow_merged =
                [&](StartBounds::Product from, double sum) {
                    if (product.size() == kLongest - 1) {
                        return;
                    }
                    EXPECT_TRUE(merged.looked_behind(from) || product.size() + 2 >= floors.size());
                    for (std::size_t r = 0; r < rounds.size(); ++r) {
                        product.push_back(&rounds[r].round);
                        const double error = mixing.error_after(product);
                        StartBounds::Product next;
                        if (merged.looked_behind(from)) {
                            next = merged.after(from, r);
                            ASSERT_TRUE(next.known());
                            EXPECT_LE(merged.left(from), error + merged.left(next) + 2e-4);
                        }
                        follow_merged(next, sum + error);
                        product.pop_back();
                    }
                };
            follow_merged(StartBounds::kNoRound, 0);
            // Little work: still below.
            StartBounds few(table, finest_sides(slot(n)), floors, 1);
            double work = 3;
            few.look(all.least_sum, work, {});
            EXPECT_LE(work, 0);
            EXPECT_LE(few.least(), all.least_sum + 1e-6);
        }
    }
}

// Cycles, a path with two leaves, two triangles: products that are equal but for the names of
// islands are looked at once, and each sequence still finds its own.
TEST(StartBounds, LookAtSymmetricProductsOnce) {
    using Pairs = std::vector<std::pair<int, int>>;
    for (const auto& [n, pairs] : {std::pair(5, Pairs{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 4}}),
                                   std::pair(6, Pairs{{0, 1}, {1, 2}, {2, 3}, {2, 4}, {0, 5}}),
                                   std::pair(6, Pairs{{0, 1}, {1, 2}, {0, 2}, {3, 4}, {0, 3}})}) {
        auto rounds = rounds_of_pairs(pairs, n);
        const AllProducts all(rounds, n, {});
        const RoundTable table(rounds, n, {});
        const Symmetries symmetries(table);
        ASSERT_GT(symmetries.size(), 1U);
        std::vector<double> floors(kLongest + 1, 0);
        floors[1] = all.least[1];
        floors[2] = all.least[2];
        for (const double cap : {0.95 * all.least_sum, 1.2 * all.least_sum}) {
            const double much = 1e7;
            double apart = much;
            StartBounds each(table, finest_sides(slot(n)), floors, 1);
            each.look(cap, apart, {});
            double work = much;
            StartBounds once(table, finest_sides(slot(n)), floors, 1);
            once.merge_with(symmetries);
            once.look(cap, work, {});
            EXPECT_GT(apart, 0);
            EXPECT_LT(much - work, 0.8 * (much - apart));
            EXPECT_LE(once.least(), all.least_sum + 1e-6);
            EXPECT_GE(once.least(), std::min(cap, all.least_of_four) - 2e-4);
            EXPECT_NEAR(once.least(), each.least(), 2e-4);
            FastMixing mixing(n, {});
            follow(once, rounds, mixing);
        }
    }
}

}  // namespace
}  // namespace longhaul::schedule::detail
