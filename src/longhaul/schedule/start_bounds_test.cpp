#include "longhaul/schedule/detail/start_bounds.hpp"

#include <algorithm>
#include <functional>
#include <tuple>
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
    const std::function<void(StartBounds::Node, double, double)> on =
        [&](StartBounds::Node node, double sum, double bound) {
            if (node != StartBounds::kUnknown) {
                bound = std::max(bound, sum + starts.left(node));
            }
            if (product.size() == kLongest) {
                EXPECT_LE(bound, sum + 2e-4);
                return;
            }
            for (std::size_t r = 0; r < rounds.size(); ++r) {
                product.push_back(&rounds[r].round);
                const double error = mixing.error_after(product);
                StartBounds::Node next = StartBounds::kUnknown;
                if (starts.looked_behind(node)) {
                    next = starts.after(node, r);
                    const double left =
                        next == StartBounds::kUnknown ? starts.cap() : starts.left(next);
                    EXPECT_LE(starts.left(node), error + left + 2e-4);
                }
                on(next, sum + error, bound);
                product.pop_back();
            }
        };
    on(StartBounds::kRoot, 0, 0);
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
                later.push_back(lists.later(length, enough, {}).value());
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
            const std::function<void(StartBounds::Node, double)> follow_merged =
                [&](StartBounds::Node node, double sum) {
                    if (product.size() == kLongest - 1) {
                        return;
                    }
                    EXPECT_TRUE(merged.looked_behind(node) || product.size() + 2 >= floors.size());
                    for (std::size_t r = 0; r < rounds.size(); ++r) {
                        product.push_back(&rounds[r].round);
                        const double error = mixing.error_after(product);
                        StartBounds::Node next = StartBounds::kUnknown;
                        if (merged.looked_behind(node)) {
                            next = merged.after(node, r);
                            ASSERT_NE(next, StartBounds::kUnknown);
                            EXPECT_LE(merged.left(node), error + merged.left(next) + 2e-4);
                        }
                        follow_merged(next, sum + error);
                        product.pop_back();
                    }
                };
            follow_merged(StartBounds::kRoot, 0);
            // Little work: still below.
            StartBounds few(table, finest_sides(slot(n)), floors, 1);
            double work = 3;
            few.look(all.least_sum, work, {});
            EXPECT_LE(work, 0);
            EXPECT_LE(few.least(), all.least_sum + 1e-6);
        }
    }
}

}  // namespace
}  // namespace longhaul::schedule::detail
