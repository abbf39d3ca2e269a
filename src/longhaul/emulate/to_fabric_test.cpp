#include "longhaul/emulate/to_fabric.hpp"

#include <gtest/gtest.h>

#include "longhaul/emulate/read.hpp"

namespace longhaul::emulate {
namespace {

TEST(ToFabric, HasTheDelaysAndPayloadRatesOfThePaths) {
    const auto wan = read_network(
        "[[region]]\nname = \"a\"\nhosts = 2\ninside = { delay_ms = 1 }\n"
        "[[region]]\nname = \"b\"\nhosts = 1\n"
        "[[link]]\nfrom = \"a\"\nto = \"b\"\ndelay_ms = 10\nrate_mbps = 100\n"
        "[[link]]\nfrom = \"b\"\nto = \"a\"\ndelay_ms = 30\nrate_mbps = 50\n",
        "w.toml");
    ASSERT_TRUE(wan) << to_string(wan.error().front());
    const auto fabric = to_fabric(*wan, "w.toml");
    ASSERT_TRUE(fabric) << to_string(fabric.error().front());
    const fabric::FabricParts& parts = fabric->parts();
    EXPECT_EQ(parts.labels, (std::vector<std::string>{"a", "a", "b"}));
    EXPECT_EQ(parts.devices[0].host, "a-1");
    EXPECT_EQ(parts.alpha_ms(0, 1), 1);
    EXPECT_EQ(parts.alpha_ms(0, 2), 20);  // half of 10 + 30
    EXPECT_EQ(parts.alpha_ms(2, 0), 20);
    // 1448 of 1514 bytes of a full frame are payload.
    EXPECT_NEAR(parts.beta_gbps(0, 2), 0.1 * 1448 / 1514, 1e-12);
    EXPECT_NEAR(parts.beta_gbps(2, 1), 0.05 * 1448 / 1514, 1e-12);
    EXPECT_EQ(parts.beta_gbps(0, 1), kUnlimitedGbps);
}

TEST(ToFabric, AFabricComesBackFromItsNetwork) {
    const auto wan = read_network(
        "{\"labels\": [\"x\", \"y\"], \"alpha_ms\": [[0, 5], [7, 0]], "
        "\"beta_gbps\": [[0, 0.2], [0.1, 0]]}",
        "f.json");
    ASSERT_TRUE(wan);
    const auto fabric = to_fabric(*wan, "f.json");
    ASSERT_TRUE(fabric);
    EXPECT_EQ(fabric->parts().alpha_ms(0, 1), 6);
    EXPECT_NEAR(fabric->parts().beta_gbps(0, 1), 0.2, 1e-12);
    EXPECT_NEAR(fabric->parts().beta_gbps(1, 0), 0.1, 1e-12);
}

}  // namespace
}  // namespace longhaul::emulate
