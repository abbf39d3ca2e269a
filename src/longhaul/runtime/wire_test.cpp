#include "longhaul/runtime/wire.hpp"

#include <gtest/gtest.h>

#include "longhaul/core/random.hpp"

namespace longhaul::runtime {
namespace {

// The bytes are written out by hand from the layout in the header.
TEST(Wire, LayoutIsAsDocumented) {
    const Datagram datagram{
        Kind::kSum, 0x01020304, 0x05060708, 0x090a, 0x0b0c0d0e, 0x8000000000000005, {1, -2}};
    std::vector<std::byte> bytes;
    write_datagram(datagram, bytes);
    const std::vector<int> expected{'L', 'X', 2, 0, 1,  2,  3,  4,  5,    6,    7,    8,
                                    9,   10,  0, 2, 11, 12, 13, 14, 0x80, 0,    0,    0,
                                    0,   0,   0, 5, 0,  0,  0,  1,  0xff, 0xff, 0xff, 0xfe};
    ASSERT_EQ(bytes.size(), expected.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        EXPECT_EQ(std::to_integer<int>(bytes[i]), expected[i]) << i;
    }
}

TEST(Wire, ReadsWhatItWrites) {
    core::Random random(1);
    for (int i = 0; i < 300; ++i) {
        Datagram datagram;
        datagram.kind = static_cast<Kind>(1 + random.below(6));
        datagram.round = random.next();
        datagram.block = random.next();
        datagram.source = static_cast<std::uint16_t>(random.next());
        datagram.sequence = random.next();
        datagram.mask = (std::uint64_t{random.next()} << 32U) | random.next();
        datagram.elements.resize(random.index(kMostElements + 1));
        for (std::int32_t& element : datagram.elements) {
            element = static_cast<std::int32_t>(random.next());
        }
        std::vector<std::byte> bytes;
        write_datagram(datagram, bytes);
        Datagram read;
        ASSERT_TRUE(read_datagram(bytes, read));
        EXPECT_EQ(read, datagram);
    }
}

TEST(Wire, RefusesWhatIsNotOurs) {
    std::vector<std::byte> good;
    write_datagram({Kind::kContribution, 1, 2, 3, 4, 5, {6, 7}}, good);
    Datagram read;
    for (std::size_t size = 0; size < good.size(); ++size) {
        EXPECT_FALSE(read_datagram(std::span(good).first(size), read)) << size;
    }
    for (const std::size_t place : {0U, 1U, 2U}) {
        std::vector<std::byte> bad = good;
        bad[place] = std::byte{0};
        EXPECT_FALSE(read_datagram(bad, read));
    }
    std::vector<std::byte> longer = good;
    longer.push_back(std::byte{0});
    EXPECT_FALSE(read_datagram(longer, read));
    good[2] = std::byte{7};
    EXPECT_FALSE(read_datagram(good, read));
}

}  // namespace
}  // namespace longhaul::runtime
