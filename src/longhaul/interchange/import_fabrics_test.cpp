// Fixtures that carry matrices or platforms; expected values by hand from the links on each way.
#include <map>

#include <gtest/gtest.h>

#include "longhaul/fabric/read.hpp"
#include "longhaul/interchange/detail/test_files.hpp"

namespace longhaul::interchange {
namespace {

const fabric::FabricParts& parts_of(const Imported& imported) {
    return imported.fabric->parts();
}

TEST(ImportSimgrid, WaysThroughZonesAndClusters) {
    const Imported imported = good("simgrid", "simgrid-platform.xml");
    ASSERT_TRUE(imported.fabric);
    const fabric::FabricParts& parts = parts_of(imported);
    ASSERT_EQ(
        parts.labels,
        (std::vector<std::string>{"site", "site", "farm", "farm", "farm"}));  // a b n-0 n-1 n-4
    EXPECT_EQ(parts.devices[4].host, "n-4.farm");
    EXPECT_DOUBLE_EQ(parts.alpha_ms(0, 1), 0.1 + 0.5);  // la, lb
    EXPECT_DOUBLE_EQ(parts.beta_gbps(0, 1), 1);
    EXPECT_NEAR(parts.alpha_ms(0, 2), 0.1 + 20 + 0.005 + 0.05, 1e-12);  // la, wan, backbone, down
    EXPECT_DOUBLE_EQ(parts.beta_gbps(0, 2), 0.1);
    EXPECT_NEAR(parts.alpha_ms(2, 0), 0.05 + 0.005 + 30 + 0.1, 1e-12);  // the way back differs
    EXPECT_DOUBLE_EQ(parts.beta_gbps(2, 0), 0.4);
    EXPECT_NEAR(parts.alpha_ms(2, 3), 0.05 + 0.005 + 0.05, 1e-12);
    EXPECT_DOUBLE_EQ(parts.beta_gbps(2, 3), 10);
}

TEST(ImportSimgrid, LinksOfSeveralPairsAreSharedCapacity) {
    // The platform above: wan and back carry all pairs between the zones, one way each; the link of
    // a is half duplex, that of b split; every host of the cluster has a split link of its own, and
    // the backbone carries pairs inside the cluster as well, which no capacity says.
    const Imported imported = good("simgrid", "simgrid-platform.xml");
    std::map<std::string, fabric::SharedCapacity> shared;
    for (const fabric::SharedCapacity& each : parts_of(imported).shared) {
        shared[each.name] = each;
    }
    ASSERT_EQ(shared.size(), 6U);
    const fabric::SharedCapacity& wan = shared.at("wan, back");
    EXPECT_EQ(wan.between, (std::vector<std::string>{"site", "farm"}));
    EXPECT_DOUBLE_EQ(wan.there_gbps, 0.1);
    EXPECT_DOUBLE_EQ(wan.back_gbps, 0.4);
    EXPECT_FALSE(shared.at("la").duplex);
    EXPECT_EQ(shared.at("la").of, std::vector<std::string>{"a"});
    EXPECT_DOUBLE_EQ(shared.at("la").there_gbps, 1);
    EXPECT_TRUE(shared.at("lb").duplex);
    EXPECT_DOUBLE_EQ(shared.at("lb").back_gbps, 1);
    EXPECT_EQ(shared.at("link of n-4.farm").of, std::vector<std::string>{"n-4.farm"});
    EXPECT_NE(imported.notes.back().find("1 links"), std::string::npos) << imported.notes.back();
}

TEST(ImportSimgrid, NumbersWithoutUnitAreBytesAndSeconds) {
    const auto imported = import_text("simgrid",
                                      "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">"
                                      "<host id=\"a\" speed=\"1Gf\"/><host id=\"b\" speed=\"1Gf\"/>"
                                      "<link id=\"l\" bandwidth=\"1.25e8\" latency=\"0.01\"/>"
                                      "<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route>"
                                      "</zone></platform>");
    ASSERT_TRUE(imported) << problems_of(imported);
    EXPECT_DOUBLE_EQ(parts_of(*imported).alpha_ms(1, 0), 10);  // symmetrical unless it says no
    EXPECT_DOUBLE_EQ(parts_of(*imported).beta_gbps(0, 1), 1);
}

TEST(ImportSimgrid, CalibrationOfOneLink) {
    const Imported imported = good("simgrid-calibration", "simgrid-calibration.json");
    EXPECT_DOUBLE_EQ(parts_of(imported).beta_gbps(0, 1), 100);  // 12.5 GB/s
    EXPECT_DOUBLE_EQ(parts_of(imported).alpha_ms(1, 0), 0.013);
    EXPECT_DOUBLE_EQ(parts_of(imported).alpha_interval->lower(0, 1), 0.012);
    EXPECT_DOUBLE_EQ(parts_of(imported).alpha_interval->upper(0, 1), 0.015);
}

TEST(ImportAstra, DimensionsAddUp) {
    const Imported imported = good("astra-sim", "astra-sim.yml");
    const fabric::FabricParts& parts = parts_of(imported);
    ASSERT_EQ(parts.labels.size(), 8U);
    EXPECT_DOUBLE_EQ(parts.alpha_ms(0, 1), 2 * 500e-6);  // a switch: two links of 500 ns
    EXPECT_DOUBLE_EQ(parts.beta_gbps(0, 1), 400 * 8 * 1.073741824);
    EXPECT_DOUBLE_EQ(parts.alpha_ms(0, 2), 1e-3);
    EXPECT_DOUBLE_EQ(parts.alpha_ms(0, 6), 1e-3);         // the ring is shorter the other way
    EXPECT_DOUBLE_EQ(parts.alpha_ms(0, 5), 1e-3 + 2e-3);  // switch, and two links of the ring
    EXPECT_DOUBLE_EQ(parts.beta_gbps(0, 5), 50 * 8 * 1.073741824);
}

TEST(ImportAstra, DecimalUnitOnRequest) {
    ImportOptions options;
    options.unit = "gb";
    EXPECT_DOUBLE_EQ(parts_of(good("astra-sim", "astra-sim.yml", options)).beta_gbps(0, 1), 3200);
}

TEST(ImportHpcc, FewestLinksBetweenHosts) {
    const Imported imported = good("hpcc", "hpcc-topology.txt");
    const fabric::FabricParts& parts = parts_of(imported);
    ASSERT_EQ(parts.labels, (std::vector<std::string>{"node0", "node1", "node2", "node3"}));
    EXPECT_DOUBLE_EQ(parts.alpha_ms(0, 1), 0.002);
    EXPECT_DOUBLE_EQ(parts.beta_gbps(0, 1), 100);
    EXPECT_DOUBLE_EQ(parts.alpha_ms(0, 2), 0.001 + 1 + 0.002);
    EXPECT_DOUBLE_EQ(parts.beta_gbps(2, 0), 25);
}

TEST(ImportHpcc, HostsDoNotForward) {
    // 0 - 1 - 2 with three hosts: no way from 0 to 2.
    const auto imported = import_text("hpcc", "3 0 2\n0 1 1Gbps 1ms 0\n1 2 1Gbps 1ms 0\n");
    EXPECT_NE(problems_of(imported).find("from node 0 to node 2"), std::string::npos);
}

TEST(ImportDtfm, DictionaryInDecimalOrBinaryUnits) {
    ImportOptions options;
    options.devices = 2;
    const Imported plain = good("dtfm", "dtfm-config.py", options);
    ASSERT_EQ(parts_of(plain).labels.size(), 6U);
    EXPECT_EQ(parts_of(plain).labels[3], "Beta");
    EXPECT_DOUBLE_EQ(parts_of(plain).alpha_ms(0, 2), 67);
    EXPECT_DOUBLE_EQ(parts_of(plain).beta_gbps(2, 0), 0.79);
    EXPECT_DOUBLE_EQ(parts_of(plain).beta_gbps(0, 1), 2);  // inside a region
    options.unit = "gibit";
    const Imported binary = good("dtfm", "dtfm-config.py", options);
    EXPECT_DOUBLE_EQ(parts_of(binary).beta_gbps(2, 0), 0.79 * 1.073741824);
}

TEST(ImportFabric, PlainFormAndBinaryUnits) {
    const std::string plain =
        R"({"labels": ["a", "b"], "alpha_ms": [[0, 1], [2, 0]], "beta_gbps": [[0, 3], [4, 0]]})";
    const auto same = import_text("fabric", plain);
    ASSERT_TRUE(same) << problems_of(same);
    const auto direct = fabric::read_fabric(plain, "file");
    EXPECT_TRUE(core::same_content(fabric::to_value(*same->fabric), fabric::to_value(*direct)));
    ImportOptions options;
    options.unit = "gibit";
    const auto binary = import_text("fabric", plain, options);
    ASSERT_TRUE(binary) << problems_of(binary);
    EXPECT_DOUBLE_EQ(parts_of(*binary).beta_gbps(1, 0), 4 * 1.073741824);
}

}  // namespace
}  // namespace longhaul::interchange
