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
            merger.take(block, mask, sums);
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
