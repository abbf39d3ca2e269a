#include "longhaul/emulate/wan.hpp"

#include <gtest/gtest.h>

#include "longhaul/emulate/detail/addresses.hpp"

namespace longhaul::emulate {
namespace {

TEST(Wan, PayloadShareOfEthernet) {
    EXPECT_DOUBLE_EQ(payload_share(1500, 14), 1448.0 / 1514);
    EXPECT_DOUBLE_EQ(payload_share(9000, 14), 8948.0 / 9014);
}

TEST(Wan, DefaultQueueIsATenthOfASecond) {
    Shape shape;
    shape.rate_mbps = 200;
    EXPECT_DOUBLE_EQ(default_queue(shape), 2.5e6);  // 200e6 / 8 / 10
    shape.rate_mbps = 1;
    EXPECT_DOUBLE_EQ(default_queue(shape), 128e3);
}

TEST(Wan, RatesAreScaledAndCapped) {
    Wan wan;
    wan.resources.resize(3);
    wan.resources[0].shape = {1000, 5, 0, 0, 8000, 4000, false};
    wan.resources[1].shape.rate_mbps = 10;
    limit_rates(wan, 0.5, 100);
    EXPECT_DOUBLE_EQ(wan.resources[0].shape.rate_mbps, 100);
    EXPECT_DOUBLE_EQ(wan.resources[0].shape.queue_bytes, 3028);  // two packets at least
    EXPECT_DOUBLE_EQ(wan.resources[0].shape.burst_bytes, 400);
    EXPECT_DOUBLE_EQ(wan.resources[0].shape.delay_ms, 5);
    EXPECT_DOUBLE_EQ(wan.resources[1].shape.rate_mbps, 5);
    EXPECT_DOUBLE_EQ(wan.resources[2].shape.rate_mbps, 100);  // no limit before
}

TEST(Wan, DelayAndRateOfAPath) {
    Wan wan;
    wan.resources.resize(3);
    wan.resources[0].shape.delay_ms = 2;
    wan.resources[1].shape = {50, 3};
    wan.resources[2].shape = {20, 0};
    EXPECT_DOUBLE_EQ(delay_ms(wan, {0, 1, 2}), 5);
    EXPECT_DOUBLE_EQ(rate_mbps(wan, {0, 1, 2}), 20);
    EXPECT_DOUBLE_EQ(rate_mbps(wan, {0}), 0);
}

TEST(Addresses, Parse) {
    EXPECT_EQ(parse_address("10.77.0.1"), 0x0a4d0001);
    EXPECT_EQ(address_text(0x0a4d0001), "10.77.0.1");
    for (const char* bad : {"",
                            "10.77.0",
                            "10.77.0.1.2",
                            "10.77.0.256",
                            "10.77..1",
                            "a.b.c.d",
                            "10.77.0.1 ",
                            " 10.77.0.1",
                            "10.77.0.-1",
                            "0010.1.1.1"}) {
        EXPECT_FALSE(parse_address(bad)) << bad;
    }
}

TEST(Addresses, Networks) {
    const auto network = parse_network("10.77.0.0/16");
    ASSERT_TRUE(network);
    EXPECT_EQ(network->address, 0x0a4d0000);
    EXPECT_EQ(network->prefix, 16);
    for (const char* bad :
         {"10.77.0.0", "10.77.0.1/16", "10.0.0.0/7", "10.0.0.0/23", "10.0.0.0/x"}) {
        EXPECT_FALSE(parse_network(bad)) << bad;
    }
}

TEST(Addresses, NamesOfHosts) {
    EXPECT_EQ(name_problem("tokyo-1"), "");
    EXPECT_EQ(name_problem("a.b_c"), "");
    for (const char* bad : {"", "-a", ".", "..", "a/b", "a b", "a\n", "control", "ü"}) {
        EXPECT_NE(name_problem(bad), "") << bad;
    }
    EXPECT_NE(name_problem(std::string(64, 'a')), "");
}

}  // namespace
}  // namespace longhaul::emulate
