#include "longhaul/runtime/payload.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace longhaul::runtime {
namespace {

constexpr std::int32_t kLargest = (1 << (kPayloadBits - 1)) - 1;

TEST(Payload, FollowsFromSeedRoundAndIsland) {
    const auto first = payload_of(7, 3, 5, 1000);
    EXPECT_EQ(first, payload_of(7, 3, 5, 1000));
    EXPECT_NE(first, payload_of(8, 3, 5, 1000));
    EXPECT_NE(first, payload_of(7, 4, 5, 1000));
    EXPECT_NE(first, payload_of(7, 3, 6, 1000));
    const auto [low, high] = std::ranges::minmax(first);
    EXPECT_GE(low, -kLargest - 1);
    EXPECT_LE(high, kLargest);
    EXPECT_LT(low, -kLargest / 2);  // of a thousand even draws
    EXPECT_GT(high, kLargest / 2);
}

// 64 islands at the largest value: 64 x 2^24 = 2^30.
TEST(Payload, SumsFit) {
    EXPECT_LE(std::int64_t{64} * (kLargest + 1), std::int64_t{1} << 30U);
}

// A row of weights of at least 0 that sums to 2^15, with elements of -2^15: -2^30.
TEST(Payload, WeightedSumsFit) {
    const auto values = payload_of(7, 3, 5, 1000, kWeightedBits);
    const auto [low, high] = std::ranges::minmax(values);
    EXPECT_GE(low, -(1 << 15));
    EXPECT_LE(high, (1 << 15) - 1);
    EXPECT_LE(std::int64_t{kWeightScale} << (kWeightedBits - 1), std::int64_t{1} << 30U);
}

// Thirds of 32768 are 10922.67: one of them is rounded down.
TEST(Payload, WeightsAreRoundedSoThatRowsSumToTheScale) {
    EXPECT_EQ(fixed_point_row({0.5, 0.25, 0.25}), (std::vector<std::int32_t>{16384, 8192, 8192}));
    EXPECT_EQ(fixed_point_row({1.0 / 3, 1.0 / 3, 1.0 / 3}),
              (std::vector<std::int32_t>{10923, 10923, 10922}));
    EXPECT_EQ(fixed_point_row({0, 1}), (std::vector<std::int32_t>{0, 32768}));
}

TEST(Payload, ExpectedSumsWeigh) {
    const auto sums = expected_sums(7, 2, {{1, 0b01}, {1, 0b11}}, 2, {16, {3, 5}});
    const auto a = payload_of(7, 2, 0, 4, 16);
    const auto b = payload_of(7, 2, 1, 4, 16);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(sums[i], 3 * a[i] + (i < 2 ? 0 : 5 * b[i])) << i;
    }
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
