#include "longhaul/schedule/streamed_search.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace longhaul::schedule
