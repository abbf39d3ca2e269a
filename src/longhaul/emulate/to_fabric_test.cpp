#include "longhaul/emulate/to_fabric.hpp"

#include <algorithm>
#include <map>
#include <set>

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
    const fabric::FabricParts& parts = fabric->fabric.parts();
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

TEST(ToFabric, KeepsWhatPairsShare) {
    // Access of each host, one cable between the regions (half duplex), no limit inside.
    const auto wan = read_network(
        "[defaults]\nup = { rate_mbps = 100 }\ndown = { rate_mbps = 80 }\n"
        "[[region]]\nname = \"a\"\nhosts = 2\ninside = { delay_ms = 1 }\n"
        "[[region]]\nname = \"b\"\nhosts = 2\ninside = { delay_ms = 1 }\n"
        "[[link]]\nbetween = [\"a\", \"b\"]\nhalf_duplex = true\nrate_mbps = 50\n",
        "w.toml");
    ASSERT_TRUE(wan) << to_string(wan.error().front());
    const auto made = to_fabric(*wan, "w.toml");
    ASSERT_TRUE(made);
    EXPECT_EQ(made->left_out, 0U);
    constexpr double kPayload = 1448.0 / 1514;
    std::map<std::string, fabric::SharedCapacity> shared;
    for (const fabric::SharedCapacity& each : made->fabric.parts().shared) {
        shared[each.name] = each;
    }
    ASSERT_EQ(shared.size(), 5U);  // four hosts, one cable
    const fabric::SharedCapacity& host = shared.at("up:a-2, down:a-2");
    EXPECT_EQ(host.of, std::vector<std::string>{"a-2"});
    EXPECT_NEAR(host.there_gbps, 0.1 * kPayload, 1e-12);
    EXPECT_NEAR(host.back_gbps, 0.08 * kPayload, 1e-12);
    const fabric::SharedCapacity& cable = shared.at("link:a=b");
    EXPECT_EQ(cable.between, (std::vector<std::string>{"a", "b"}));
    EXPECT_FALSE(cable.duplex);
    EXPECT_NEAR(cable.there_gbps, 0.05 * kPayload, 1e-12);
}

TEST(ToFabric, SharedCapacityComesBackFromItsNetwork) {
    const std::string list =
        R"([{"name": "up", "gbps_there": 0.3, "gbps_back": 0.2, "of": ["x"]},
            {"name": "one way", "gbps_back": 0.25, "between": ["x", "y"]},
            {"name": "radio", "gbps": 0.1, "duplex": false, "between": ["y", "z"]}])";
    const auto wan = read_network(
        R"({"labels": ["x", "x", "y", "y", "z"],
            "alpha_ms": [[0,1,1,1,1],[1,0,1,1,1],[1,1,0,1,1],[1,1,1,0,1],[1,1,1,1,0]],
            "beta_gbps": [[0,1,1,1,1],[1,0,1,1,1],[1,1,0,1,1],[1,1,1,0,1],[1,1,1,1,0]],
            "shared": )" +
            list + "}",
        "f.json");
    ASSERT_TRUE(wan) << to_string(wan.error().front());
    const auto made = to_fabric(*wan, "f.json");
    ASSERT_TRUE(made);
    EXPECT_EQ(made->left_out, 0U);
    std::set<std::string> found;
    for (const fabric::SharedCapacity& each : made->fabric.parts().shared) {
        found.insert(each.name);
        if (each.name.starts_with("shared:up>")) {
            EXPECT_EQ(each.of, std::vector<std::string>{"x"});
            EXPECT_NEAR(each.there_gbps, 0.3, 1e-12);
            EXPECT_NEAR(each.back_gbps, 0.2, 1e-12);
        } else if (each.name == "shared:one way<") {
            EXPECT_EQ(each.between.size(), 2U);
            EXPECT_NEAR(std::min(each.there_gbps, each.back_gbps), 0.25, 1e-12);
        } else {
            EXPECT_EQ(each.name, "shared:radio=");
            EXPECT_FALSE(each.duplex);
            EXPECT_NEAR(each.there_gbps, 0.1, 1e-12);
        }
    }
    EXPECT_EQ(found.size(), 3U);
}

TEST(ToFabric, AHostOnBothSidesOfACapacityIsRefused) {
    const auto wan = read_network(
        R"({"labels": ["x", "y", "z"], "alpha_ms": [[0,1,1],[1,0,1],[1,1,0]],
            "beta_gbps": [[0,1,1],[1,0,1],[1,1,0]],
            "devices": [{"host": "h"}, {"host": "h"}, {"host": "i"}],
            "shared": [{"name": "up", "gbps": 1, "of": ["x"]}]})",
        "f.json");
    ASSERT_FALSE(wan);
    EXPECT_NE(core::to_string(wan.error()[0]).find("shared[0]: a host has devices on both sides"),
              std::string::npos);
}

TEST(ToFabric, AFabricComesBackFromItsNetwork) {
    const auto wan = read_network(
        "{\"labels\": [\"x\", \"y\"], \"alpha_ms\": [[0, 5], [7, 0]], "
        "\"beta_gbps\": [[0, 0.2], [0.1, 0]]}",
        "f.json");
    ASSERT_TRUE(wan);
    const auto fabric = to_fabric(*wan, "f.json");
    ASSERT_TRUE(fabric);
    EXPECT_EQ(fabric->fabric.parts().alpha_ms(0, 1), 6);
    EXPECT_NEAR(fabric->fabric.parts().beta_gbps(0, 1), 0.2, 1e-12);
    EXPECT_NEAR(fabric->fabric.parts().beta_gbps(1, 0), 0.1, 1e-12);
}

}  // namespace
}  // namespace longhaul::emulate
