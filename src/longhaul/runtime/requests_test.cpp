#include "longhaul/runtime/requests.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "longhaul/core/random.hpp"

namespace longhaul::runtime {
namespace {

using Values = std::vector<std::int32_t>;

// Blocks of island 1 are due at 100, 110, 120 and 130 ms; 5 ms later they are asked for when a part
// of them is there, 30 ms later when nothing is. The sender answers from 120 ms on; the ways take
// 20 and 30 ms, an answer 1 ms, and 50, 100, 200 ms more are borne.
const DueStream kStream{1, 100, 10, 20, 30, 1, {{0, 120}}};
constexpr Patience kPatience{5, 30, 50, 3};

TEST(Requests, AskOnceForWhatIsOverdueAndAgainWhenTheAnswerIs) {
    Merger merger(0b11, 0, Values(4, 0), 4);
    Requests requests({kStream}, 4, kPatience);
    EXPECT_EQ(requests.next_ms(), 105);
    EXPECT_TRUE(requests.due(129, 129, merger, 9).empty());
    merger.take(1, 0b10, Values{1});
    EXPECT_EQ(requests.due(160, 160, merger, 9), (std::vector<Request>{{1, 1, {{0, 1}, {2, 2}}}}));
    EXPECT_EQ(requests.lacking(), 3);
    // Nothing is asked for a second time before 160 + 20 + 3 x 1 + 30 + 50 ms.
    EXPECT_EQ(requests.next_ms(), 263);
    EXPECT_TRUE(requests.due(262, 262, merger, 9).empty());
    EXPECT_EQ(requests.next_ms(), 287);  // a tick after the last look
    merger.take(0, 0b10, Values{1});
    EXPECT_EQ(requests.due(263, 263, merger, 9), (std::vector<Request>{{1, 2, {{2, 2}}}}));
    // Then 263 + 20 + 2 x 1 + 30 and twice the wait: 415 ms.
    EXPECT_TRUE(requests.due(414, 414, merger, 9).empty());
    EXPECT_EQ(requests.due(415, 415, merger, 9), (std::vector<Request>{{1, 3, {{2, 2}}}}));
    // Three tries are all.
    EXPECT_TRUE(std::isinf(requests.next_ms()));
    EXPECT_TRUE(requests.due(1e9, 1e9, merger, 9).empty());
    EXPECT_EQ(requests.lacking(), 3);
    EXPECT_EQ(requests.asked(), 3 + 2 + 2);
}

// The sender answers when its own stream is out, at 400 ms: one request that is there by then.
TEST(Requests, GatherWhatTheSenderCannotAnswerYet) {
    const Merger merger(0b11, 0, Values(4, 0), 4);
    Requests requests({{1, 100, 10, 20, 30, 1, {{0, 200}, {150, 400}, {450, 500}}}}, 4, kPatience);
    EXPECT_EQ(requests.next_ms(), 380);
    EXPECT_TRUE(requests.due(379, 379, merger, 9).empty());
    EXPECT_EQ(requests.due(380, 380, merger, 9), (std::vector<Request>{{1, 1, {{0, 4}}}}));
    EXPECT_EQ(requests.next_ms(), 400 + 4 + 30 + 50);
    // Asked for again at 484, there at 504, behind the next stream: 504 + 4 + 30 + 100.
    EXPECT_EQ(requests.due(484, 484, merger, 9).size(), 1);
    EXPECT_EQ(requests.next_ms(), 638);
}

// What of a block is there says that its sum has left the slot.
TEST(Requests, AskSoonerForTheRestOfABlock) {
    Merger merger(0b111, 0, Values(4, 0), 4);
    Requests requests({kStream, {2, 100, 10, 20, 30, 1, {{0, 120}}}}, 4, kPatience);
    merger.take(0, 0b100, Values{1});
    EXPECT_EQ(requests.due(105, 105, merger, 9), (std::vector<Request>{{1, 1, {{0, 1}}}}));
    EXPECT_EQ(requests.due(140, 140, merger, 9),
              (std::vector<Request>{{1, 1, {{1, 1}}}, {2, 1, {{1, 1}}}}));
}

// While the access link is behind, blocks that were due lately wait in front of it.
TEST(Requests, WaitForWhatQueues) {
    const Merger merger(0b11, 0, Values(4, 0), 4);
    Requests requests({kStream}, 4, kPatience);
    EXPECT_TRUE(requests.due(500, 129, merger, 9).empty());
    EXPECT_EQ(requests.due(510, 140, merger, 9), (std::vector<Request>{{1, 1, {{0, 2}}}}));
    EXPECT_EQ(requests.planned_ms(3), 130);
}

// Answers come one after the other: nobody asks again as long as they do.
TEST(Requests, WaitWhileAnswersCome) {
    const Merger merger(0b11, 0, Values(1, 0), 1);
    Requests requests({kStream}, 1, kPatience);
    EXPECT_EQ(requests.due(130, 130, merger, 9).size(), 1);
    requests.answered(280, 1);
    requests.answered(285, 2);  // another's
    EXPECT_TRUE(requests.due(299, 299, merger, 9).empty());
    EXPECT_EQ(requests.due(300, 300, merger, 9), (std::vector<Request>{{1, 2, {{0, 1}}}}));
}

TEST(Requests, WithoutTriesThereAreNone) {
    const Merger merger(0b11, 0, Values(4, 0), 4);
    Requests requests({kStream}, 4, {5, 30, 50, 0});
    EXPECT_TRUE(std::isinf(requests.next_ms()));
    EXPECT_TRUE(requests.due(1e6, 1e6, merger, 9).empty());
    EXPECT_EQ(requests.lacking(), 0);
}

TEST(Requests, AreCutIntoDatagrams) {
    Merger merger(0b11, 0, Values(6, 0), 6);
    merger.take(1, 0b10, Values{1});
    merger.take(3, 0b10, Values{1});
    Requests requests({{1, 0, 0, 0, 0, 0, {}}}, 6, {0, 0, 1, 1});
    EXPECT_EQ(requests.due(0, 0, merger, 2),
              (std::vector<Request>{{1, 1, {{0, 1}, {2, 1}}}, {1, 1, {{4, 2}}}}));
}

// A network that loses 40 % of everything, requests and answers: what is asked for stays within the
// tries, and on average far below.
TEST(Requests, AreBoundedWhateverIsLost) {
    core::Random random(3);
    std::uint64_t lacking = 0;
    std::uint64_t asked = 0;
    for (int trial = 0; trial < 50; ++trial) {
        constexpr std::uint32_t kBlocks = 40;
        Merger merger(0b11, 0, Values(kBlocks, 0), kBlocks);
        Requests requests({{1, 0, 2, 20, 20, 1, {{0, 80}}}}, kBlocks, {5, 30, 50, 6});
        for (std::uint32_t block = 0; block < kBlocks; ++block) {
            if (random.uniform() > 0.4) {
                merger.take(block, 0b10, Values{1});
            }
        }
        std::vector<std::pair<double, std::uint32_t>> answers;  // on their way
        for (double now = 0; now < 20e3; now += 5) {
            std::erase_if(answers, [&](const auto& answer) {
                if (answer.first <= now) {
                    merger.take(answer.second, 0b10, Values{1});
                    requests.answered(now, 1);
                }
                return answer.first <= now;
            });
            for (const Request& request : requests.due(now, now, merger, 180)) {
                for (const BlockRange& range : request.ranges) {
                    for (std::uint32_t i = 0; i < range.count; ++i) {
                        if (random.uniform() > 0.64) {
                            answers.emplace_back(now + 40 + i, range.first + i);
                        }
                    }
                }
            }
        }
        lacking += requests.lacking();
        asked += requests.asked();
        EXPECT_LE(requests.asked(), 6 * requests.lacking());
    }
    // The mean of tries that succeed with 0.36 each and end after 6: (1 - 0.64^6) / 0.36 = 2.587.
    EXPECT_NEAR(static_cast<double>(asked) / static_cast<double>(lacking), 2.587, 0.2);
}

}  // namespace
}  // namespace longhaul::runtime
