#include "longhaul/schedule/streamed_search.hpp"

#include <algorithm>
#include <cstdio>

#include <gtest/gtest.h>

#include "longhaul/schedule/detail/shipped.hpp"

namespace longhaul::schedule {
namespace {

BestStreamed search_nine(double memory_gb, Trees trees) {
    const Islands islands = detail::shipped_islands("nine-city.json");
    Capabilities can = capabilities_of(islands);
    can.memory_gb.assign(islands.size(), memory_gb);
    can.trees = trees;
    RoundTimes times(islands, can);
    auto found = best_streamed(times, {});
    EXPECT_TRUE(found);
                found->best.score_ms,
                found->bound_ms,
                found->programs,
                found->best.interval_ms);
                return std::move(*found);
}

TEST(StreamedSearch, BeatsTheKnownSchedules) {
    EXPECT_LE(search_nine(0, Trees::kShortest).best.score_ms, 626.55);
}

TEST(StreamedSearch, MemoryShortest) {
    EXPECT_LE(search_nine(32, Trees::kShortest).best.score_ms, 373.1);
}

TEST(StreamedSearch, MemoryFlexible) {
    EXPECT_LE(search_nine(32, Trees::kFlexible).best.score_ms, 293.1);
}

}  // namespace
}  // namespace longhaul::schedule
