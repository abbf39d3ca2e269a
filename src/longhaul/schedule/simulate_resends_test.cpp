#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "longhaul/core/random.hpp"
#include "longhaul/schedule/detail/resend_queue.hpp"
#include "longhaul/schedule/detail/test_simulation.hpp"
#include "longhaul/schedule/detail/test_support.hpp"
#include "longhaul/schedule/score.hpp"

namespace longhaul::schedule::detail {
namespace {

// A stream takes 80 of 100 Gbit/s until 100 ms. 0.1 GB are 8 ms of the link, 40 ms of what is left.
TEST(SpareLink, ResendsTakeWhatStreamsLeave) {
    SpareLink link(100);
    link.plan(0, 100, 80);
    EXPECT_NEAR(link.pass(10, 0.1), 50, 1e-9);
    EXPECT_NEAR(link.pass(20, 0.1), 90, 1e-9);   // behind the first
    EXPECT_NEAR(link.pass(95, 0.1), 107, 1e-9);  // 5 ms of 20 Gbit/s, 7 ms of 100
    EXPECT_NEAR(link.pass(200, 0.1), 208, 1e-9);
    EXPECT_NEAR(link.least_ms(0.1), 8, 1e-12);
}

TEST(SpareLink, FullLinksLeaveNothing) {
    SpareLink link(20);
    link.plan(0, 400, 20);
    link.plan(500, 900, 20);
    EXPECT_NEAR(link.pass(100, 0.125), 450, 1e-9);
    EXPECT_NEAR(link.pass(100, 0.25), 950, 1e-9);  // 50 ms now, 50 ms after the next stream
    SpareLink never(20);
    never.plan(0, std::numeric_limits<double>::infinity(), 20);
    EXPECT_TRUE(std::isinf(never.pass(0, 1)));
    SpareLink late(20);
    late.plan(0, 400, 20);
    EXPECT_TRUE(std::isinf(late.pass(100, 0.125, 449.9)));
    EXPECT_TRUE(std::isinf(late.pass(100, 0.125, 399)));
    EXPECT_NEAR(late.pass(100, 0.125, 450.1), 450, 1e-9);  // the others took nothing
}

// Against small steps of time.
TEST(SpareLink, AgreesWithSmallSteps) {
    core::Random random(4);
    for (int trial = 0; trial < 200; ++trial) {
        SpareLink link(100);
        std::vector<std::array<double, 3>> streams;
        for (std::uint32_t i = 0; i < 1 + random.below(4); ++i) {
            const double from = std::floor(100 * random.uniform());
            streams.push_back({from, from + 1 + std::floor(60 * random.uniform()), 25});
            link.plan(streams.back()[0], streams.back()[1], streams.back()[2]);
        }
        constexpr double kStep = 1.0 / 64;
        double asked = 0;
        double now = 0;
        for (int block = 0; block < 10; ++block) {
            asked += std::floor(20 * random.uniform());
            now = std::max(now, asked);
            for (double left = 8000 * 0.05; left > 1e-9; now += kStep) {
                double free = 100;
                for (const auto& [from, to, rate] : streams) {
                    free -= now >= from && now < to ? rate : 0;
                }
                left -= free * kStep;
            }
            const double passed = link.pass(asked, 0.05);
            EXPECT_NEAR(passed, now, 2 * kStep * (block + 1));
            now = passed;
        }
    }
}

// Losses of 1 % on links that streams fill: most resends wait for the stream of their sender, of
// which 400 ms are sent in each round. What is lost at random is that of the geometric series: each
// copy crosses 1 to 5 links. Nothing is asked for that is on its way.
TEST(SimulateNineCities, ResendsTakeTheirTime) {
    const Islands islands = shipped_islands("nine-city.json");
    Capabilities can = capabilities_of(islands);
    can.memory_gb.assign(islands.size(), 0);
    RoundTimes times(islands, can);
    const TimedSchedule timed =
        timed_schedule(islands.schedule("triangles")->schedule, times, Pace::kOwn);
    SimulationOptions options;
    options.births = 0;
    options.rounds = 20;
    options.blocks = 195;
    options.loss = 0.01;
    options.grace_ms = 600;
    const auto run = simulate(timed, islands, options);
    ASSERT_TRUE(run);
    // One a loss, but for what would come too late.
    EXPECT_LE(run->resends, run->copies.lost_on_links);
    EXPECT_GT(run->resends + 10, run->copies.lost_on_links);
    EXPECT_GT(run->copies.lost_on_links, 500U);
    EXPECT_LT(run->contributions.missing, 10U);
    EXPECT_EQ(run->wrong_sums, 0U);
    // Behind the end of a round that lost anything late, and within the grace.
    double mean = 0;
    for (const double ms : run->round_ms) {
        mean += ms / 20;
        EXPECT_LT(ms, 565 + 600);
    }
    EXPECT_GT(mean, 800);  // (462 + 565) / 2 without losses
}

}  // namespace
}  // namespace longhaul::schedule::detail
