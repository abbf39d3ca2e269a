#include "longhaul/runtime/resends.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "longhaul/core/random.hpp"

namespace longhaul::runtime {
namespace {

// A stream fills the link from 100 to 500 ms; a block takes 2 ms.
TEST(Resends, WaitForTheOwnStreamAndLeaveAtTheRateOfTheLink) {
    Resends resends({{100, 500, 1}}, 2, 1);
    EXPECT_TRUE(std::isinf(resends.next_ms(0)));
    for (std::uint32_t block = 0; block < 3; ++block) {
        EXPECT_TRUE(resends.owe({7, block, 4, 1}));
    }
    EXPECT_EQ(resends.next_ms(200), 500);
    EXPECT_FALSE(resends.take(499));
    EXPECT_EQ(resends.take(500), (Owed{7, 0, 4, 1}));
    EXPECT_FALSE(resends.take(501));
    EXPECT_EQ(resends.next_ms(501), 502);
    EXPECT_EQ(resends.take(502), (Owed{7, 1, 4, 1}));
    EXPECT_EQ(resends.take(600), (Owed{7, 2, 4, 1}));
    EXPECT_EQ(resends.waiting(), 0);
}

// A block that would still be on the link when the stream begins waits for its end.
TEST(Resends, DoNotRunIntoAStream) {
    Resends resends({{100, 500, 1}}, 2, 1);
    resends.owe({0, 0, 1, 1});
    resends.owe({0, 1, 1, 1});
    EXPECT_TRUE(resends.take(98));
    EXPECT_EQ(resends.next_ms(98.5), 500);
    EXPECT_FALSE(resends.take(99));
    EXPECT_FALSE(resends.take(100));
}

TEST(Resends, SecondRequestsMayGoBesideAStreamAFew) {
    Resends resends({{100, 500, 1}, {600, 900, 1}}, 2, 2);
    for (std::uint32_t block = 0; block < 4; ++block) {
        resends.owe({0, block, 1, 2});
    }
    EXPECT_EQ(resends.take(200), (Owed{0, 0, 1, 2}));
    EXPECT_EQ(resends.take(202), (Owed{0, 1, 1, 2}));
    EXPECT_FALSE(resends.take(210));
    EXPECT_EQ(resends.next_ms(210), 500);
    EXPECT_TRUE(resends.take(500));  // the link is idle
    EXPECT_TRUE(resends.take(650));  // the next stream, with a burst of its own
}

// A stream of 3/4 of the link leaves a block every 8 ms.
TEST(Resends, UseWhatASlowStreamLeaves) {
    Resends resends({{100, 500, 0.75}}, 2, 0);
    for (std::uint32_t block = 0; block < 90; ++block) {
        resends.owe({0, block, 1, 1});
    }
    EXPECT_EQ(resends.next_ms(100), 108);
    EXPECT_TRUE(resends.take(108));
    EXPECT_EQ(resends.next_ms(108), 116);
    int sent = 1;
    for (double now = 108.5; now < 500; now += 0.5) {
        sent += resends.take(now) ? 1 : 0;
    }
    EXPECT_EQ(sent, 49);  // (500 - 100) / 8, the last one at the end
}

TEST(Resends, AnswerARequestOnce) {
    Resends resends({}, 1, 0);
    EXPECT_TRUE(resends.heard(3, 1));
    EXPECT_FALSE(resends.heard(3, 1));  // its copy
    EXPECT_TRUE(resends.heard(4, 1));
    EXPECT_TRUE(resends.heard(3, 2));
    EXPECT_TRUE(resends.owe({0, 5, 3, 1}));
    EXPECT_FALSE(resends.owe({0, 5, 3, 2}));  // waits already
    EXPECT_TRUE(resends.take(0));
    EXPECT_TRUE(resends.owe({0, 5, 3, 2}));
}

// However many blocks are asked for, streams keep their share of the link to within the burst.
TEST(Resends, NeverTakeMoreThanStreamsLeave) {
    core::Random random(11);
    for (int trial = 0; trial < 200; ++trial) {
        const double share = random.below(3) == 0 ? 1 : random.uniform();
        const double begin = 100 * random.uniform();
        const double end = begin + 10 + 300 * random.uniform();
        const int burst = static_cast<int>(random.below(4));
        Resends resends({{begin, end, share}}, 2, burst);
        for (std::uint32_t i = 0; i < 500; ++i) {
            resends.owe({0, i, 1, 1 + static_cast<int>(random.below(2))});
        }
        double beside = 0;
        double last = -1e9;
        for (double now = 0; now < 600;) {
            if (resends.take(now)) {
                EXPECT_GE(now - last, 2 - 1e-9);
                last = now;
                beside += now > begin - 2 && now < end ? 1 : 0;
            }
            const double next = resends.next_ms(now);
            ASSERT_GE(next, now);
            now = std::max(next, now + 0.1 * random.uniform());
        }
        EXPECT_LE(beside, burst + (end - begin) * (1 - share) / 2 + 1e-6);
    }
}

}  // namespace
}  // namespace longhaul::runtime
