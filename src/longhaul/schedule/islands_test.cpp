#include "longhaul/schedule/islands.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "longhaul/schedule/detail/random_islands.hpp"
#include "longhaul/schedule/detail/test_support.hpp"
#include "longhaul/schedule/round_times.hpp"
#include "longhaul/topology/read.hpp"

namespace longhaul::schedule {
namespace {

core::Result<Islands> read(const std::string& text) {
    const auto document = core::parse_json(text, "net.json");
    return document ? read_islands(*document) : tl::unexpected(document.error());
}

/// A network of two islands with parts replaced.
std::string network(
    const std::string& nodes = R"(["A", "B"])",
    const std::string& links = R"([{"a": "A", "b": "B", "latency_ms": 5, "gbps": 10}])",
    const std::string& more = "") {
    return R"({"payload_gb": 1, "ingress_gbps": 20, "egress_gbps": 20, "nodes": )" + nodes +
           R"(, "links": )" + links + more + "}";
}

/// All problems in one text.
std::string faults_of(const std::string& text) {
    const auto islands = read(text);
    std::string all;
    if (!islands) {
        for (const core::Diagnostic& problem : islands.error()) {
            all += core::to_string(problem) + "\n";
        }
    }
    return all;
}

TEST(Islands, SmallNetworkIsRead) {
    const auto islands = read(network());
    ASSERT_TRUE(islands) << faults_of(network());
    EXPECT_EQ(islands->size(), 2U);
    EXPECT_EQ(islands->network.links.size(), 2U);
    EXPECT_EQ(islands->network.links[1].from, 1U);
    EXPECT_EQ(islands->islands[0].memory_gb, 0);
}

TEST(Islands, OwnValuesBothDirectionsAndTransit) {
    const auto islands = read(network(
        R"(["A", "B"])",
        R"([{"a": "A", "b": "X", "latency_ms": 5, "back_latency_ms": 7, "gbps": 10, "back_gbps": 4, "jitter_ms": 0.5},
            {"a": "X", "b": "B", "latency_ms": 1, "gbps": 10}])",
        R"(, "transit": ["X"], "memory_gb": 2, "islands": {"B": {"memory_gb": 3, "target": 2, "egress_gbps": 1}},
            "regions": {"west": ["A"]}, "schedules": {"both": [[["A", "B"]]]})"));
    ASSERT_TRUE(islands);
    EXPECT_EQ(islands->network.nodes, 3);
    EXPECT_EQ(islands->network.links[1].latency_ms, 7);
    EXPECT_EQ(islands->network.links[1].gbps, 4);
    EXPECT_EQ(islands->jitter_ms[1], 0.5);
    EXPECT_EQ(islands->islands[0].memory_gb, 2);
    EXPECT_EQ(islands->islands[1].memory_gb, 3);
    EXPECT_EQ(islands->islands[1].egress_gbps, 1);
    EXPECT_EQ(islands->islands[0].region, "west");
    ASSERT_NE(islands->schedule("both"), nullptr);
    EXPECT_EQ(islands->schedule("both")->schedule.rounds[0].cliques[0], 3U);
    const Capabilities can = capabilities_of(*islands);
    RoundTimes times(*islands, can);
    EXPECT_EQ(times.latency_ms()(0, 1), 6);
    EXPECT_EQ(times.latency_ms()(1, 0), 8);
}

TEST(Islands, EveryFaultHasOneClearMessage) {
    const std::string link = R"({"a": "A", "b": "B", "latency_ms": 5, "gbps": 10})";
    const struct {
        std::string text;
        std::string message;
    } cases[] = {
        {network(R"(["A", "A"])"), "nodes[1]: \"A\" is listed twice; each name once"},
        {network("[]", "[]"), "no island; at least one name"},
        {network(R"(["A", "B"])", "[]"),
         "no path from \"A\" to \"B\"; links that join all islands"},
        {network(R"(["A", "B", "C"])"), "no path from \"A\" to \"C\""},
        {network(R"(["A", "B"])", R"([{"a": "A", "b": "B", "latency_ms": -1, "gbps": 10}])"),
         "links[0].latency_ms: found -1"},
        {network(R"(["A", "B"])", R"([{"a": "A", "b": "B", "latency_ms": 1, "gbps": 0}])"),
         "links[0].gbps: found 0"},
        {network(R"(["A", "B"])", R"([{"a": "A", "b": "B", "latency_ms": 1, "gbps": 1e-300}])"),
         "links[0].gbps: 1e-300 is too small; at least 1e-06"},
        {network(R"(["A", "B"])",
                 R"([{"a": "A", "b": "B", "latency_ms": 1, "gbps": 1, "back_gbps": 9e-7}])"),
         "links[0].back_gbps: 9e-07 is too small; at least 1e-06"},
        {R"({"payload_gb": 1e-300, "ingress_gbps": 1, "egress_gbps": 1, "nodes": ["A"]})",
         "payload_gb: 1e-300 is too small; at least 1e-09"},
        {R"({"payload_gb": 1, "ingress_gbps": 1e-9, "egress_gbps": 1, "nodes": ["A"]})",
         "ingress_gbps: 1e-09 is too small; at least 1e-06"},
        {network(R"(["A", "B"])", "[" + link + "]", R"(, "islands": {"A": {"target": 1e-7}})"),
         "islands.A.target: 1e-07 is too small; at least 1e-06"},
        {network(
             R"(["A", "B"])", "[" + link + "]", R"(, "islands": {"A": {"egress_gbps": 0.5e-6}})"),
         "islands.A.egress_gbps: 5e-07 is too small; at least 1e-06"},
        {network(R"(["A", "B"])", R"([{"a": "A", "b": "Z", "latency_ms": 1, "gbps": 1}])"),
         "\"Z\" is no node; a name in nodes or transit"},
        {network(R"(["A", "B"])", R"([{"a": "A", "b": "A", "latency_ms": 1, "gbps": 1}])"),
         "a link from a node to itself"},
        {network(R"(["A", "B"])", "[" + link + "," + link + "]"), "a second link between"},
        {network(R"(["A", "B"])", "[" + link + "]", R"(, "memory_gb": -3)"), "memory_gb: found -3"},
        {network(R"(["A", "B"])", "[" + link + "]", R"(, "memory_gb": 3, "fpga_mem_gb": 2)"),
         "memory_gb says the same"},
        {network(R"(["A", "B"])", "[" + link + "]", R"(, "schedules": {"x": [[["A", "A"]]]})"),
         "\"A\" is in this round already"},
        {network(R"(["A", "B"])", "[" + link + "]", R"(, "schedules": {"x": []})"), "no round"},
        {network(R"(["A", "B"])", "[" + link + "]", R"(, "schedules": {"x": [[["C"]]]})"),
         "\"C\" is no island of"},
        {network(R"(["A", "B"])", "[" + link + "]", R"(, "regions": {"r": ["A"], "s": ["A"]})"),
         "\"A\" is in two regions"},
        {network(R"(["A", "B"])", "[" + link + "]", R"(, "islands": {"Q": {}})"),
         "\"Q\" is no island"},
        {network(R"(["A", "B"])", "[" + link + "]", R"(, "latencies": 3)"), "latencies"},
        {R"({"nodes": ["A"]})", "payload_gb"},
        {R"({"format": "longhaul.fabric/1", "nodes": ["A"]})", "longhaul.fabric/1"},
    };
    for (const auto& one : cases) {
        EXPECT_NE(faults_of(one.text).find(one.message), std::string::npos) << one.text << "\n"
                                                                            << faults_of(one.text);
    }
    std::string many = "[";
    for (int i = 0; i < 65; ++i) {
        many += (i > 0 ? ",\"n" : "\"n") + std::to_string(i) + "\"";
    }
    const std::string one = R"([{"a": "n0", "b": "n1", "latency_ms": 5, "gbps": 10}])";
    const std::string faults = faults_of(
        network(many + "]", one, R"(, "regions": {"west": ["n2"]}, "islands": {"n3": {}})"));
    EXPECT_NE(faults.find("65 islands; at most 64"), std::string::npos);
    // Names that were not read are not called unknown.
    EXPECT_EQ(std::ranges::count(faults, '\n'), 1) << faults;
}

TEST(Islands, SitesOfATopologyAreIslands) {
    std::ifstream in(std::string(LONGHAUL_SOURCE_DIR) + "/topologies/nine-city.toml");
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto topology = topology::read_topology(text, "nine-city.toml");
    ASSERT_TRUE(topology);
    const auto islands = islands_of(*topology, {});
    ASSERT_TRUE(islands);
    const Islands shipped = detail::shipped_islands("nine-city.json");
    const Capabilities can = capabilities_of(*islands);
    RoundTimes times(*islands, can);
    RoundTimes shipped_times(shipped, can);
    EXPECT_EQ(times.latency_ms(), shipped_times.latency_ms());
}

TEST(Islands, RoundsAreCountedAndListed) {
    EXPECT_EQ(count_rounds(9, 9), 21147U);  // Bell numbers
    EXPECT_EQ(count_rounds(10, 10), 115975U);
    EXPECT_EQ(count_rounds(9, 3), 12644U);  // the background page counts the mixing ones: 12,643
    for (int n = 1; n <= 8; ++n) {
        for (int largest = 1; largest <= n; ++largest) {
            EXPECT_EQ(all_rounds(n, largest).size(), count_rounds(n, largest));
        }
    }
    EXPECT_EQ(count_rounds(64, 64), std::uint64_t{1} << 62);
}

}  // namespace
}  // namespace longhaul::schedule
