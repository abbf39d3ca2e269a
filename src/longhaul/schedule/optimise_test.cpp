#include "longhaul/schedule/optimise.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "longhaul/core/random.hpp"
#include "longhaul/schedule/detail/test_support.hpp"

namespace longhaul::schedule {
namespace {

Capabilities with_memory(const Islands& islands, double memory_gb) {
    Capabilities can = capabilities_of(islands);
    can.memory_gb.assign(islands.size(), memory_gb);
    return can;
}

// Section 7 of the background page: optimal over all periods, bound equal to value.
TEST(OptimiseNineCities, WithoutMemoryIsProved) {
    const Islands islands = detail::shipped_islands("nine-city.json");
    const Capabilities can = with_memory(islands, 0);
    RoundTimes times(islands, can);
    const Optimised found = optimise_schedule(times, {});
    ASSERT_TRUE(found.schedule) << found.reason;
    EXPECT_NEAR(found.score.score_ms, 1246.563, 5e-4);
    EXPECT_TRUE(found.optimal) << found.bound_ms;
    EXPECT_NEAR(found.bound_ms, 1246.563, 5e-4);
}

TEST(OptimiseNineCities, WithMemoryIsProved) {
    const Islands islands = detail::shipped_islands("nine-city.json");
    const Capabilities can = with_memory(islands, 32);
    RoundTimes times(islands, can);
    const Optimised found = optimise_schedule(times, {});
    ASSERT_TRUE(found.schedule) << found.reason;
    EXPECT_NEAR(found.score.score_ms, 1001.432, 5e-4);
    EXPECT_TRUE(found.optimal) << found.bound_ms;
}

TEST(OptimiseNineCities, RoundsOfTheirOwnLength) {
    const Islands islands = detail::shipped_islands("nine-city.json");
    for (const auto& [memory, most] : {std::pair(0.0, 1144.1), std::pair(32.0, 983.5)}) {
        const Capabilities can = with_memory(islands, memory);
        RoundTimes times(islands, can);
        OptimiseOptions options;
        options.pace = Pace::kOwn;
        const Optimised found = optimise_schedule(times, options);
        EXPECT_LE(found.score.score_ms, most + 0.05);
        EXPECT_LE(found.bound_ms, found.score.score_ms);
        EXPECT_GT(found.bound_ms, 0.8 * found.score.score_ms);
    }
}

}  // namespace
}  // namespace longhaul::schedule
