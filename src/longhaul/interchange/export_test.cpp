// What is written reads back: exactly where the format can say it, with the stated loss elsewhere.
#include "longhaul/interchange/export.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "longhaul/fabric/read.hpp"
#include "longhaul/interchange/detail/test_files.hpp"

namespace longhaul::interchange {
namespace {

fabric::Fabric fabric_of(const std::string& json) {
    auto fabric = fabric::read_fabric(json, "fabric");
    EXPECT_TRUE(fabric);
    return *fabric;
}

/// Two sites of two devices; directions differ, one capacity is shared.
fabric::Fabric sites() {
    return fabric_of(R"({
        "labels": ["a & <b>", "a & <b>", "c", "c"],
        "alpha_ms": [[0, 0.1, 20, 21], [0.1, 0, 22, 23], [30, 31, 0, 0.2], [32, 33, 0.2, 0]],
        "beta_gbps": [[0, 10, 0.3, 0.31], [10, 0, 0.32, 0.33], [0.7, 0.71, 0, 20], [0.72, 0.73, 20, 0]],
        "shared": [{"name": "cable", "gbps": 0.8, "between": ["a & <b>", "c"]}]})");
}

Exported exported(const std::string& format, const fabric::Fabric& fabric) {
    auto text = find_export_format(format)->write(fabric, "fabric");
    EXPECT_TRUE(text);
    return *text;
}

fabric::Fabric back(const std::string& format, const std::string& text) {
    const auto imported = import_text(format, text);
    EXPECT_TRUE(imported) << problems_of(imported);
    return *imported->fabric;
}

double furthest(const fabric::Fabric& a, const fabric::Fabric& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < a.size(); ++j) {
            if (i != j) {
                most = std::max({most,
                                 std::abs(a.parts().alpha_ms(i, j) - b.parts().alpha_ms(i, j)),
                                 std::abs(a.parts().beta_gbps(i, j) - b.parts().beta_gbps(i, j))});
            }
        }
    }
    return most;
}

TEST(Export, FabricIsTheSame) {
    const fabric::Fabric fabric = sites();
    const fabric::Fabric again = back("fabric", exported("fabric", fabric).text);
    EXPECT_TRUE(core::same_content(fabric::to_value(fabric), fabric::to_value(again)));
}

TEST(Export, SimgridKeepsDirections) {
    const fabric::Fabric fabric = sites();
    const Exported platform = exported("simgrid", fabric);
    EXPECT_LT(furthest(fabric, back("simgrid", platform.text)), 1e-9);
    EXPECT_NE(platform.text.find("a &amp; &lt;b&gt;"), std::string::npos);
    // The shared capacity is a link of every route between the sites, one a direction.
    EXPECT_NE(platform.text.find("<link_ctn id=\"l0-2\"/><link_ctn id=\"shared-0-out\"/>"),
              std::string::npos);
    EXPECT_NE(platform.text.find("<link_ctn id=\"l2-0\"/><link_ctn id=\"shared-0-back\"/>"),
              std::string::npos);
}

TEST(Export, SimgridKeepsLabelsHostsAndSharedCapacity) {
    const std::string list =
        R"([{"name": "up & down", "gbps_there": 3, "gbps_back": 2, "of": ["c", "h1"]},
            {"name": "in", "gbps_back": 4, "of": ["h2"]},
            {"name": "half", "gbps": 0.5, "duplex": false, "between": ["a", "c"]}])";
    const fabric::Fabric fabric = fabric_of(
        R"({"labels": ["a", "a", "c", "c"],
            "alpha_ms": [[0, 1, 1, 1], [1, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 0]],
            "beta_gbps": [[0, 9, 9, 9], [9, 0, 9, 9], [9, 9, 0, 9], [9, 9, 9, 0]],
            "devices": [{"host": "h1"}, {"host": "h2"}, {"host": "h3"}, {"host": "h3"}],
            "shared": )" +
        list + "}");
    const fabric::Fabric again = back("simgrid", exported("simgrid", fabric).text);
    EXPECT_EQ(again.labels(), fabric.labels());
    EXPECT_EQ(again.host_of_device(), fabric.host_of_device());
    ASSERT_EQ(again.parts().shared.size(), 3U);
    const std::vector<std::vector<int>> sides = again.shared_sides();
    for (std::size_t r = 0; r < 3; ++r) {
        const fabric::SharedCapacity& found = again.parts().shared[r];
        const auto& all = fabric.parts().shared;
        const auto was =
            std::ranges::find(all, found.name, &fabric::SharedCapacity::name) - all.begin();
        ASSERT_LT(was, 3) << found.name;
        const bool turned = sides[r] != fabric.shared_sides()[static_cast<std::size_t>(was)];
        const fabric::SharedCapacity& meant = all[static_cast<std::size_t>(was)];
        EXPECT_EQ(found.duplex, meant.duplex) << found.name;
        EXPECT_DOUBLE_EQ(turned ? found.back_gbps : found.there_gbps, meant.there_gbps);
        EXPECT_DOUBLE_EQ(turned ? found.there_gbps : found.back_gbps, meant.back_gbps);
        for (std::size_t i = 0; turned && i < 4; ++i) {
            const int side = fabric.shared_sides()[static_cast<std::size_t>(was)][i];
            EXPECT_EQ(sides[r][i], side == 0 ? 0 : 3 - side);
        }
    }
}

TEST(Export, HpccKeepsWhatIsSymmetric) {
    const fabric::Fabric symmetric = fabric_of(
        R"({"labels": ["a", "b", "c"], "alpha_ms": [[0, 1, 2.5], [1, 0, 3], [2.5, 3, 0]],
            "beta_gbps": [[0, 4, 5], [4, 0, 6.25], [5, 6.25, 0]]})");
    const Exported topology = exported("hpcc", symmetric);
    EXPECT_LT(furthest(symmetric, back("hpcc", topology.text)), 1e-12);
    EXPECT_NE(topology.notes[0].find("1x (median) and 1x (worst pair)"), std::string::npos);
}

TEST(Export, HpccSaysWhatDirectionsCost) {
    const fabric::Fabric fabric = sites();
    const Exported topology = exported("hpcc", fabric);
    // 21 ms and 32 ms become 26.5 ms: 1 kB takes 1.26 times as long one way.
    EXPECT_NE(topology.notes[0].find("and 1.26x (worst pair) for 1 kB"), std::string::npos)
        << topology.notes[0];
}

TEST(Export, AstraKeepsTwoLevels) {
    const fabric::Fabric levels = fabric_of(
        R"({"labels": ["a", "a", "b", "b"],
            "alpha_ms": [[0, 1, 5, 6], [1, 0, 6, 5], [5, 6, 0, 1], [6, 5, 1, 0]],
            "beta_gbps": [[0, 8, 2, 2], [8, 0, 2, 2], [2, 2, 0, 8], [2, 2, 8, 0]]})");
    // Inside 1 ms, between 5 ms, and across both 6 ms: but the median between is 5.5 ms.
    const fabric::Fabric again = back("astra-sim", exported("astra-sim", levels).text);
    EXPECT_NEAR(again.parts().alpha_ms(0, 1), 1, 1e-9);
    EXPECT_NEAR(again.parts().alpha_ms(0, 2), 5.5, 1e-9);
    EXPECT_NEAR(again.parts().alpha_ms(0, 3), 6.5, 1e-9);
    EXPECT_NEAR(again.parts().beta_gbps(0, 1), 8, 1e-9);
    EXPECT_NEAR(again.parts().beta_gbps(0, 2), 2, 1e-9);
}

TEST(Export, AstraOfUnequalSitesIsOneDimensionWithItsLoss) {
    const fabric::Fabric uneven = fabric_of(
        R"({"labels": ["a", "b", "b"], "alpha_ms": [[0, 10, 10], [10, 0, 10], [10, 10, 0]],
            "beta_gbps": [[0, 1, 1], [1, 0, 4], [1, 4, 0]]})");
    const Exported network = exported("astra-sim", uneven);
    EXPECT_NE(network.text.find("npus_count: [3]"), std::string::npos);
    // b-b at 1 Gbit/s instead of 4: 100 MB take 0.81 s instead of 0.21 s.
    EXPECT_NE(network.notes[0].find("3.86x for 100 MB"), std::string::npos) << network.notes[0];
}

TEST(Export, LoggopsIsTheTypicalLink) {
    const fabric::Fabric same = fabric_of(
        R"({"labels": ["a", "b"], "alpha_ms": [[0, 0.0025], [0.0025, 0]], "beta_gbps": [[0, 4], [4, 0]]})");
    const Exported parameters = exported("loggops", same);
    EXPECT_NE(parameters.text.find("L=2500\n"), std::string::npos);
    EXPECT_NE(parameters.text.find("G=2\n"), std::string::npos);  // 4 Gbit/s = 0.5 GB/s
}

TEST(Export, OneDeviceHasNoNetwork) {
    const fabric::Fabric one =
        fabric_of(R"({"labels": ["a"], "alpha_ms": [[0]], "beta_gbps": [[0]]})");
    EXPECT_FALSE(find_export_format("astra-sim")->write(one, "fabric"));
    EXPECT_FALSE(find_export_format("loggops")->write(one, "fabric"));
    EXPECT_EQ(back("simgrid", exported("simgrid", one).text).size(), 1U);
}

}  // namespace
}  // namespace longhaul::interchange
