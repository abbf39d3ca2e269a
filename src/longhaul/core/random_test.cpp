#include "longhaul/core/random.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace longhaul::core {
namespace {

using Words = std::array<std::uint32_t, 4>;

// The three vectors of "philox4x32 10" in tests/kat_vectors of the Random123 distribution.
TEST(Philox, KnownAnswers) {
    EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
              (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    constexpr std::uint32_t kOnes = 0xffffffff;
    EXPECT_EQ(philox4x32({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
              (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(
        philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
        (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, IsTheBlockFunctionOfSeedStreamAndPosition) {
    const std::uint64_t seed = 0x0123456789abcdef;
    const std::uint64_t stream = 0xfedcba9876543210;
    Random random(seed, stream);
    for (std::uint32_t block = 0; block < 3; ++block) {
        const Words words =
            philox4x32({block, 0, 0x76543210, 0xfedcba98}, {0x89abcdef, 0x01234567});
        for (const std::uint32_t word : words) {
            EXPECT_EQ(random.next(), word);
        }
    }
}

TEST(Random, StreamsAndSeedsDiffer) {
    std::set<std::vector<std::uint32_t>> seen;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        for (std::uint64_t stream = 0; stream < 10; ++stream) {
            Random random(seed, stream);
            Random again(seed, stream);
            std::vector<std::uint32_t> words(8);
            std::ranges::generate(words, [&] { return random.next(); });
            for (const std::uint32_t word : words) {
                EXPECT_EQ(again.next(), word);
            }
            seen.insert(words);
        }
    }
    EXPECT_EQ(seen.size(), 100U);
}

/// Pearson's statistic against equal expected counts.
double chi_square(const std::vector<int>& counts) {
    const double expected =
        std::accumulate(counts.begin(), counts.end(), 0.0) / static_cast<double>(counts.size());
    double sum = 0;
    for (const int count : counts) {
        sum += (count - expected) * (count - expected) / expected;
    }
    return sum;
}

// The 99.9 % quantile of chi-square is 22.46 with 6 and 27.88 with 9 degrees of freedom (tables in
// any statistics text); with a fixed seed the test either always passes or never.
TEST(Random, BelowIsUniform) {
    Random random(1);
    std::vector<int> counts(7);
    for (int i = 0; i < 70'000; ++i) {
        ++counts[random.below(7)];
    }
    EXPECT_LT(chi_square(counts), 22.46);
}

// With bound 3 * 2^30, taking the high word of the product without rejection would hit every third
// value twice as often: thirds of the range by remainder show that.
TEST(Random, BelowIsUnbiasedForLargeBounds) {
    constexpr std::uint32_t kBound = 3U << 30U;
    Random random(2);
    std::vector<int> counts(3);
    for (int i = 0; i < 30'000; ++i) {
        const std::uint32_t value = random.below(kBound);
        ASSERT_LT(value, kBound);
        ++counts[value % 3];
    }
    EXPECT_LT(chi_square(counts), 13.82);  // 2 degrees of freedom
}

TEST(Random, BelowOneIsZero) {
    Random random(3);
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(random.below(1), 0U);
        EXPECT_EQ(random.index(1), 0U);
    }
}

TEST(Random, UniformFillsTheUnitInterval) {
    Random random(4);
    std::vector<int> counts(10);
    double least = 1;
    double greatest = 0;
    for (int i = 0; i < 100'000; ++i) {
        const double value = random.uniform();
        ASSERT_GE(value, 0);
        ASSERT_LT(value, 1);
        least = std::min(least, value);
        greatest = std::max(greatest, value);
        ++counts[static_cast<std::size_t>(value * 10)];
    }
    EXPECT_LT(chi_square(counts), 27.88);
    EXPECT_LT(least, 1e-3);
    EXPECT_GT(greatest, 1 - 1e-3);
}

TEST(Random, UniformUsesFiftyThreeBits) {
    // The first two words of seed 0, stream 0 are 6627e8d5 and e169c58d (known answer above);
    // 27 bits of the first and 26 of the second make the fraction.
    Random random(0);
    const double expected =
        (static_cast<double>(0x6627e8d5U >> 5U) * 67108864.0 + (0xe169c58dU >> 6U)) /
        9007199254740992.0;
    EXPECT_EQ(random.uniform(), expected);
}

// The statistics of 20 streams add up to one with 20 * 5 degrees of freedom; its 99.9 % quantile is
// 149.4.
TEST(Random, ShuffleReachesAllOrdersEqually) {
    double sum = 0;
    for (std::uint64_t stream = 0; stream < 20; ++stream) {
        Random random(5, stream);
        std::vector<int> counts(6);
        for (int i = 0; i < 6000; ++i) {
            std::array<int, 3> items = {0, 1, 2};
            random.shuffle(std::span<int>(items));
            // Lehmer code of the permutation.
            const int first = items[0];
            const int second = items[1] - (items[1] > first ? 1 : 0);
            ++counts[static_cast<std::size_t>(first * 2 + second)];
        }
        sum += chi_square(counts);
    }
    EXPECT_LT(sum, 149.4);
}

TEST(Random, ShuffleKeepsTheItems) {
    Random random(6);
    std::vector<int> items(100);
    std::iota(items.begin(), items.end(), 0);
    const std::vector<int> sorted = items;
    random.shuffle(std::span<int>(items));
    EXPECT_NE(items, sorted);
    EXPECT_TRUE(std::ranges::is_permutation(items, sorted));
    std::vector<int> none;
    random.shuffle(std::span<int>(none));
}

}  // namespace
}  // namespace longhaul::core
