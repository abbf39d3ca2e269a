#include "longhaul/flowsim/flows_file.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "longhaul/topology/artifact.hpp"

namespace longhaul::flowsim {
namespace {

constexpr std::string_view kFile = R"(
format = "longhaul.flows/1"
[cold_start]
first_window_kb = 4.38
[[link]]
name = "a"
gbps = 8
latency_ms = 0.5
[[link]]
name = "b"
gbps = 1
[[route]]
name = "both"
path = ["a", { link = "b", load = 0.125 }]
[[flow]]
name = "first"
route = "both"
payload_gb = 0.5
[[flow]]
path = ["a"]
payload_gb = 0.25
start_ms = 1.5
weight = 3
cap_gbps = 4
cold = true
after = ["first"]
after_sent = ["last"]
wait_ms = 2
[[flow]]
name = "last"
path = []
payload_gb = 0
)";

TEST(FlowsFile, ReadsEveryKey) {
    const auto file = read_flows(kFile, "flows.toml");
    ASSERT_TRUE(file);
    EXPECT_EQ(file->link_names, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(file->links[0].capacity.value(), 8);
    EXPECT_EQ(file->links[0].latency, Time(500'000'000));
    EXPECT_DOUBLE_EQ(file->cold.first_window.value(), 4.38e-6);
    EXPECT_EQ(file->flow_names, (std::vector<std::string>{"first", "flow 1", "last"}));
    EXPECT_EQ(file->flows[0].path, (Path{{0, 1}, {1, 0.125}}));
    const PlannedFlow& flow = file->flows[1];
    EXPECT_EQ(flow.path, (Path{{0, 1}}));
    EXPECT_EQ(flow.payload.value(), 0.25);
    EXPECT_EQ(flow.start, Time(1'500'000'000));
    EXPECT_EQ(flow.wait, Time(2'000'000'000));
    EXPECT_EQ(flow.weight, 3);
    EXPECT_EQ(flow.cap.value(), 4);
    EXPECT_TRUE(flow.cold);
    EXPECT_EQ(flow.after, std::vector<FlowId>{0});
    EXPECT_EQ(flow.after_sent, std::vector<FlowId>{2});
    EXPECT_TRUE(file->flows[2].path.empty());
}

// A flow of 0.5 GB at 8 Gbit/s: half a second, and half a millisecond of latency.
TEST(FlowsFile, WritesTimesAndUse) {
    const auto file = read_flows(R"({"link": [{"name": "a", "gbps": 8, "latency_ms": 0.5}],
                                     "flow": [{"path": ["a"], "payload_gb": 0.5}]})",
                                 "flows.json");
    ASSERT_TRUE(file);
    const core::Value value = to_value(*file, run_batch(file->links, file->flows, file->cold));
    EXPECT_EQ(value.find("end_s")->number, 0.5005);
    const core::Value& flow = value.find("flows")->items.at(0);
    EXPECT_EQ(flow.find("sent_s")->number, 0.5);
    EXPECT_EQ(flow.find("delivered_s")->number, 0.5005);
    const core::Value& link = value.find("links")->items.at(0);
    EXPECT_EQ(link.find("carried_gb")->number, 0.5);
    EXPECT_NEAR(link.find("use")->number, 0.5 / 0.5005, 1e-15);
    EXPECT_EQ(link.find("limiting_s")->number, 0.5);
}

TEST(FlowsFile, CollectsAllProblemsWithTheirPlaces) {
    const auto file = read_flows(R"(
[[link]]
name = "a"
gbps = -1
[[flow]]
path = ["b"]
payload_gb = 1
after = ["nobody"]
)",
                                 "flows.toml");
    ASSERT_FALSE(file);
    std::vector<std::string> lines;
    for (const core::Diagnostic& problem : file.error()) {
        lines.push_back(core::to_string(problem));
    }
    const std::vector<std::string> expected{"line 4, column 8: link[0].gbps",
                                            "flow[0].path[0]: there is no link \"b\"",
                                            "flow[0].after[0]: there is no flow"};
    ASSERT_EQ(lines.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NE(lines[i].find(expected[i]), std::string::npos) << lines[i];
    }
}

TEST(FlowsFile, NamesACircle) {
    const auto file = read_flows(R"(
[[link]]
name = "a"
gbps = 1
[[flow]]
name = "x"
path = ["a"]
payload_gb = 1
after = ["y"]
[[flow]]
name = "y"
path = ["a"]
payload_gb = 1
after_sent = ["x"]
)",
                                 "flows.toml");
    ASSERT_FALSE(file);
    EXPECT_NE(core::to_string(file.error().at(0))
                  .find(R"("x", which waits for "y", which waits for "x")"),
              std::string::npos);
}

/// The shipped network of nine cities: 100 Gbit/s a cable, Frankfurt to Singapore through London.
topology::Routes nine_cities() {
    std::ifstream file(LONGHAUL_SOURCE_DIR "/topologies/nine-city.toml");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return topology::read_routes(text, "nine-city.toml").value();
}

// Both flows cross the cable from London to Singapore: 50 Gbit/s each, 1 GB after 160 ms.
TEST(FlowsFile, TakesPathsFromATopology) {
    const topology::Routes routes = nine_cities();
    const auto file = read_flows(R"(
[[flow]]
from = "FRA"
to = "SIN"
payload_gb = 1
[[flow]]
from = "LON"
to = "SIN"
payload_gb = 1
[[flow]]
path = ["own"]
payload_gb = 1
[[link]]
name = "own"
gbps = 1000
)",
                                 "flows.toml",
                                 &routes);
    ASSERT_TRUE(file);
    const BatchResult result = run_batch(file->links, file->flows, file->cold);
    EXPECT_EQ(result.flows[0].sent, Time(160'000'000'000));
    EXPECT_EQ(result.flows[1].sent, Time(160'000'000'000));
    EXPECT_EQ(result.flows[2].sent, Time(8'000'000'000));
    const core::Value value = to_value(*file, result);
    std::vector<std::string> used;
    for (const core::Value& link : value.find("links")->items) {
        used.push_back(link.find("name")->string);
    }
    std::ranges::sort(used);
    EXPECT_EQ(used, (std::vector<std::string>{"FRA > LON", "LON > SIN", "own"}));
}

TEST(FlowsFile, RefusesEndpointsThatTheTopologyHasNot) {
    const topology::Routes routes = nine_cities();
    constexpr std::string_view kLost = R"(
[[flow]]
from = "FRA"
to = "ROM"
payload_gb = 1
)";
    const auto unknown = read_flows(kLost, "flows.toml", &routes);
    ASSERT_FALSE(unknown);
    EXPECT_NE(core::to_string(unknown.error().at(0))
                  .find("flow[0].to: the topology has no endpoint \"ROM\""),
              std::string::npos);
    const auto alone = read_flows(kLost, "flows.toml");
    ASSERT_FALSE(alone);
    EXPECT_NE(core::to_string(alone.error().back()).find("--topology"), std::string::npos);
}

}  // namespace
}  // namespace longhaul::flowsim
