#include "longhaul/runtime/session.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "longhaul/core/document.hpp"
#include "longhaul/runtime/detail/test_network.hpp"
#include "longhaul/runtime/payload.hpp"
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

// Rows 1/2, 1/4, 1/8, 1/8 and so on, in units of 2^-15, for elements of 16 bits.
TEST(Session, WeightsAreWholeNumbers) {
    const schedule::Islands islands = ring_of_islands();
    schedule::TimedSchedule timed = timed_of(islands, "all", 1);
    timed.rounds[0].cliques[0].weights = core::Grid<double>(4, 4, 0.25);
    EXPECT_EQ(made(islands, timed, {}).payload_bits, kPayloadBits);
    for (std::size_t r = 0; r < 4; ++r) {
        for (std::size_t c = 0; c < 4; ++c) {
            const std::size_t distance = (c + 4 - r) % 4;
            timed.rounds[0].cliques[0].weights(r, c) = distance == 0   ? 0.5
                                                       : distance == 1 ? 0.25
                                                                       : 0.125;
        }
    }
    const Session session = made(islands, timed, {});
    EXPECT_EQ(session.payload_bits, kWeightedBits);
    EXPECT_EQ(session.weights_of(0, 1), (std::vector<std::int32_t>{4096, 16384, 8192, 4096}));
    EXPECT_EQ(session.weight(0, 3, 0), 8192);
    EXPECT_EQ(made(islands, timed_of(islands, "pairs", 0), {}).weight(0, 0, 1), 1);
}

// Two senders may each be off by the residual: 3 ms of 400 are 2 blocks of 195.
TEST(Session, SlotsBearClocksAndJitter) {
    schedule::Islands islands = ring_of_islands();
    SessionOptions options;
    options.spare_ms = 20;
    const Session session = made(islands, timed_of(islands, "pairs", 0), options);
    EXPECT_EQ(session.slots_for(0, 0), 10 + 2);
    EXPECT_EQ(session.slots_for(0, 1.5), 12 + 2);  // (20 + 3) / 400 x 195 = 11.2
    EXPECT_EQ(session.jitter_ms, 0);
    // A standard deviation of 2 ms is +-3.46 ms, even; a and c are two links apart.
    islands.jitter_ms.assign(islands.network.links.size(), 2);
    const Session shaky = made(islands, timed_of(islands, "pairs", 0), options);
    EXPECT_NEAR(shaky.jitter_ms, 2 * 2 * std::sqrt(12.0), 1e-9);
    EXPECT_NEAR(shaky.guard_ms, 20 + 4 * std::sqrt(12.0), 1e-9);
    EXPECT_NEAR(shaky.wan.resources[8].shape.jitter_ms, std::sqrt(12.0), 1e-9);
}

// Pairs over at most two links, at 10 % loss: an access link, two links and the access link of the
// sum lose 1 - 0.9^4 = 0.3439 of 195 blocks, 102.2 with what is lost again; three standard
// deviations are 30.3. A block takes 400 / 195 ms; then 40 ms there and back, and the timeout of
// slots, 50 + 10 ms.
TEST(Session, LossesTakeTimeBetweenRounds) {
    const schedule::Islands islands = ring_of_islands();
    SessionOptions options;
    options.loss = 0.1;
    const Session session = made(islands, timed_of(islands, "pairs", 0), options);
    const double blocks = 195 * 0.3439 / (1 - 0.3439);
    EXPECT_EQ(session.recovery_ms,
              std::ceil((blocks + 3 * std::sqrt(blocks)) * 400 / 195 + 40 + 60));
    EXPECT_DOUBLE_EQ(session.rounds[1].start_ms, 410 + 25 + session.recovery_ms);
    EXPECT_DOUBLE_EQ(session.patience_ms, 1000 + 3 * (420 + 25 + session.recovery_ms));
    options.recovery_ms = 7;
    options.patience_ms = 8;
    const Session told = made(islands, timed_of(islands, "pairs", 0), options);
    EXPECT_EQ(told.recovery_ms, 7);
    EXPECT_EQ(told.patience_ms, 8);
}

// Rounds of 420 and 410 ms, one every 400 ms: for 10 ms the sums of two rounds share an access link
// that each of them fills. Before the last block of the longer round, at 420 ms, 4 blocks of the
// next one are there, the first at 410 + 400 / 195 ms. The shorter round ends behind 10 ms of the
// longer one.
TEST(Session, SumsOfRoundsThatOverlapQueue) {
    const schedule::Islands islands = ring_of_islands();
    schedule::TimedSchedule timed = timed_of(islands, "pairs", 0);
    timed.pace = schedule::Pace::kStreamed;
    std::swap(timed.rounds[0], timed.rounds[1]);  // 420, then 410
    timed.rounds[0].length_ms = timed.rounds[1].length_ms = 400;
    SessionOptions options;
    options.repetitions = 2;
    const Session session = made(islands, timed, options);
    ASSERT_EQ(session.rounds.size(), 4);
    EXPECT_NEAR(session.rounds[0].predicted_ms, 420 + 4 * 400.0 / 195, 1e-9);
    EXPECT_NEAR(session.rounds[1].predicted_ms, 420, 1e-9);
    EXPECT_NEAR(session.rounds[2].predicted_ms, 420 + 4 * 400.0 / 195, 1e-9);
    EXPECT_EQ(session.rounds[3].start_ms, 1200);
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
    EXPECT_NE(problem_of(islands, bad).find("row 1 of the weights sums to 1.25"),
              std::string::npos);
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
