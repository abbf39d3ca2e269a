#include "longhaul/flowsim/batch.hpp"

#include <gtest/gtest.h>

namespace longhaul::flowsim {
namespace {

using core::GbitPerSecond;
using core::Gigabytes;

constexpr std::int64_t kMilli = 1'000'000'000;  // picoseconds of a millisecond

PlannedFlow flow_over(std::initializer_list<Hop> path, double gigabytes) {
    PlannedFlow flow;
    flow.path = path;
    flow.payload = Gigabytes(gigabytes);
    return flow;
}

/// n nodes in a ring, a link from each to the next.
std::vector<Link> ring(std::uint32_t nodes, double gbps, std::int64_t latency_ms) {
    return {nodes, Link{GbitPerSecond(gbps), Time(latency_ms * kMilli)}};
}

// Ring all-reduce of M over N nodes: 2 (N - 1) rounds of messages of M / N, each round alpha + M /
// (N B): 6 rounds of 20 ms + 0.25 GB at 8 Gbit/s (250 ms) = 1.62 s.
TEST(Batch, RingAllReduce) {
    constexpr FlowId kNodes = 4;
    const std::vector<Link> links = ring(kNodes, 8, 20);
    std::vector<PlannedFlow> flows;
    for (FlowId round = 0; round < 2 * (kNodes - 1); ++round) {
        for (FlowId node = 0; node < kNodes; ++node) {
            flows.push_back(flow_over({{node}}, 0.25));
            if (round > 0) {
                const FlowId previous = (node + kNodes - 1) % kNodes;
                flows.back().after = {(round - 1) * kNodes + previous};
            }
        }
    }
    const BatchResult result = run_batch(links, flows);
    EXPECT_EQ(result.end, Time(1620 * kMilli));
    EXPECT_EQ(result.unfinished, 0U);
    EXPECT_DOUBLE_EQ(result.links[0].carried.value(), 1.5);
    EXPECT_EQ(result.links[0].limiting, Time(1500 * kMilli));
}

// A chain of d = 3 links of 20 ms, 1 GB in k = 5 pieces at 8 Gbit/s: (d + k - 1) steps of 200 ms of
// sending, and d latencies: messages follow each other as soon as the one before has been sent.
TEST(Batch, PipelinedChain) {
    constexpr FlowId kHops = 3;
    constexpr FlowId kPieces = 5;
    const std::vector<Link> links = ring(kHops, 8, 20);
    std::vector<PlannedFlow> flows;
    for (FlowId hop = 0; hop < kHops; ++hop) {
        for (FlowId piece = 0; piece < kPieces; ++piece) {
            flows.push_back(flow_over({{hop}}, 0.2));
            if (hop > 0) {
                flows.back().after = {(hop - 1) * kPieces + piece};
            }
            if (piece > 0) {
                flows.back().after_sent = {hop * kPieces + piece - 1};
            }
        }
    }
    EXPECT_EQ(run_batch(links, flows).end, Time((7 * 200 + 3 * 20) * kMilli));
}

// 1 GB at 8 Gbit/s and 10 ms: delivered at 1010 ms; 5 ms later the next starts, but not before its
// own time.
TEST(Batch, WaitsAndStartTimes) {
    const std::vector<Link> links = ring(1, 8, 10);
    std::vector<PlannedFlow> flows = {
        flow_over({{0}}, 1), flow_over({{0}}, 1), flow_over({{0}}, 1)};
    flows[1].after = {0};
    flows[1].wait = Time(5 * kMilli);
    flows[2].after = {1};
    flows[2].start = Time(4000 * kMilli);
    const BatchResult result = run_batch(links, flows);
    EXPECT_EQ(result.flows[1].started, Time(1015 * kMilli));
    EXPECT_EQ(result.flows[2].started, Time(4000 * kMilli));
    EXPECT_EQ(result.flows[2].delivered, Time(5010 * kMilli));
}

// What waits for a flow without end does not start.
TEST(Batch, SaysWhatDoesNotEnd) {
    const std::vector<Link> links = ring(1, 1e-3, 0);
    std::vector<PlannedFlow> flows = {flow_over({{0}}, 1e9), flow_over({}, 1), flow_over({}, 1)};
    flows[1].after = {0};
    const BatchResult result = run_batch(links, flows);
    EXPECT_EQ(result.unfinished, 2U);
    EXPECT_EQ(result.flows[0].sent, kNever);
    EXPECT_EQ(result.flows[1].started, kNever);
    EXPECT_EQ(result.flows[2].delivered, Time(0));
}

TEST(Batch, FindsCircles) {
    std::vector<PlannedFlow> flows(4);
    EXPECT_TRUE(find_circle(flows).empty());
    flows[0].after = {1};
    flows[1].after_sent = {2};
    flows[2].after = {3};
    EXPECT_TRUE(find_circle(flows).empty());
    flows[3].after = {1};
    EXPECT_EQ(find_circle(flows), (std::vector<FlowId>{1, 2, 3}));
    flows[3].after = {3};
    EXPECT_EQ(find_circle(flows), (std::vector<FlowId>{3}));
}

}  // namespace
}  // namespace longhaul::flowsim
