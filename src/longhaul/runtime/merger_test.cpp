#include "longhaul/runtime/merger.hpp"

#include <gtest/gtest.h>

#include "longhaul/core/random.hpp"

namespace longhaul::runtime {
namespace {

using Values = std::vector<std::int32_t>;

TEST(Merger, AddsPartsToItsOwn) {
    Merger merger(0b1011, 1, {1, 2, 3, 4}, 2);
    EXPECT_EQ(merger.take(0, 0b1001, Values{10, 20}), Merger::Took::kAdded);
    EXPECT_FALSE(merger.complete());
    EXPECT_EQ(merger.take(1, 0b1000, Values{30, 40}), Merger::Took::kAdded);
    EXPECT_EQ(merger.take(1, 0b0001, Values{300, 400}), Merger::Took::kAdded);
    EXPECT_TRUE(merger.complete());
    EXPECT_EQ(merger.sums(), (Values{11, 22, 333, 444}));
    EXPECT_EQ(merger.stretches(), (std::vector<Stretch>{{2, 0b1011}}));
}

TEST(Merger, DropsWhatItHasAndWhatIsNoneOfItsOwn) {
    Merger merger(0b0011, 0, {1, 2}, 1);
    EXPECT_EQ(merger.take(0, 0b0001, Values{5, 5}), Merger::Took::kDuplicate);  // itself
    EXPECT_EQ(merger.take(0, 0b0110, Values{5, 5}), Merger::Took::kRefused);
    EXPECT_EQ(merger.take(0, 0, Values{5, 5}), Merger::Took::kRefused);
    EXPECT_EQ(merger.take(1, 0b0010, Values{5, 5}), Merger::Took::kRefused);
    EXPECT_EQ(merger.take(0, 0b0010, Values{5}), Merger::Took::kRefused);
    EXPECT_EQ(merger.take(0, 0b0010, Values{5, 5}), Merger::Took::kAdded);
    EXPECT_EQ(merger.take(0, 0b0010, Values{5, 5}), Merger::Took::kDuplicate);
    EXPECT_EQ(merger.sums(), (Values{6, 7}));
}

// A part that overlaps what is there cannot be taken apart: it is dropped whole.
TEST(Merger, OverlapsAreNotAdded) {
    Merger merger(0b0111, 0, {0}, 1);
    EXPECT_EQ(merger.take(0, 0b0010, Values{7}), Merger::Took::kAdded);
    EXPECT_EQ(merger.take(0, 0b0110, Values{70}), Merger::Took::kDuplicate);
    EXPECT_EQ(merger.take(0, 0b0100, Values{63}), Merger::Took::kAdded);
    EXPECT_TRUE(merger.complete());
    EXPECT_EQ(merger.sums(), (Values{70}));
}

// A block that was sent again is taken out of a sum that holds it too: nothing of the sum is lost.
TEST(Merger, SumsMayHoldWhatCameAlone) {
    Merger merger(0b1111, 0, {1, 1}, 2);
    EXPECT_EQ(merger.take_alone(0, 1, Values{10}), Merger::Took::kAdded);
    EXPECT_EQ(merger.take_alone(0, 1, Values{10}), Merger::Took::kDuplicate);
    EXPECT_EQ(merger.take(0, 0b0110, Values{110}), Merger::Took::kAdded);
    EXPECT_EQ(merger.mask(0), 0b0111);
    EXPECT_EQ(merger.take(0, 0b0010, Values{10}),
              Merger::Took::kDuplicate);  // it is in the sum now
    EXPECT_EQ(merger.take(0, 0b1100, Values{1100}), Merger::Took::kDuplicate);
    EXPECT_EQ(merger.take_alone(0, 3, Values{1000}), Merger::Took::kAdded);
    EXPECT_EQ(merger.take(1, 0b1110, Values{2220}), Merger::Took::kAdded);
    EXPECT_EQ(merger.sums(), (Values{1111, 2221}));
    EXPECT_TRUE(merger.complete());
    EXPECT_EQ(merger.take_alone(0, 0, Values{1}), Merger::Took::kRefused);  // itself
    EXPECT_EQ(merger.take_alone(0, 64, Values{1}), Merger::Took::kRefused);
    EXPECT_EQ(merger.take_alone(2, 1, Values{1}), Merger::Took::kRefused);
}

// 3 x 2 + 1 x 5 + 4 x 7; without island 2 the mean is (6 + 5) / 4.
TEST(Merger, WeightsCount) {
    Merger merger(0b111, 0, {2, 2}, 2, {3, 1, 4});
    EXPECT_EQ(merger.take(0, 0b110, Values{5 + 28}), Merger::Took::kAdded);
    EXPECT_EQ(merger.take_alone(1, 1, Values{5}), Merger::Took::kAdded);
    EXPECT_EQ(merger.sums(), (Values{39, 11}));
    EXPECT_EQ(merger.means(), (std::vector<double>{39.0 / 8, 11.0 / 4}));
}

TEST(Merger, MeansAreOverWhatArrived) {
    Merger merger(0b0111, 0, {3, 3}, 2);
    EXPECT_EQ(merger.take(0, 0b0110, Values{6}), Merger::Took::kAdded);
    EXPECT_EQ(merger.take(1, 0b0100, Values{6}), Merger::Took::kAdded);
    EXPECT_EQ(merger.means(), (std::vector<double>{3, 4.5}));
    EXPECT_EQ(merger.stretches(), (std::vector<Stretch>{{1, 0b0111}, {1, 0b0101}}));
}

// Random parts, some twice, some never: the sums are those of the islands that the masks name.
TEST(Merger, SumsAreWhatTheMasksSay) {
    core::Random random(5);
    for (int trial = 0; trial < 300; ++trial) {
        const std::uint32_t blocks = 1 + random.below(4);
        const std::uint32_t round = random.below(9);
        constexpr std::size_t kSize = 3;
        const schedule::Clique wanted = 0b11111;
        Merger merger(wanted, 2, payload_of(1, round, 2, blocks * kSize), blocks);
        for (int i = 0; i < 30; ++i) {
            const std::uint32_t block = random.below(blocks);
            const schedule::Clique mask = random.below(32) & ~4U;
            Values sums(kSize, 0);
            for (const int island : schedule::members_of(mask)) {
                const auto payload = payload_of(1, round, island, blocks * kSize);
                for (std::size_t k = 0; k < kSize; ++k) {
                    sums[k] += payload[block * kSize + k];
                }
            }
            if (schedule::clique_size(mask) == 1 && random.below(2) == 0) {
                merger.take_alone(block, schedule::members_of(mask).front(), sums);
            } else {
                merger.take(block, mask, sums);
            }
        }
        EXPECT_EQ(merger.sums(), expected_sums(1, round, merger.stretches(), kSize));
        bool all = true;
        for (std::uint32_t block = 0; block < blocks; ++block) {
            all = all && merger.mask(block) == wanted;
        }
        EXPECT_EQ(merger.complete(), all);
    }
}

}  // namespace
}  // namespace longhaul::runtime
