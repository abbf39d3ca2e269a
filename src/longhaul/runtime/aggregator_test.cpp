#include "longhaul/runtime/aggregator.hpp"

#include <algorithm>
#include <tuple>

#include <gtest/gtest.h>

#include "longhaul/core/random.hpp"

namespace longhaul::runtime {
namespace {

using Values = std::vector<std::int32_t>;

/// An aggregator whose islands 0, 1 and 2 contribute in every round below 100, and what it sends.
struct Bench {
    explicit Bench(std::size_t slots, schedule::Clique expected = 0b111, double timeout_ms = 10)
        : aggregator({slots,
                      8,
                      timeout_ms,
                      [expected](std::uint32_t round) { return round < 100 ? expected : 0; }},
                     [this](const PartialSum& sum) { sent.push_back(sum); }) {}

    void take(double now_ms, std::uint32_t block, int source, std::int32_t value) {
        aggregator.take(now_ms, 0, block, source, Values{value, -value});
    }
    std::vector<PartialSum> sent;
    Aggregator aggregator;
};

TEST(Aggregator, Weighs) {
    std::vector<PartialSum> sent;
    Aggregator aggregator({1,
                           8,
                           10,
                           [](std::uint32_t round) { return round == 0 ? 0b11 : 0b10; },
                           [](std::uint32_t round, int source) {
                               return static_cast<std::int32_t>(round) * 100 + source + 2;
                           }},
                          [&](const PartialSum& sum) { sent.push_back(sum); });
    aggregator.take(0, 0, 0, 0, Values{1, -1});
    aggregator.take(0, 0, 0, 1, Values{10, -10});
    aggregator.take(0, 1, 0, 1, Values{7, 0});  // nobody else: passed on alone
    ASSERT_EQ(sent.size(), 2);
    EXPECT_EQ(sent[0].sums, (Values{32, -32}));
    EXPECT_EQ(sent[1].sums, (Values{103 * 7, 0}));
}

// Clocks are compared before anything is taken; then the ring stays what it is.
TEST(Aggregator, GetsSlotsForClocks) {
    Bench bench(1);
    bench.aggregator.widen(2);
    bench.take(0, 0, 0, 1);
    bench.take(0, 1, 0, 1);
    EXPECT_EQ(bench.aggregator.counts().conflicts, 0);
    EXPECT_EQ(bench.aggregator.counts().peak_slots, 2);
    bench.aggregator.widen(9);
    bench.take(0, 2, 0, 1);
    EXPECT_EQ(bench.aggregator.counts().conflicts, 1);
}

TEST(Aggregator, SendsOnWhenAllHaveContributed) {
    Bench bench(1);
    bench.take(0, 3, 0, 1);
    bench.take(1, 3, 2, 10);
    EXPECT_TRUE(bench.sent.empty());
    bench.take(2, 3, 1, 100);
    ASSERT_EQ(bench.sent.size(), 1);
    EXPECT_EQ(bench.sent[0].block, 3);
    EXPECT_EQ(bench.sent[0].mask, 0b111);
    EXPECT_EQ(bench.sent[0].sums, (Values{111, -111}));
    EXPECT_EQ(bench.aggregator.counts().completed, 1);
    EXPECT_EQ(bench.aggregator.counts().peak_slots, 1);
}

TEST(Aggregator, OneStreamNeedsNoSlot) {
    Bench bench(1, 0b010);
    bench.take(0, 0, 1, 5);
    bench.take(0, 1, 1, 6);
    EXPECT_EQ(bench.sent.size(), 2);
    EXPECT_EQ(bench.aggregator.counts().peak_slots, 0);
    EXPECT_EQ(bench.aggregator.counts().conflicts, 0);
}

TEST(Aggregator, NeverAddsABlockTwice) {
    Bench bench(2);
    for (int i = 0; i < 3; ++i) {
        bench.take(0, 0, 0, 1);
    }
    bench.take(1, 0, 1, 10);
    bench.take(2, 0, 2, 100);
    bench.take(3, 0, 0, 1);  // after the slot was sent on
    ASSERT_EQ(bench.sent.size(), 1);
    EXPECT_EQ(bench.sent[0].sums, (Values{111, -111}));
    EXPECT_EQ(bench.aggregator.counts().duplicates, 3);
}

TEST(Aggregator, NewerBlocksTakeTheSlot) {
    Bench bench(2);
    bench.take(0, 1, 0, 1);
    bench.take(1, 3, 0, 2);  // 3 mod 2 = 1 mod 2
    ASSERT_EQ(bench.sent.size(), 1);
    EXPECT_EQ(bench.sent[0].block, 1);
    EXPECT_EQ(bench.sent[0].mask, 0b001);
    EXPECT_EQ(bench.aggregator.counts().conflicts, 1);
    bench.take(2, 1, 1, 3);  // comes too late for its slot
    ASSERT_EQ(bench.sent.size(), 2);
    EXPECT_EQ(bench.sent[1].mask, 0b010);
    EXPECT_EQ(bench.aggregator.counts().late, 1);
}

TEST(Aggregator, SendsOnWhatWaitsTooLong) {
    Bench bench(4);
    bench.take(5, 0, 0, 1);
    bench.take(6, 1, 0, 2);
    EXPECT_EQ(bench.aggregator.next_ms(), 15);
    bench.aggregator.expire(14.9);
    EXPECT_TRUE(bench.sent.empty());
    bench.aggregator.expire(15);
    ASSERT_EQ(bench.sent.size(), 1);
    EXPECT_EQ(bench.sent[0].block, 0);
    EXPECT_EQ(bench.aggregator.counts().timeouts, 1);
    EXPECT_EQ(bench.aggregator.next_ms(), 16);
}

TEST(Aggregator, DropsStrangers) {
    Bench bench(1, 0b011);
    bench.take(0, 0, 2, 1);                             // not of the clique
    bench.take(0, 8, 0, 1);                             // no such block
    bench.aggregator.take(0, 100, 0, 0, Values{1, 2});  // no such round
    for (std::uint32_t round = 10; round < 14; ++round) {
        bench.aggregator.take(0, round, 0, 0, Values{1, 2});
    }
    bench.take(0, 0, 0, 1);  // round 0 is four rounds old
    EXPECT_EQ(bench.aggregator.counts().strangers, 4);
}

struct Arrival {
    double ms;
    std::uint32_t round;
    std::uint32_t block;
    int source;
    std::int32_t value;
};

/// Streams of several islands over two rounds, each with its own delay, with losses, duplicates and
/// disorder.
std::vector<Arrival> random_arrivals(core::Random& random, int islands) {
    std::vector<Arrival> arrivals;
    for (int source = 0; source < islands; ++source) {
        const double delay = 8 * random.uniform();
        for (std::uint32_t round = 0; round < 2; ++round) {
            for (std::uint32_t block = 0; block < 8; ++block) {
                const int copies = random.below(10) == 0 ? 0 : random.below(10) == 0 ? 2 : 1;
                const auto value = static_cast<std::int32_t>(random.below(1000));
                for (int i = 0; i < copies; ++i) {
                    arrivals.push_back({8.0 * round + block + delay + 2 * random.uniform(),
                                        round,
                                        block,
                                        source,
                                        value});
                }
            }
        }
    }
    std::ranges::stable_sort(arrivals, {}, &Arrival::ms);
    return arrivals;
}

// The twin holds everything for ever: whatever the slots, what is sent on for a block adds up to
// what arrived for it, each island once, and with room for all in one part.
TEST(Aggregator, PartsAddUpToWhatArrived) {
    core::Random random(11);
    for (int trial = 0; trial < 400; ++trial) {
        const int islands = 1 + static_cast<int>(random.below(5));
        const auto expected = (schedule::Clique{1} << static_cast<unsigned>(islands)) - 1;
        const bool roomy = trial % 4 == 0;
        Bench bench(
            roomy ? 16 : 1 + random.index(6), expected, roomy ? 1e9 : 1 + 9 * random.uniform());
        std::map<std::tuple<std::uint32_t, std::uint32_t>, std::map<int, std::int32_t>> twin;
        for (const Arrival& arrival : random_arrivals(random, islands)) {
            twin[{arrival.round, arrival.block}][arrival.source] = arrival.value;
            bench.aggregator.take(arrival.ms,
                                  arrival.round,
                                  arrival.block,
                                  arrival.source,
                                  Values{arrival.value, -arrival.value});
        }
        bench.aggregator.expire(1e12);
        std::map<std::tuple<std::uint32_t, std::uint32_t>, schedule::Clique> masks;
        for (const PartialSum& sum : bench.sent) {
            schedule::Clique& mask = masks[{sum.round, sum.block}];
            EXPECT_EQ(mask & sum.mask, 0);
            EXPECT_TRUE(!roomy || mask == 0);
            mask |= sum.mask;
            std::int32_t value = 0;
            for (const int island : schedule::members_of(sum.mask)) {
                value += twin.at({sum.round, sum.block}).at(island);
            }
            EXPECT_EQ(sum.sums, (Values{value, -value}));
        }
        ASSERT_EQ(masks.size(), twin.size());
        for (const auto& [key, sources] : twin) {
            EXPECT_EQ(schedule::clique_size(masks[key]), static_cast<int>(sources.size()));
        }
    }
}

}  // namespace
}  // namespace longhaul::runtime
