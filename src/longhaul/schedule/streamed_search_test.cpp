#include "longhaul/schedule/streamed_search.hpp"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "longhaul/schedule/detail/random_islands.hpp"
#include "longhaul/schedule/detail/test_support.hpp"

namespace longhaul::schedule {
namespace {

BestStreamed search_nine(double memory_gb, Trees trees) {
    const Islands islands = detail::shipped_islands("nine-city.json");
    Capabilities can = capabilities_of(islands);
    can.memory_gb.assign(islands.size(), memory_gb);
    can.trees = trees;
    RoundTimes times(islands, can);
    StreamedSearch search;
    if (trees == Trees::kFlexible) {
        search.programs = 20;  // each grows trees
        search.moves = 5;
    }
    auto found = best_streamed(times, {}, search);
    EXPECT_TRUE(found);
    EXPECT_LE(found->bound_ms, found->best.score_ms);
    EXPECT_LE(found->best.core_peak, 1 + 1e-6);
    RoundTimes fresh(islands, can);
    const auto again = stream_schedule(found->best.schedule.schedule(), fresh, {});
    EXPECT_TRUE(again && again->score_ms == found->best.score_ms);
    return std::move(*found);
}

TEST(StreamedSearch, BeatsTheKnownSchedules) {
    const BestStreamed found = search_nine(0, Trees::kShortest);
    EXPECT_LE(found.best.score_ms, 611.96);
    EXPECT_GE(found.bound_ms, 0.995 * found.best.score_ms);
}

TEST(StreamedSearch, MemoryShortest) {
    const BestStreamed found = search_nine(32, Trees::kShortest);
    EXPECT_LE(found.best.score_ms, 373.067);
    EXPECT_NEAR(found.bound_ms, found.best.score_ms, 1e-6);
}

TEST(StreamedSearch, MemoryFlexible) {
    EXPECT_LE(search_nine(32, Trees::kFlexible).best.score_ms, 293.08);
}

// All schedules of one and two rounds of pairs are the twin: the search within limits finds one as
// good, and its bound is below all of them.
TEST(StreamedSearch, KeepsToLimitsOfCliquesAndPeriods) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const Islands islands = detail::planar_islands(4, 5, seed);
        RoundTimes times(islands, capabilities_of(islands));
        double least = std::numeric_limits<double>::infinity();
        const std::vector<Round> rounds = all_rounds(4, 2);
        for (const Round& a : rounds) {
            for (const Round& b : rounds) {
                if (const auto both = stream_schedule({{a, b}}, times, {})) {
                    least = std::min(least, both->score_ms);
                }
            }
        }
        StreamedSearch search;
        search.largest = 2;
        search.max_period = 2;
        const auto pairs = best_streamed(times, {}, search);
        ASSERT_TRUE(pairs);
        EXPECT_LE(pairs->best.score_ms, least * (1 + 1e-9));
        EXPECT_LE(pairs->bound_ms, least * (1 + 1e-9));
        for (const Round& round : pairs->best.schedule.schedule().rounds) {
            for (const Clique clique : round.cliques) {
                EXPECT_LE(clique_size(clique), 2);
            }
        }
        EXPECT_EQ(pairs->best.schedule.rounds.size(), 2U);
        search.max_period = 1;  // one round of pairs does not join four islands
        EXPECT_FALSE(best_streamed(times, {}, search));
        search.largest = 0;
        const auto once = best_streamed(times, {}, search);
        ASSERT_TRUE(once);
        EXPECT_EQ(once->best.schedule.rounds.size(), 1U);
        EXPECT_LE(once->bound_ms, once->best.score_ms);
    }
}

}  // namespace
}  // namespace longhaul::schedule
