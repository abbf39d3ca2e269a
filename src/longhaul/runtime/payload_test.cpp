#include "longhaul/runtime/payload.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace longhaul::runtime {
namespace {

TEST(Payload, FollowsFromSeedRoundAndIsland) {
    const auto first = payload_of(7, 3, 5, 1000);
    EXPECT_EQ(first, payload_of(7, 3, 5, 1000));
    EXPECT_NE(first, payload_of(8, 3, 5, 1000));
    EXPECT_NE(first, payload_of(7, 4, 5, 1000));
    EXPECT_NE(first, payload_of(7, 3, 6, 1000));
    const auto [low, high] = std::ranges::minmax(first);
    EXPECT_GE(low, -kLargestElement - 1);
    EXPECT_LE(high, kLargestElement);
    EXPECT_LT(low, -kLargestElement / 2);  // of a thousand even draws
    EXPECT_GT(high, kLargestElement / 2);
}

// 64 islands at the largest value: 64 x 2^24 = 2^30.
TEST(Payload, SumsFit) {
    EXPECT_LE(std::int64_t{64} * (kLargestElement + 1), std::int64_t{1} << 30U);
}

TEST(Payload, ExpectedSumsAddWhatStretchesName) {
    const std::size_t elements = 10;
    const auto sums = expected_sums(7, 2, {{2, 0b101}, {1, 0b010}, {2, 0b111}}, 2);
    const auto a = payload_of(7, 2, 0, elements);
    const auto b = payload_of(7, 2, 1, elements);
    const auto c = payload_of(7, 2, 2, elements);
    for (std::size_t i = 0; i < elements; ++i) {
        const std::int32_t expected = i < 4 ? a[i] + c[i] : i < 6 ? b[i] : a[i] + b[i] + c[i];
        EXPECT_EQ(sums[i], expected) << i;
    }
}

// printf '\001\000\000\000\376\377\377\377' | sha256sum
TEST(Payload, DigestIsThatOfTheBytes) {
    EXPECT_EQ(digest_of({1, -2}),
              "b5f56b64f014154a5433fcb074019bb39a5bc74b2004cb4670565d57b5af23b6");
}

}  // namespace
}  // namespace longhaul::runtime
