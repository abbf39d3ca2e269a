#include "skyplane.hpp"

#include <gtest/gtest.h>

#include "csv.hpp"

namespace longhaul::bench {
namespace {

constexpr const char* kThroughputNames =
    "src_region,src_tier,dst_region,dst_tier,throughput_recieved,success\n";
constexpr const char* kLatencyNames = "src_region,src_tier,dst_region,dst_tier,avg_rtt\n";

/// All ordered pairs of a, b, c at rates 1, 2, ... Gbit/s and round trips of 10, 20, ... ms.
std::string throughput(const std::string& success = "True") {
    std::string text = kThroughputNames;
    int number = 0;
    for (const char* from : {"a", "b", "c"}) {
        for (const char* to : {"a", "b", "c"}) {
            if (from != to) {
                ++number;
                text += std::string(from) + ",PREMIUM," + to + ",PREMIUM," +
                        std::to_string(number) + "e9," + (number == 6 ? success : "True") + "\n";
            }
        }
    }
    return text;
}

std::string latency() {
    std::string text = kLatencyNames;
    int number = 0;
    for (const char* from : {"a", "b", "c"}) {
        for (const char* to : {"a", "b", "c"}) {
            if (from != to) {
                text += std::string(from) + ",PREMIUM," + to + ",PREMIUM," +
                        std::to_string(10 * ++number) + "\n";
            }
        }
    }
    return text;
}

TEST(Skyplane, ReadsDirectedPairs) {
    const auto measured = read_regions(throughput() + "a,STANDARD,b,PREMIUM,99e9,True\n",
                                       latency() + "c,PREMIUM,a,PREMIUM,\n");
    ASSERT_TRUE(measured);
    EXPECT_EQ(measured->names, (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_EQ(measured->dropped, 0);
    EXPECT_EQ(measured->rate_gbps(0, 1), 1);  // a -> b is the first pair
    EXPECT_EQ(measured->rate_gbps(1, 0), 3);  // b -> a the third
    EXPECT_EQ(measured->delay_ms(2, 1), 30);  // c -> b the sixth: half of 60
}

TEST(Skyplane, DropsRegionsUntilDense) {
    // c -> b failed: b and c each miss one pair, and the last in the alphabet goes.
    const auto failed = read_regions(throughput("False"), latency());
    ASSERT_TRUE(failed);
    EXPECT_EQ(failed->names, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(failed->dropped, 1);
    const auto nothing =
        read_regions(throughput(), std::string(kLatencyNames) + "a,PREMIUM,b,PREMIUM,nan\n");
    EXPECT_FALSE(nothing);
}

TEST(Skyplane, DrawsFabricsOfTheMeasuredLinks) {
    const auto measured = read_regions(throughput(), latency());
    ASSERT_TRUE(measured);
    const auto fabric = draw_fabric(*measured, 3, 6, false, 1);
    ASSERT_TRUE(fabric);
    EXPECT_EQ(fabric->labels(), (std::vector<std::string>{"a", "a", "b", "b", "c", "c"}));
    EXPECT_EQ(fabric->parts().beta_gbps(0, 2), 1);
    EXPECT_EQ(fabric->parts().beta_gbps(2, 0), 3);
    EXPECT_EQ(fabric->parts().alpha_ms(4, 2), 30);
    EXPECT_EQ(fabric->parts().alpha_ms(0, 1), 0.5);
    const auto uneven = draw_fabric(*measured, 2, 40, true, 2);
    ASSERT_TRUE(uneven);
    EXPECT_EQ(uneven->size(), 40U);
    EXPECT_FALSE(draw_fabric(*measured, 4, 8, false, 1));
}

TEST(Csv, ReportsEveryBadLine) {
    const auto bad = parse_csv("a,b\n1,2\n1\n\"x\",2\n", "file");
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().size(), 2U);
    EXPECT_FALSE(parse_csv("", "file"));
    const auto good = parse_csv("a,b\r\n1,2\r\n", "file");
    ASSERT_TRUE(good);
    EXPECT_EQ(good->rows[0][1], "2");
    EXPECT_FALSE(good->column({"c"}, "file"));
    EXPECT_FALSE(number_in("1x"));
    EXPECT_FALSE(number_in("nan"));
    EXPECT_EQ(number_in("2.5e3"), 2500);
}

}  // namespace
}  // namespace longhaul::bench
