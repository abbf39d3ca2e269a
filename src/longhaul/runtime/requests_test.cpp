#include "longhaul/runtime/requests.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace longhaul::runtime {
namespace {

using Values = std::vector<std::int32_t>;

// Blocks of island 1 are due at 100, 110, 120 and 130 ms; block 1 comes, 3 comes after the second
// request.
TEST(Requests, AskForWhatIsOverdueUntilItComes) {
    Merger merger(0b11, 0, Values(4, 0), 4);
    Requests requests({{1, 100, 10, 50}}, 4);
    EXPECT_EQ(requests.next_ms(), 100);
    EXPECT_TRUE(requests.due(99, merger, 9).empty());
    EXPECT_EQ(requests.next_ms(), 109);  // a tick after the last look
    merger.take(1, 0b10, Values{1});
    EXPECT_EQ(requests.due(115, merger, 9), (std::vector<Request>{{1, {0}}}));
    EXPECT_EQ(requests.due(130, merger, 9), (std::vector<Request>{{1, {2, 3}}}));
    merger.take(0, 0b10, Values{1});
    EXPECT_TRUE(requests.due(170, merger, 9).empty());  // block 0 was due again
    EXPECT_EQ(requests.due(180, merger, 9), (std::vector<Request>{{1, {2, 3}}}));
    merger.take(3, 0b10, Values{1});
    EXPECT_TRUE(requests.due(279, merger, 9).empty());  // now it waits twice as long
    EXPECT_EQ(requests.due(280, merger, 9), (std::vector<Request>{{1, {2}}}));
    merger.take(2, 0b10, Values{1});
    EXPECT_TRUE(requests.due(480, merger, 9).empty());
    EXPECT_TRUE(std::isinf(requests.next_ms()));
    EXPECT_TRUE(merger.complete());
}

TEST(Requests, AreCutIntoDatagrams) {
    const Merger merger(0b111, 0, Values(5, 0), 5);
    Requests requests({{1, 0, 0, 1}, {2, 0, 0, 1}}, 5);
    EXPECT_EQ(requests.due(0, merger, 2),
              (std::vector<Request>{
                  {1, {0, 1}}, {1, {2, 3}}, {1, {4}}, {2, {0, 1}}, {2, {2, 3}}, {2, {4}}}));
}

}  // namespace
}  // namespace longhaul::runtime
