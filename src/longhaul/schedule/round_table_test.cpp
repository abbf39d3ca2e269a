#include "longhaul/schedule/detail/round_table.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "longhaul/schedule/detail/test_products.hpp"

namespace longhaul::schedule::detail {
namespace {

bool holds(const Round& round, const Round& finer) {
    return std::ranges::all_of(finer.cliques, [&](Clique part) {
        return std::ranges::any_of(round.cliques,
                                   [&](Clique clique) { return (part & ~clique) == 0; });
    });
}

// Matchings of a graph: those to which no pair can be added are coarsest.
TEST(RoundTable, KnowsTheCoarsestRounds) {
    const auto rounds = rounds_of_pairs({{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 4}, {1, 5}}, 6);
    const RoundTable table(rounds, 6, {});
    ASSERT_EQ(table.coarser.size(), rounds.size());
    std::size_t coarsest = 0;
    for (std::size_t r = 0; r < rounds.size(); ++r) {
        const bool has_coarser = std::ranges::any_of(rounds, [&](const ListedRound& other) {
            return other.round != rounds[r].round && holds(other.round, rounds[r].round);
        });
        EXPECT_EQ(table.coarsest(r), !has_coarser) << r;
        EXPECT_TRUE(holds(rounds[table.coarser[r]].round, rounds[r].round)) << r;
        EXPECT_TRUE(table.coarsest(table.coarser[r])) << r;
        coarsest += table.coarsest(r) ? 1 : 0;
    }
    EXPECT_GT(coarsest, 0U);
    EXPECT_LT(coarsest, rounds.size());
}

// In front of and behind any product a coarser round leaves no more disagreement.
TEST(RoundTable, CoarserRoundsAtTheEndsLeaveNoMore) {
    for (const bool equal : {true, false}) {
        const MixingOptions options = equal ? MixingOptions{} : unequal(6);
        auto rounds = rounds_of_pairs({{0, 1}, {1, 2}, {2, 3}, {3, 4}, {1, 5}}, 6);
        for (ListedRound& round : some_rounds(6, 4, 21)) {
            rounds.push_back(round);
        }
        const RoundTable table(rounds, 6, options);
        FastMixing mixing(6, options);
        for (std::size_t r = 0; r < rounds.size(); ++r) {
            const Round& with = rounds[table.coarser[r]].round;
            for (const ListedRound& a : rounds) {
                for (const ListedRound& b : rounds) {
                    EXPECT_LE(mixing.error_after({&with, &a.round, &b.round}),
                              mixing.error_after({&rounds[r].round, &a.round, &b.round}) + 1e-12);
                    EXPECT_LE(mixing.error_after({&a.round, &b.round, &with}),
                              mixing.error_after({&a.round, &b.round, &rounds[r].round}) + 1e-12);
                }
            }
        }
    }
}

TEST(RoundTable, ClassesHoldRoundsOfSimilarTime) {
    std::vector<ListedRound> rounds(6);
    const std::vector<double> times = {10, 10.5, 12, 30, 31, 100};
    for (std::size_t r = 0; r < times.size(); ++r) {
        rounds[r].time_ms = times[r];
    }
    EXPECT_EQ(ends_of_classes(rounds, 2), (std::vector<std::size_t>{5, 6}));
    EXPECT_EQ(ends_of_classes(rounds, 1000), (std::vector<std::size_t>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(ends_of_classes(std::span(rounds).first(1), 24), (std::vector<std::size_t>{1}));
}

}  // namespace
}  // namespace longhaul::schedule::detail
