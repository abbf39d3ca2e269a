#include "longhaul/fabric/tables.hpp"

#include <gtest/gtest.h>

#include "longhaul/fabric/detail/test_support.hpp"

namespace longhaul::fabric {
namespace {

using testing::refusal;

void expect_table_refused(const std::string& text, std::string_view where, std::string_view what) {
    const std::string found = refusal(text);
    EXPECT_NE(found.find(where), std::string::npos) << where << " is not in: " << found;
    EXPECT_NE(found.find(what), std::string::npos) << what << " is not in: " << found;
}

TEST(RegionTable, EqualsTheMatrixWrittenOutByHand) {
    const Fabric table = read_fabric(R"({"regions": ["x", "y"], "gpus_per_region": [2, 1],
        "intra_region": [{"delay_ms": 1, "bandwidth_gbps": 9}, {"delay_ms": 2, "bandwidth_gbps": 8}],
        "pairs": [{"a": "y", "b": "x", "delay_ms": 30, "bandwidth_gbps": 0.5}],
        "provenance": "by hand"})",
                                     "t.json")
                             .value();
    const Fabric matrix = read_fabric(R"({"labels": ["x", "x", "y"],
        "alpha_ms": [[0, 1, 30], [1, 0, 30], [30, 30, 0]],
        "beta_gbps": [[0, 9, 0.5], [9, 0, 0.5], [0.5, 0.5, 0]], "provenance": "by hand"})",
                                      "m.json")
                              .value();
    EXPECT_EQ(core::write_json(to_value(table)), core::write_json(to_value(matrix)));
}

TEST(RegionTable, DirectedPairsKeepTheirDirection) {
    const Fabric table = read_fabric(R"({"regions": ["x", "y"], "gpus_per_region": 1,
        "intra_region": {"delay_ms": 1, "bandwidth_gbps": 9}, "directed": true,
        "pairs": [{"a": "x", "b": "y", "delay_ms": 30, "bandwidth_gbps": 0.5},
                  {"a": "y", "b": "x", "delay_ms": 40, "bandwidth_gbps": 0.25}]})",
                                     "t.json")
                             .value();
    EXPECT_EQ(table.parts().alpha_ms(0, 1), 30);  // row = sender
    EXPECT_EQ(table.parts().alpha_ms(1, 0), 40);
    EXPECT_EQ(table.parts().beta_gbps(1, 0), 0.25);
}

TEST(RegionTable, OneRegionNeedsNoPairs) {
    const Fabric table = read_fabric(R"({"regions": ["x"], "devices_per_region": 3,
        "intra_region": {"delay_ms": 1, "bandwidth_gbps": 9}})",
                                     "t.json")
                             .value();
    EXPECT_EQ(table.size(), 3U);
    EXPECT_EQ(table.parts().beta_gbps(2, 1), 9);
}

TEST(RegionTable, StatesHostsSpeedAndMemory) {
    // Written out by hand: x fills hosts of two and the last one in part; y has one host.
    const Fabric table = read_fabric(R"({"regions": ["x", "y"], "gpus_per_region": [3, 2],
        "gpus_per_host": [2, 4], "speed": 0.5, "memory_gb": [16, 80],
        "intra_region": {"delay_ms": 1, "bandwidth_gbps": 9},
        "pairs": [{"a": "y", "b": "x", "delay_ms": 30, "bandwidth_gbps": 0.5}]})",
                                     "t.json")
                             .value();
    const std::vector<Device>& devices = table.parts().devices;
    ASSERT_EQ(devices.size(), 5U);
    const char* hosts[] = {"x-host-0", "x-host-0", "x-host-1", "y-host-0", "y-host-0"};
    const int ranks[] = {0, 1, 0, 0, 1};
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(devices[i].host, hosts[i]);
        EXPECT_EQ(devices[i].local_rank, ranks[i]);
        EXPECT_EQ(devices[i].speed, 0.5);
        EXPECT_EQ(devices[i].memory_gb, i < 3 ? 16 : 80);
    }
    EXPECT_EQ(table.host_of_device(), (std::vector<int>{0, 0, 1, 2, 2}));
    EXPECT_EQ(table.parts().alpha_ms.kinds(), 2U);
}

TEST(RegionTable, KnowsNothingOfDevicesThatItDoesNotState) {
    const std::string head = R"({"regions": ["x"], "gpus_per_region": 2,
        "intra_region": {"delay_ms": 1, "bandwidth_gbps": 9})";
    EXPECT_TRUE(read_fabric(head + "}", "t.json")->parts().devices.empty());
    const Fabric memory = read_fabric(head + R"(, "memory_gb": 40})", "t.json").value();
    EXPECT_EQ(memory.parts().devices[1].memory_gb, 40);
    EXPECT_EQ(memory.parts().devices[1].host, "");
    EXPECT_EQ(memory.parts().devices[1].speed, 1);
}

TEST(RegionTable, ReportsEveryProblemOfDevices) {
    const std::string found = refusal(R"({"regions": ["x", "y"], "gpus_per_region": 1,
        "gpus_per_host": [0, 1.5], "speed": [1, 2, 3], "memory_gb": [-4, "80"],
        "intra_region": {"delay_ms": 1, "bandwidth_gbps": 9},
        "pairs": [{"a": "x", "b": "y", "delay_ms": 1, "bandwidth_gbps": 1}]})");
    for (const char* part : {"gpus_per_host[0]: found 0",
                             "gpus_per_host[1]: found 1.5",
                             "speed: has 3 entries",
                             "memory_gb[0]: found -4",
                             "memory_gb[1]: found a string"}) {
        EXPECT_NE(found.find(part), std::string::npos) << part << " is not in:\n" << found;
    }
}

TEST(RegionTable, ReportsEveryProblemWithItsPlace) {
    const std::string found = refusal(R"({"regions": ["x", "y", "x"], "gpus_per_region": [1, 2],
        "intra_region": {"delay_ms": -1, "bandwidth_gbps": 0},
        "pairs": [{"a": "x", "b": "q", "delay_ms": 1, "bandwidth_gbps": 1},
                  {"a": "x", "b": "x", "delay_ms": 1, "bandwidth_gbps": 1},
                  {"a": "x", "b": "y", "bandwidth_gbps": "1"}]})");
    for (const char* part : {"region \"x\" is listed twice",
                             "gpus_per_region: has 2 entries",
                             "intra_region.delay_ms: found -1",
                             "intra_region.bandwidth_gbps: found 0",
                             "pairs[0].b: unknown region \"q\"",
                             "pairs[1]: joins \"x\" with itself",
                             "pairs[2]: the key \"delay_ms\" is missing",
                             "pairs[2].bandwidth_gbps: found a string"}) {
        EXPECT_NE(found.find(part), std::string::npos) << part << " is not in:\n" << found;
    }
}

TEST(RegionTable, RefusesMissingAndDoublePairs) {
    const std::string head = R"({"regions": ["x", "y", "z"], "gpus_per_region": 1,
        "intra_region": {"delay_ms": 1, "bandwidth_gbps": 9}, )";
    const std::string xy = R"({"a": "x", "b": "y", "delay_ms": 1, "bandwidth_gbps": 1})";
    const std::string yx = R"({"a": "y", "b": "x", "delay_ms": 1, "bandwidth_gbps": 1})";
    expect_table_refused(head + R"("pairs": [)" + xy + "]}", "pairs", "x to z is missing");
    expect_table_refused(head + R"("pairs": [)" + xy + "]}", "pairs", "y to z is missing");
    expect_table_refused(
        head + R"("pairs": [)" + xy + ", " + xy + "]}", "pairs[1]", "listed twice");
    expect_table_refused(head + R"("directed": true, "pairs": [)" + yx + ", " + yx + "]}",
                         "pairs[1]",
                         "y and x are listed twice; list every ordered pair once");
    expect_table_refused(
        head + R"("directed": true, "pairs": [)" + xy + "]}", "pairs", "y to x is missing");
    expect_table_refused(head + R"("directed": 1, "pairs": []})", "directed", "found a number");
    expect_table_refused(head + R"("nothing": 0})", "", "\"pairs\" is missing");
    expect_table_refused(head + R"("pairs": [3]})", "pairs[0]", "found a number");
}

TEST(RegionTable, SaysOnceThatBothDirectionsAreDirected) {
    std::string pairs;
    for (const char* row : {R"("x", "b": "y")",
                            R"("y", "b": "x")",
                            R"("x", "b": "z")",
                            R"("z", "b": "x")",
                            R"("y", "b": "z")",
                            R"("z", "b": "y")"}) {
        pairs += std::string(pairs.empty() ? "" : ",") + R"({"a": )" + row +
                 R"(, "delay_ms": 1, "bandwidth_gbps": 1})";
    }
    const std::string head = R"({"regions": ["x", "y", "z"], "gpus_per_region": 1,
        "intra_region": {"delay_ms": 1, "bandwidth_gbps": 9}, )";
    const core::Result<Fabric> fabric = read_fabric(head + R"("pairs": [)" + pairs + "]}", "t");
    ASSERT_FALSE(fabric.has_value());
    ASSERT_EQ(fabric.error().size(), 1U);
    EXPECT_TRUE(fabric.error().front().where.ends_with("pairs[1]"));
    EXPECT_EQ(fabric.error().front().what, "y and x are listed both ways");
    EXPECT_EQ(fabric.error().front().fix,
              "add directed = true when each pair has a row for each direction; otherwise list "
              "every pair once");
    EXPECT_TRUE(read_fabric(head + R"("directed": true, "pairs": [)" + pairs + "]}", "t"));
}

TEST(RegionTable, SaysWhereDevicesOfARegionMayDiffer) {
    const std::string rest = R"("regions": ["x", "y"], "gpus_per_region": 2,
        "intra_region": {"delay_ms": 1, "bandwidth_gbps": 9},
        "pairs": [{"a": "x", "b": "y", "delay_ms": 1, "bandwidth_gbps": 1}]})";
    const std::string_view advice =
        "; where devices of a region differ, write the table out (longhaul fabric FILE -o "
        "fabric.json) and change the entries of its devices";
    expect_table_refused(R"({"speed": [1, 1, 1, 2], )" + rest,
                         "speed: has 4 entries; give one value, or 2: one for each region",
                         advice);
    expect_table_refused(R"({"memory_gb": [40, [40, 80]], )" + rest,
                         "memory_gb[1]: found a list; give one value for the region",
                         advice);
}

TEST(RegionTable, RefusesImplausibleSizes) {
    const auto table = [](const std::string& count) {
        return R"({"regions": ["x"], "gpus_per_region": )" + count +
               R"(, "intra_region": {"delay_ms": 1, "bandwidth_gbps": 9}})";
    };
    for (const char* count : {"-1", "1.5", "1e9", "null", "\"8\"", "true"}) {
        expect_table_refused(table(count), "gpus_per_region", "found ");
    }
    expect_table_refused(table("0"), "labels", "no devices");
    expect_table_refused(R"({"regions": ["x", "y"], "gpus_per_region": 15000,
        "intra_region": {"delay_ms": 1, "bandwidth_gbps": 9},
        "pairs": [{"a": "x", "b": "y", "delay_ms": 1, "bandwidth_gbps": 1}]})",
                         "",
                         "has 30000 devices");
    expect_table_refused(
        R"({"regions": [], "gpus_per_region": 1, "intra_region": []})", "labels", "no devices");
    expect_table_refused(
        R"({"regions": 4, "gpus_per_region": 1, "intra_region": []})", "regions", "found a number");
}

TEST(HostGroups, EqualTheMatrixWrittenOutByHand) {
    const Fabric table = read_fabric(R"({"groups": [{"instances": 1, "gpus_per_instance": 2},
        {"instances": 2, "gpus_per_instance": 1}],
        "delay_ms": 3, "intra_delay_ms": 1, "intra_gbps": 100, "inter_gbps": 2})",
                                     "t.json")
                             .value();
    const PairMatrix& alpha = table.parts().alpha_ms;
    const PairMatrix& beta = table.parts().beta_gbps;
    EXPECT_EQ(table.labels(),
              (std::vector<std::string>{"instance-0", "instance-0", "instance-1", "instance-2"}));
    for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < 4; ++j) {
            const bool inside = (i == 0 && j == 1) || (i == 1 && j == 0);
            EXPECT_EQ(alpha(i, j), i == j ? 0 : inside ? 1 : 3);
            EXPECT_EQ(beta(i, j), i == j ? 0 : inside ? 100 : 2);
        }
    }
    EXPECT_EQ(table.host_of_device(), (std::vector<int>{0, 0, 1, 2}));
    EXPECT_EQ(table.parts().devices[1].local_rank, 1);
    EXPECT_EQ(table.parts().devices[2].local_rank, 0);
}

TEST(Tables, StayAsSmallAsTheyAre) {
    // Regions are kinds, but for those without devices; so are hosts of several devices, and all
    // hosts of one device together.
    const Fabric regions = read_fabric(R"({"regions": ["x", "y", "z"],
        "gpus_per_region": [9000, 0, 11000], "directed": true,
        "intra_region": [{"delay_ms": 1, "bandwidth_gbps": 9}, {"delay_ms": 1, "bandwidth_gbps": 9},
                         {"delay_ms": 2, "bandwidth_gbps": 8}],
        "pairs": [{"a": "x", "b": "y", "delay_ms": 3, "bandwidth_gbps": 1},
                  {"a": "y", "b": "x", "delay_ms": 3, "bandwidth_gbps": 1},
                  {"a": "x", "b": "z", "delay_ms": 4, "bandwidth_gbps": 2},
                  {"a": "z", "b": "x", "delay_ms": 5, "bandwidth_gbps": 3},
                  {"a": "y", "b": "z", "delay_ms": 3, "bandwidth_gbps": 1},
                  {"a": "z", "b": "y", "delay_ms": 3, "bandwidth_gbps": 1}]})",
                                       "t.json")
                               .value();
    EXPECT_EQ(regions.size(), 20'000U);
    EXPECT_EQ(regions.parts().alpha_ms.kinds(), 2U);
    EXPECT_EQ(regions.parts().alpha_ms(0, 8'999), 1);
    EXPECT_EQ(regions.parts().alpha_ms(8'999, 9'000), 4);
    EXPECT_EQ(regions.parts().alpha_ms(9'000, 8'999), 5);
    EXPECT_EQ(regions.parts().beta_gbps(9'000, 19'999), 8);
    const Fabric hosts = read_fabric(R"({"groups": [{"instances": 3, "gpus_per_instance": 1},
        {"instances": 2, "gpus_per_instance": 4}, {"instances": 5, "gpus_per_instance": 1}],
        "delay_ms": 3, "intra_gbps": 100, "inter_gbps": 2})",
                                     "t.json")
                             .value();
    EXPECT_EQ(hosts.parts().beta_gbps.kinds(), 3U);
    EXPECT_EQ(hosts.parts().beta_gbps(0, 1), 2);
    EXPECT_EQ(hosts.parts().beta_gbps(3, 6), 100);
    EXPECT_EQ(hosts.parts().beta_gbps(3, 7), 2);
    EXPECT_EQ(hosts.parts().beta_gbps(0, 15), 2);
}

TEST(HostGroups, OneDelayServesBoth) {
    const Fabric table =
        read_fabric(R"({"instances": 2, "gpus_per_instance": 2, "delay_ms": 3, "intra_gbps": 100,
        "inter_gbps": 2})",
                    "t.json")
            .value();
    EXPECT_EQ(table.parts().alpha_ms(0, 1), 3);
    EXPECT_EQ(table.parts().alpha_ms(0, 2), 3);
}

TEST(HostGroups, RefuseBadTables) {
    expect_table_refused(R"({"instances": 2})", "", "\"gpus_per_instance\" is missing");
    expect_table_refused(R"({"instances": 2})", "", "\"delay_ms\" is missing");
    expect_table_refused(R"({"instances": 2})", "", "\"intra_gbps\" is missing");
    expect_table_refused(R"({"instances": 2})", "", "\"inter_gbps\" is missing");
    const std::string links = R"("delay_ms": 0, "intra_gbps": 1, "inter_gbps": 1})";
    expect_table_refused(R"({"groups": 3, )" + links, "groups", "found a number");
    expect_table_refused(R"({"groups": [], )" + links, "labels", "no devices");
    expect_table_refused(R"({"groups": [7], )" + links, "groups[0]", "found a number");
    expect_table_refused(
        R"({"instances": 0, "gpus_per_instance": 1, )" + links, "instances", "found 0");
    expect_table_refused(R"({"instances": 20000, "gpus_per_instance": 20000, )" + links,
                         "",
                         "more than 20000 devices");
    expect_table_refused(
        R"({"instances": 1, "gpus_per_instance": 1, "delay_ms": -1, "intra_gbps": 0, "inter_gbps": null})",
        "delay_ms",
        "inter_gbps: found null");
}

TEST(Tables, InTomlRefuseUnknownKeysAndInJsonKeepQuiet) {
    const std::string toml =
        "instances = 2\ngpus_per_instance = 2\ndelay_ms = 3\nintra_dealy_ms = 1\n"
        "intra_gbps = 100\ninter_gbps = 2\n";
    EXPECT_EQ(refusal(toml, "t.toml"),
              "t.toml: line 4, column 18: intra_dealy_ms: unknown key \"intra_dealy_ms\"; did you "
              "mean \"intra_delay_ms\"?\n");
    EXPECT_NE(refusal("regions = [\"x\"]\ngpus_per_region = 1\nintra_regions = 3\n"
                      "intra_region = { delay_ms = 1, bandwidth_gbps = 9 }\n",
                      "t.toml")
                  .find("intra_region"),
              std::string::npos);
    EXPECT_EQ(refusal(R"({"instances": 2, "gpus_per_instance": 2, "delay_ms": 3, "note": 1,
        "intra_gbps": 100, "inter_gbps": 2})"),
              "");
}

struct Shipped {
    const char* file;
    std::size_t devices;
    int labels;
};

TEST(ShippedFabrics, HaveTheSizesOfTheirSources) {
    // Sizes: the provenance inside each file.
    for (const Shipped& shipped : {Shipped{"dtfm-datacenter.json", 64, 8},
                                   {"dtfm-spot.json", 64, 40},
                                   {"dtfm-campuses.json", 64, 2},
                                   {"dtfm-regional.json", 64, 4},
                                   {"dtfm-worldwide.json", 64, 8},
                                   {"dtfm-table2-worldwide.json", 64, 8},
                                   {"two-datacenters-synthetic.toml", 32, 4}}) {
        const Fabric fabric = testing::shipped(shipped.file);
        EXPECT_EQ(fabric.size(), shipped.devices) << shipped.file;
        EXPECT_EQ(index_of_labels(fabric.labels()).back() + 1, shipped.labels) << shipped.file;
        EXPECT_FALSE(fabric.parts().provenance.empty()) << shipped.file;
    }
}

TEST(ShippedFabrics, Table2HasThePublishedEntries) {
    // DT-FM (arXiv 2206.01288), Table 2: the three entries that differ from its config.py, and one
    // that does not. Devices 0, 8, ... 56 are the first of each region.
    const Fabric fabric = testing::shipped("dtfm-table2-worldwide.json");
    EXPECT_EQ(fabric.parts().beta_gbps(0, 8), 1.15);     // Oregon, Virginia
    EXPECT_EQ(fabric.parts().beta_gbps(40, 8), 0.364);   // London, Virginia
    EXPECT_EQ(fabric.parts().alpha_ms(24, 48), 235);     // Tokyo, Frankfurt
    EXPECT_EQ(fabric.parts().beta_gbps(32, 56), 0.335);  // Seoul, Ireland
    EXPECT_EQ(fabric.parts().alpha_ms(0, 7), 5);
    EXPECT_EQ(fabric.parts().beta_gbps(0, 7), 2);
}

}  // namespace
}  // namespace longhaul::fabric
