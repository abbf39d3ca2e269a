#include "longhaul/fabric/shared.hpp"

#include <gtest/gtest.h>

#include "longhaul/fabric/detail/test_support.hpp"

namespace longhaul::fabric {
namespace {

using testing::refusal;

/// Three devices: Tokyo on host h1, Tokyo on h2, Oregon on h3.
std::string with_shared(const std::string& list) {
    return R"({"labels": ["Tokyo", "Tokyo", "Oregon"],
        "alpha_ms": [[0, 1, 1], [1, 0, 1], [1, 1, 0]],
        "beta_gbps": [[0, 1, 1], [1, 0, 1], [1, 1, 0]],
        "devices": [{"host": "h1"}, {"host": "h2"}, {"host": "h3"}],
        "shared": )" +
           list + "}";
}

std::vector<int> sides(const std::string& ends) {
    const Fabric fabric =
        read_fabric(with_shared(R"([{"name": "x", "gbps": 2, )" + ends + "}]"), "f.json").value();
    return fabric.shared_sides().at(0);
}

TEST(Shared, SidesFollowLabelsAndHosts) {
    EXPECT_EQ(sides(R"("between": ["Tokyo", "Oregon"])"), (std::vector<int>{1, 1, 2}));
    EXPECT_EQ(sides(R"("between": ["h3", "h2"])"), (std::vector<int>{0, 2, 1}));
    EXPECT_EQ(sides(R"("of": ["Tokyo"])"), (std::vector<int>{1, 1, 2}));
    EXPECT_EQ(sides(R"("of": ["Oregon", "h1"])"), (std::vector<int>{1, 2, 1}));
}

TEST(Shared, BadListsAreRefusedAtTheirPlace) {
    const std::vector<std::pair<std::string, std::string>> bad{
        {"3", "shared: found a number; it must be an array"},
        {"[3]", "shared[0]: found a number; it must be an object"},
        {R"([{"gbps": 1, "of": ["Tokyo"]}])", "shared[0]: the key \"name\" is missing"},
        {R"([{"name": "x", "of": ["Tokyo"]}])", "shared[0]: has no gbps"},
        {R"([{"name": "x", "gbps": 0, "of": ["Tokyo"]}])", "shared[0].gbps: found 0"},
        {R"([{"name": "x", "gbps": "1", "of": ["Tokyo"]}])", "shared[0].gbps: found a string"},
        {R"([{"name": "x", "gbps": 1, "gbps_back": 1, "of": ["Tokyo"]}])", "has both gbps and"},
        {R"([{"name": "x", "gbps_there": 0, "of": ["Tokyo"]}])", "shared[0].gbps_there: found 0"},
        {R"([{"name": "x", "gbps_back": 1, "duplex": false, "of": ["Tokyo"]}])",
         "is half duplex and has a rate of one direction"},
        {R"([{"name": "x", "gbps": 1, "duplex": "no", "of": ["Tokyo"]}])",
         "shared[0].duplex: found a string"},
        {R"([{"name": "x", "gbps": 1}])", "has neither between nor of"},
        {R"([{"name": "x", "gbps": 1, "of": ["Tokyo"], "between": ["Tokyo", "Oregon"]}])",
         "has both between and of"},
        {R"([{"name": "x", "gbps": 1, "between": ["Tokyo"]}])", "shared[0].between: has 1 entries"},
        {R"([{"name": "x", "gbps": 1, "of": []}])", "shared[0].of: has no entries"},
        {R"([{"name": "x", "gbps": 1, "of": [7]}])", "shared[0].of[0]: found a number"},
        {R"([{"name": "x", "gbps": 1, "of": ["Tokio"]}])",
         "shared[0].of[0]: no device has the label or host \"Tokio\"; name a label or a host"},
        {R"([{"name": "x", "gbps": 1, "of": ["Tokyo", "Oregon"]}])", "every device is inside"},
        {R"([{"name": "x", "gbps": 1, "between": ["Tokyo", "h2"]}])",
         "\"Tokyo\" and \"h2\" share devices"},
        {R"([{"name": "x", "gbps": 1, "of": ["h1"]}, {"name": "x", "gbps": 1, "of": ["h2"]}])",
         "shared[1].name: \"x\" is used twice"},
    };
    for (const auto& [list, message] : bad) {
        const std::string found = refusal(with_shared(list));
        EXPECT_NE(found.find(message), std::string::npos) << list << " gave: " << found;
    }
}

TEST(Shared, EveryFormMayHaveItAndRewritingKeepsIt) {
    const std::string shared = R"("shared": [{"name": "cable", "gbps": 0.5,
        "between": ["x", "y"], "owner": {"since": 2019}}])";
    const std::string regions = R"({"regions": ["x", "y"], "gpus_per_region": [2, 1],
        "intra_region": {"delay_ms": 1, "bandwidth_gbps": 9},
        "pairs": [{"a": "y", "b": "x", "delay_ms": 30, "bandwidth_gbps": 0.5}], )";
    const Fabric table = read_fabric(regions + shared + "}", "t.json").value();
    ASSERT_EQ(table.parts().shared.size(), 1U);
    EXPECT_EQ(table.parts().shared[0].there_gbps, 0.5);
    EXPECT_EQ(table.parts().shared[0].back_gbps, 0.5);
    EXPECT_EQ(table.shared_sides(), (std::vector<std::vector<int>>{{1, 1, 2}}));
    const std::string written = core::write_json(to_value(table));
    EXPECT_NE(written.find("\"since\": 2019"), std::string::npos) << written;
    const Fabric again = read_fabric(written, "f.json").value();
    EXPECT_EQ(core::write_json(to_value(again)), written);

    const std::string hosts = R"({"instances": 3, "gpus_per_instance": 1, "delay_ms": 1,
        "intra_gbps": 100, "inter_gbps": 1,
        "shared": [{"name": "uplink", "gbps": 2, "of": ["instance-0"]}]})";
    EXPECT_EQ(read_fabric(hosts, "h.json").value().shared_sides(),
              (std::vector<std::vector<int>>{{1, 2, 2}}));
    EXPECT_EQ(refusal("regions = [\"x\", \"y\"]\ngpus_per_region = 1\n"
                      "intra_region = { delay_ms = 1, bandwidth_gbps = 9 }\n"
                      "pairs = [{ a = \"x\", b = \"y\", delay_ms = 1, bandwidth_gbps = 1 }]\n"
                      "shared = [{ name = \"up\", gbps = 1, of = [\"x\"] }]\n",
                      "t.toml"),
              "");
}

TEST(Shared, DirectionsAndHalfDuplexAreReadAndWritten) {
    const std::string list = R"([{"name": "a", "gbps_there": 3, "gbps_back": 2, "of": ["h1"]},
        {"name": "b", "gbps_back": 0.5, "between": ["Tokyo", "Oregon"]},
        {"name": "c", "gbps": 4, "duplex": false, "of": ["Oregon"]},
        {"name": "d", "gbps_there": 7, "gbps_back": 7, "of": ["h2"]}])";
    const Fabric fabric = read_fabric(with_shared(list), "f.json").value();
    const std::vector<SharedCapacity>& shared = fabric.parts().shared;
    ASSERT_EQ(shared.size(), 4U);
    EXPECT_EQ(shared[0].there_gbps, 3);
    EXPECT_EQ(shared[0].back_gbps, 2);
    EXPECT_EQ(shared[1].there_gbps, SharedCapacity::kNoLimit);
    EXPECT_EQ(shared[1].back_gbps, 0.5);
    EXPECT_TRUE(shared[1].duplex);
    EXPECT_FALSE(shared[2].duplex);
    EXPECT_EQ(shared[2].back_gbps, 4);
    const std::string written = core::write_json(to_value(fabric));
    EXPECT_NE(written.find("\"duplex\": false"), std::string::npos) << written;
    const Fabric again = read_fabric(written, "f.json").value();
    EXPECT_EQ(core::write_json(to_value(again)), written);
    EXPECT_EQ(again.parts().shared[1].there_gbps, SharedCapacity::kNoLimit);
}

TEST(Shared, PartsMadeByHandAreCheckedToo) {
    FabricParts parts = read_fabric(with_shared("[]"), "f.json").value().parts();
    parts.shared.push_back({"x", 1, {}, {}});
    const auto made = Fabric::make(parts, "f.json");
    ASSERT_FALSE(made);
    EXPECT_EQ(core::to_string(made.error()[0]),
              "f.json: shared[0]: names no two sides; give between (two places) or of (one or "
              "more)");
}

}  // namespace
}  // namespace longhaul::fabric
