#include "longhaul/runtime/session.hpp"

#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

#include "longhaul/core/document.hpp"
#include "longhaul/runtime/detail/test_network.hpp"
#include "longhaul/schedule/score.hpp"

namespace longhaul::runtime {
namespace {

using testing::made;
using testing::ring_of_islands;
using testing::timed_of;

// A ring of four islands, 10 ms a link, 20 Gbit/s of access and 100 Gbit/s of links; 1 GB takes
// 400 ms.
TEST(Session, ScalesRatesSoThatSendingTakesAsLong) {
    const schedule::Islands islands = ring_of_islands();
    const Session session = made(islands, timed_of(islands, "pairs", 0), {});
    EXPECT_EQ(session.blocks, 195);  // 250 kB / 1280 B = 195.3
    EXPECT_EQ(session.payload_bytes, 195 * 1280);
    EXPECT_DOUBLE_EQ(session.rate_scale, 195 * 1280 / 1e9);
    // 1280 B of elements become 28 + 28 + 14 B more on the wire.
    const double wire_mbit = 195 * (1280 + 70) * 8 / 1e6;
    EXPECT_NEAR(session.wan.resources[0].shape.rate_mbps, wire_mbit / 0.4, 1e-9);
    EXPECT_NEAR(session.wan.resources[8].shape.rate_mbps, 5 * wire_mbit / 0.4, 1e-9);
    EXPECT_EQ(session.wan.resources[8].shape.delay_ms, 10);
    EXPECT_EQ(session.wan.hosts.size(), 8);
    EXPECT_NEAR(session.access_ms(3), 400, 1e-9);
    EXPECT_DOUBLE_EQ(session.rounds[0].predicted_ms, 410);
    EXPECT_DOUBLE_EQ(session.rounds[1].start_ms, 410 + 25);
}

TEST(Session, TimesCanBeStretched) {
    const schedule::Islands islands = ring_of_islands();
    SessionOptions options;
    options.time_scale = 2;
    const Session session = made(islands, timed_of(islands, "pairs", 0), options);
    EXPECT_DOUBLE_EQ(session.rounds[0].predicted_ms, 820);
    EXPECT_EQ(session.wan.resources[8].shape.delay_ms, 20);
    EXPECT_DOUBLE_EQ(session.rate_scale, 195 * 1280 / 2e9);
    EXPECT_DOUBLE_EQ(session.rounds[0].exchanges[0].senders[0].sending_ms, 800);
}

/// Delay from the source of a tree to each host that it reaches.
std::vector<std::pair<int, double>> delays_of(const emulate::Wan& wan, const emulate::Tree& tree) {
    std::vector<std::pair<int, double>> found;
    const std::function<void(int, double)> walk = [&](int at, double before) {
        const emulate::Branch& branch = tree.branches[static_cast<std::size_t>(at)];
        const double delay = before + emulate::delay_ms(wan, branch.path);
        if (branch.host >= 0) {
            found.emplace_back(branch.host, delay);
        }
        std::ranges::for_each(branch.next, [&](int next) { walk(next, delay); });
    };
    walk(0, 0);
    std::ranges::sort(found);
    return found;
}

// A packet crosses a link once, and meets on the way what the schedule counts with.
TEST(Session, TreesReachTheAggregatorsOfTheClique) {
    const schedule::Islands islands = ring_of_islands();
    const Session session = made(islands, timed_of(islands, "all", 1), {});
    ASSERT_EQ(session.wan.trees.size(), 4);
    for (const Sender& sender : session.rounds[0].exchanges[0].senders) {
        const emulate::Tree& tree = session.wan.trees[static_cast<std::size_t>(sender.island)];
        EXPECT_EQ(tree.address, sender.group);
        EXPECT_EQ(tree.branches.size(), 4);  // out of the island, and three links
        std::vector<std::pair<int, double>> expected;
        for (int i = 0; i < 4; ++i) {
            if (i != sender.island) {
                expected.emplace_back(4 + i, sender.latency_ms[static_cast<std::size_t>(i)]);
            }
        }
        EXPECT_EQ(delays_of(session.wan, tree), expected);
    }
    EXPECT_EQ(session.expected(0, 2), 0b1011);
    EXPECT_EQ(session.expected(99, 2), 0);
}

TEST(Session, SlotsHoldMemoryAndGuard) {
    const schedule::Islands islands = ring_of_islands();
    SessionOptions options;
    options.spare_ms = 20;  // 9.75 blocks of 195 in 400 ms
    EXPECT_EQ(made(islands, timed_of(islands, "pairs", 0), options).slots,
              std::vector<std::size_t>(4, 10 + 2));
    EXPECT_EQ(made(islands, timed_of(islands, "pairs", 0.1), options).slots,
              std::vector<std::size_t>(4, 19 + 10 + 2));
}

TEST(Session, IslandsThatAreLeftOutAreAlone) {
    const schedule::Islands islands = ring_of_islands();
    schedule::TimedSchedule timed = timed_of(islands, "pairs", 0);
    std::erase_if(timed.rounds[1].cliques,
                  [](const schedule::TimedClique& clique) { return clique.members == 0b0101; });
    const Session session = made(islands, timed, {});
    EXPECT_EQ(session.expected(1, 0), 0);
    EXPECT_EQ(session.exchange(1, 0).members, 0b0001);
    EXPECT_EQ(session.expected(1, 1), 0b1000);
}

std::string problem_of(const schedule::Islands& islands, const schedule::TimedSchedule& timed) {
    const auto session = make_session(islands, timed, {});
    return session ? "" : core::to_string(session.error().front());
}

TEST(Session, RefusesWhatItCannotRun) {
    const schedule::Islands islands = ring_of_islands();
    const schedule::TimedSchedule good = timed_of(islands, "all", 1);
    schedule::TimedSchedule bad = good;
    bad.rounds[0].cliques[0].weights = core::Grid<double>(4, 4, 0.25);
    EXPECT_EQ(problem_of(islands, bad), "");
    bad.rounds[0].cliques[0].weights(0, 0) = 0.5;
    EXPECT_NE(problem_of(islands, bad).find("weights of its own"), std::string::npos);
    bad = good;
    bad.rounds[0].cliques[0].trees[1].links.pop_back();
    EXPECT_NE(problem_of(islands, bad).find("misses a receiver"), std::string::npos);
    bad = good;
    bad.rounds[0].cliques[0].offset_ms.clear();
    EXPECT_NE(problem_of(islands, bad).find("offsets"), std::string::npos);
    bad = good;
    bad.rounds[0].cliques.clear();
    EXPECT_NE(problem_of(islands, bad).find("no clique"), std::string::npos);
    bad.rounds.clear();
    EXPECT_NE(problem_of(islands, bad).find("0 rounds"), std::string::npos);
}

}  // namespace
}  // namespace longhaul::runtime
