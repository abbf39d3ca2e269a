#include "longhaul/fabric/subset.hpp"

#include <gtest/gtest.h>

#include "longhaul/fabric/read.hpp"

namespace longhaul::fabric {
namespace {

/// Six devices on hosts a0 a0 a1 of east and b0 b0 b1 of west; value (i, j) = 10 i + j + 1.
Fabric six() {
    std::string matrix;
    for (int i = 0; i < 6; ++i) {
        std::string row;
        for (int j = 0; j < 6; ++j) {
            row += (j == 0 ? "" : ",") + std::to_string(i == j ? 0 : 10 * i + j + 1);
        }
        matrix += (i == 0 ? "[" : ",[") + row + "]";
    }
    const std::string text =
        R"({"format":"longhaul.fabric/1","labels":["east","east","east","west","west","west"],)"
        R"("provenance":"by hand","alpha_ms":[)" +
        matrix + R"(],"beta_gbps":[)" + matrix +
        R"(],"devices":[{"host":"a0"},{"host":"a0"},)"
        R"({"host":"a1"},{"host":"b0"},{"host":"b0"},{"host":"b1"}],"shared":[)"
        R"({"name":"uplink","gbps":1,"of":["east"]},)"
        R"({"name":"nics","gbps":2,"of":["a0","a1"]},)"
        R"({"name":"line","gbps":3,"between":["a1","west"]}]})";
    const auto fabric = read_fabric(text, "six");
    EXPECT_TRUE(fabric) << core::to_string(fabric.error().front());
    return *fabric;
}

TEST(Subset, KeepsTheLinksOfWhatIsLeft) {
    const Fabric fabric = six();
    const auto devices = devices_at(fabric, {"a1", "b0"}, false);
    ASSERT_TRUE(devices);
    EXPECT_EQ(*devices, (std::vector<int>{0, 1, 5}));
    const Fabric left = subset(fabric, *devices, "without a1 and b0");
    ASSERT_EQ(left.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(left.labels()[i], fabric.labels()[(*devices)[i]]);
        EXPECT_EQ(left.parts().devices[i].host, fabric.parts().devices[(*devices)[i]].host);
        for (std::size_t j = 0; j < 3; ++j) {
            EXPECT_EQ(left.parts().alpha_ms(i, j),
                      fabric.parts().alpha_ms((*devices)[i], (*devices)[j]));
            EXPECT_EQ(left.parts().beta_gbps(i, j),
                      fabric.parts().beta_gbps((*devices)[i], (*devices)[j]));
        }
    }
    // "line" ends at a1, which is gone; of "nics" a0 is left.
    ASSERT_EQ(left.parts().shared.size(), 2U);
    EXPECT_EQ(left.parts().shared[0].name, "uplink");
    EXPECT_EQ(left.parts().shared[1].of, (std::vector<std::string>{"a0"}));
    EXPECT_EQ(left.parts().provenance, "by hand; without a1 and b0");
    const auto again = read_fabric(core::write_json(to_value(left)), "again");
    ASSERT_TRUE(again);
    EXPECT_EQ(again->parts().beta_gbps, left.parts().beta_gbps);
}

TEST(Subset, LeavesOutResourcesThatNoPairLoads) {
    const Fabric fabric = six();
    const auto east = devices_at(fabric, {"east"}, true);
    ASSERT_TRUE(east);
    EXPECT_EQ(*east, (std::vector<int>{0, 1, 2}));
    EXPECT_TRUE(subset(fabric, *east, "east").parts().shared.empty());
}

TEST(Subset, OfATableHasOnlyTheKindsThatAreLeft) {
    const auto table = read_fabric(
        "regions = [\"x\", \"y\", \"z\"]\ngpus_per_region = 4\n"
        "intra_region = { delay_ms = 1, bandwidth_gbps = 9 }\npairs = [\n"
        "{ a = \"x\", b = \"y\", delay_ms = 2, bandwidth_gbps = 3 },\n"
        "{ a = \"x\", b = \"z\", delay_ms = 4, bandwidth_gbps = 5 },\n"
        "{ a = \"y\", b = \"z\", delay_ms = 6, bandwidth_gbps = 7 },\n]\n",
        "t.toml");
    ASSERT_TRUE(table) << core::to_string(table.error().front());
    const auto devices = devices_at(*table, {"y"}, false);
    ASSERT_TRUE(devices);
    const Fabric left = subset(*table, *devices, "");
    EXPECT_EQ(left.size(), 8U);
    EXPECT_LT(left.parts().alpha_ms.kinds(), table->parts().alpha_ms.kinds());
    EXPECT_EQ(left.parts().beta_gbps(0, 1), 9);
    EXPECT_EQ(left.parts().beta_gbps(0, 7), 5);
}

TEST(DevicesAt, TakesNamesOfDevicesAsPlansPrintThem) {
    const Fabric counted = six();  // no local ranks: a0#0, a0#1, a1#0, b0#0, b0#1, b1#0
    EXPECT_EQ(devices_at(counted, {"a0#1", "b0#0", "b1"}, false).value(),
              (std::vector<int>{0, 2, 4}));
    const auto table = read_fabric(
        "regions = [\"x\", \"y\"]\ngpus_per_region = [3, 2]\ngpus_per_host = 2\n"
        "intra_region = { delay_ms = 1, bandwidth_gbps = 9 }\npairs = [\n"
        "{ a = \"x\", b = \"y\", delay_ms = 2, bandwidth_gbps = 3 },\n]\n",
        "t.toml");
    ASSERT_TRUE(table) << core::to_string(table.error().front());
    EXPECT_EQ(devices_at(*table, {"x-host-0/1", "y-host-0"}, true).value(),
              (std::vector<int>{1, 3, 4}));
    const auto beyond = devices_at(*table, {"x-host-1/1"}, false);
    ASSERT_FALSE(beyond);
    EXPECT_EQ(core::to_string(beyond.error()[0]),
              "--drop: no device has the host, label or name \"x-host-1/1\"; name hosts, labels "
              "or devices of this fabric, such as \"x-host-0/0\"");
}

TEST(DevicesAt, SaysWhichNameIsUnknown) {
    const auto unknown = devices_at(six(), {"a0", "A1", "c"}, false);
    ASSERT_FALSE(unknown);
    ASSERT_EQ(unknown.error().size(), 2U);
    EXPECT_EQ(core::to_string(unknown.error()[0]),
              "--drop: no device has the host, label or name \"A1\"; name hosts, labels or "
              "devices of this fabric, such as \"a0#0\"");
    const auto none = devices_at(six(), {"east", "west"}, false);
    ASSERT_FALSE(none);
    EXPECT_EQ(core::to_string(none.error()[0]), "--drop: leaves no device; leave one");
}

}  // namespace
}  // namespace longhaul::fabric
