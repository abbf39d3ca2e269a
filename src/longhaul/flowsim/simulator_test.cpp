#include "longhaul/flowsim/simulator.hpp"

#include <map>
#include <vector>

#include <gtest/gtest.h>

namespace longhaul::flowsim {
namespace {

using core::GbitPerSecond;
using core::Gigabytes;

constexpr std::int64_t kMs = 1'000'000'000;  // picoseconds

Link link_of(double gbps, std::int64_t latency = 0) {
    return {GbitPerSecond(gbps), Time(latency)};
}

PathId over(Simulator& simulator, std::initializer_list<Hop> hops) {
    return simulator.path(std::vector<Hop>(hops));
}

std::vector<Event> all_events(Simulator& simulator) {
    std::vector<Event> events;
    while (const auto event = simulator.next()) {
        events.push_back(*event);
    }
    return events;
}

/// Picoseconds at which each flow was sent.
std::vector<std::int64_t> sent_times(Simulator& simulator) {
    std::map<FlowId, std::int64_t> times;
    for (const Event& event : all_events(simulator)) {
        if (event.kind == EventKind::kSent) {
            times[event.flow] = event.time.count();
        }
    }
    std::vector<std::int64_t> list;
    for (const auto& [flow, time] : times) {
        list.push_back(time);
    }
    return list;
}

// 1 GB at 10 Gbit/s takes 0.8 s; two links of 5 and 7 ms.
TEST(Simulator, OneFlowTakesSerialisationThenLatency) {
    const std::vector<Link> links = {link_of(10, 5 * kMs), link_of(40, 7 * kMs)};
    Simulator simulator(links);
    const PathId path = over(simulator, {{0}, {1}});
    simulator.start({.path = path, .payload = Gigabytes(1)}, Time(3));
    const std::vector<Event> expected = {{Time(3 + 800 * kMs), 0, EventKind::kSent},
                                         {Time(3 + 812 * kMs), 0, EventKind::kDelivered}};
    EXPECT_EQ(all_events(simulator), expected);
    EXPECT_EQ(simulator.unfinished(), 0U);
}

// A on both links, B on the first, C on the second, capacities 1 and 2: rates 0.5, 0.5, 1.5. With
// 1 GB each (8 Gbit) C ends at 8/1.5 s; A and B stay at 0.5, which link 0 sets, until 16 s.
TEST(Simulator, ThreeFlowsOverTwoLinks) {
    const std::vector<Link> links = {link_of(1), link_of(2)};
    Simulator simulator(links);
    const PathId both = over(simulator, {{0}, {1}});
    const PathId first = over(simulator, {{0}});
    const PathId second = over(simulator, {{1}});
    for (const PathId path : {both, first, second}) {
        simulator.start({.path = path, .payload = Gigabytes(1)}, Time(0));
    }
    EXPECT_FALSE(simulator.next_until(Time(0)));
    EXPECT_EQ(simulator.rate(0).value(), 0.5);
    EXPECT_EQ(simulator.rate(1).value(), 0.5);
    EXPECT_EQ(simulator.rate(2).value(), 1.5);
    EXPECT_EQ(simulator.limit(0), 0U);
    EXPECT_EQ(simulator.limit(2), 1U);
    EXPECT_EQ(sent_times(simulator),
              (std::vector<std::int64_t>{16000 * kMs, 16000 * kMs, 5'333'333'333'333}));
    EXPECT_DOUBLE_EQ(simulator.carried(1).value(), 2);
    EXPECT_EQ(simulator.used(1), Time(16000 * kMs));
    EXPECT_EQ(simulator.limiting(1), Time(5'333'333'333'333));
    EXPECT_EQ(simulator.limiting(0), Time(16000 * kMs));
}

// Weights 3 and 1 on 8 Gbit/s: 6 and 2 Gbit/s. 3 GB and 1 GB both end after 4 s.
TEST(Simulator, WeightsDivideALink) {
    const std::vector<Link> links = {link_of(8)};
    Simulator simulator(links);
    const PathId path = over(simulator, {{0}});
    simulator.start({.path = path, .payload = Gigabytes(3), .weight = 3}, Time(0));
    simulator.start({.path = path, .payload = Gigabytes(1)}, Time(0));
    EXPECT_EQ(sent_times(simulator), (std::vector<std::int64_t>{4000 * kMs, 4000 * kMs}));
}

// A cap of 2 on a link of 10 leaves 8 to the other: 1 GB ends after 1 s, 1 GB at 2 after 4 s.
TEST(Simulator, WhatACapLeavesGoesToTheOthers) {
    const std::vector<Link> links = {link_of(10)};
    Simulator simulator(links);
    const PathId path = over(simulator, {{0}});
    simulator.start({.path = path, .payload = Gigabytes(1), .cap = GbitPerSecond(2)}, Time(0));
    simulator.start({.path = path, .payload = Gigabytes(1)}, Time(0));
    EXPECT_EQ(sent_times(simulator), (std::vector<std::int64_t>{4000 * kMs, 1000 * kMs}));
}

// N senders into one receiver end together at N S / C.
TEST(Simulator, IncastEndsTogether) {
    std::vector<Link> links(17, link_of(100));
    Simulator simulator(links);
    for (LinkId sender = 0; sender < 16; ++sender) {
        const PathId path = over(simulator, {{sender}, {16}});
        simulator.start({.path = path, .payload = Gigabytes(0.002)}, Time(0));
    }
    EXPECT_EQ(sent_times(simulator), std::vector<std::int64_t>(16, 16 * 160'000'000LL));
}

// The second flow starts when the first, alone until then, has half left: 1 GB at 8 Gbit/s is 1 s.
// From 0.5 s on both have 4 Gbit/s: the first ends at 1.5 s; the second has 0.5 GB left, at 2 s.
TEST(Simulator, AFlowThatJoinsLaterSlowsTheFirst) {
    const std::vector<Link> links = {link_of(8)};
    Simulator simulator(links);
    const PathId path = over(simulator, {{0}});
    simulator.start({.path = path, .payload = Gigabytes(1)}, Time(0));
    simulator.start({.path = path, .payload = Gigabytes(1)}, Time(500 * kMs));
    EXPECT_EQ(sent_times(simulator), (std::vector<std::int64_t>{1500 * kMs, 2000 * kMs}));
}

// A half-duplex cable is one link that both directions name: each has half of it.
TEST(Simulator, AHalfDuplexCableIsOneLink) {
    const std::vector<Link> links = {link_of(10), link_of(10), link_of(10)};
    Simulator simulator(links);
    const PathId there = over(simulator, {{0}, {2}});
    const PathId back = over(simulator, {{1}, {2}});
    simulator.start({.path = there, .payload = Gigabytes(1)}, Time(0));
    simulator.start({.path = back, .payload = Gigabytes(1)}, Time(0));
    EXPECT_EQ(sent_times(simulator), (std::vector<std::int64_t>{1600 * kMs, 1600 * kMs}));
}

// A serial receiver: links of 10 and 40 Gbit/s whose flows occupy the receiver for bytes / link.
// Equal rates r with r/10 + r/40 = 1: 8 Gbit/s each. So 1 GB each takes 0.1 s + 0.025 s a Gbit.
TEST(Simulator, LoadsMakeASerialReceiver) {
    const std::vector<Link> links = {link_of(10), link_of(40), link_of(1)};
    Simulator simulator(links);
    const PathId slow = over(simulator, {{0}, {2, 1.0 / 10}});
    const PathId fast = over(simulator, {{1}, {2, 1.0 / 40}});
    simulator.start({.path = slow, .payload = Gigabytes(1)}, Time(0));
    simulator.start({.path = fast, .payload = Gigabytes(1)}, Time(0));
    EXPECT_EQ(sent_times(simulator), (std::vector<std::int64_t>{1000 * kMs, 1000 * kMs}));
}

// 80 ms round trip and 0.2 Gbit/s, 1 MiB, first window 14,480 B. The rounds send 14480 * (1 + 2 +
// ... + 64) = 1,838,960 > 1,048,576, so with w < beta * RTT = 2,000,000 B all of the first six
// rounds (912,240 B) wait for their end: 480 ms, then 136,336 B at 0.2 Gbit/s = 5.45344 ms, then 40
// ms.
TEST(Simulator, AColdFlowSendsOneWindowARound) {
    const std::vector<Link> links = {link_of(0.2, 40 * kMs)};
    Simulator simulator(links);
    const PathId path = over(simulator, {{0}});
    const Gigabytes mebibyte(1'048'576e-9);
    simulator.start({.path = path, .payload = mebibyte, .cold = true}, Time(0));
    const std::vector<Event> expected = {{Time(485'453'440'000), 0, EventKind::kSent},
                                         {Time(525'453'440'000), 0, EventKind::kDelivered}};
    EXPECT_EQ(all_events(simulator), expected);
    EXPECT_NEAR(simulator.carried(0).value(), mebibyte.value(), 1e-15);
}

// At 0.01 Gbit/s and 80 ms the network carries 100,000 B a round: windows of 14480, 28960, 57920
// wait (240 ms, 101,360 B), the fourth (115,840 B) does not end in its round, and so there is no
// more waiting: 1,000,000 - 101,360 B at 0.01 Gbit/s = 718.912 ms.
TEST(Simulator, SlowStartEndsWhereTheNetworkLimits) {
    const std::vector<Link> links = {link_of(0.01, 40 * kMs)};
    Simulator simulator(links);
    const PathId path = over(simulator, {{0}});
    simulator.start({.path = path, .payload = Gigabytes(0.001), .cold = true}, Time(0));
    EXPECT_EQ(sent_times(simulator), (std::vector<std::int64_t>{958'912'000'000}));
}

// 4 MiB of window at 100 ms round trip: 8 * 4,194,304 B / 0.1 s.
TEST(Simulator, AWindowIsACap) {
    const auto cap = window_cap(Gigabytes(4'194'304e-9), Time(100 * kMs));
    EXPECT_DOUBLE_EQ(cap.value(), 0.33554432);
}

// 1 GB at 8 Gbit/s; at 0.25 s the link falls to 2 Gbit/s with 0.75 GB left: 3 s more.
TEST(Simulator, ALinkMaySlowDown) {
    const std::vector<Link> links = {link_of(8)};
    Simulator simulator(links);
    const PathId path = over(simulator, {{0}});
    simulator.start({.path = path, .payload = Gigabytes(1)}, Time(0));
    EXPECT_FALSE(simulator.next_until(Time(250 * kMs)));
    EXPECT_EQ(simulator.now(), Time(250 * kMs));
    EXPECT_DOUBLE_EQ(simulator.carried(0).value(), 0.25);
    simulator.set_capacity(0, GbitPerSecond(2));
    EXPECT_EQ(sent_times(simulator), (std::vector<std::int64_t>{3250 * kMs}));
}

TEST(Simulator, EmptyFlowsAndEmptyPathsTakeNoTime) {
    const std::vector<Link> links = {link_of(8, 5)};
    Simulator simulator(links);
    const PathId inside = over(simulator, {});
    const PathId path = over(simulator, {{0}});
    simulator.start({.path = inside, .payload = Gigabytes(1)}, Time(7));
    simulator.start({.path = path, .payload = Gigabytes(0)}, Time(7));
    simulator.start({.path = inside, .payload = Gigabytes(1), .cap = GbitPerSecond(8)}, Time(7));
    const std::vector<Event> expected = {{Time(7), 0, EventKind::kSent},
                                         {Time(7), 0, EventKind::kDelivered},
                                         {Time(7), 1, EventKind::kSent},
                                         {Time(12), 1, EventKind::kDelivered},
                                         {Time(1000 * kMs + 7), 2, EventKind::kSent},
                                         {Time(1000 * kMs + 7), 2, EventKind::kDelivered}};
    EXPECT_EQ(all_events(simulator), expected);
}

// A driver that starts the next flow whenever one has been sent keeps the link busy.
TEST(Simulator, FlowsMayStartWhenOthersEnd) {
    const std::vector<Link> links = {link_of(8, 20 * kMs)};
    Simulator simulator(links);
    const PathId path = over(simulator, {{0}});
    const Flow flow{.path = path, .payload = Gigabytes(0.1)};
    simulator.start(flow, Time(0));
    std::vector<std::int64_t> delivered;
    while (const auto event = simulator.next()) {
        if (event->kind == EventKind::kDelivered) {
            delivered.push_back(event->time.count());
        } else if (event->flow < 2) {
            simulator.start(flow, simulator.now());
        }
    }
    EXPECT_EQ(delivered, (std::vector<std::int64_t>{120 * kMs, 220 * kMs, 320 * kMs}));
}

// 10^9 GB at 1 Gbit/s would take 250 years.
TEST(Simulator, WhatEndsBeyondTheHorizonIsLeftUnfinished) {
    const std::vector<Link> links = {link_of(1)};
    Simulator simulator(links);
    const PathId path = over(simulator, {{0}});
    simulator.start({.path = path, .payload = Gigabytes(1e9)}, Time(0));
    EXPECT_FALSE(simulator.next());
    EXPECT_EQ(simulator.unfinished(), 1U);
}

TEST(Simulator, EqualPathsHaveOneNumber) {
    const std::vector<Link> links = {link_of(1), link_of(1)};
    Simulator simulator(links);
    const PathId path = over(simulator, {{0}, {1}});
    EXPECT_EQ(over(simulator, {{0}, {1}}), path);
    EXPECT_NE(over(simulator, {{1}, {0}}), path);
    EXPECT_NE(over(simulator, {{0}, {1, 0.5}}), path);
}

}  // namespace
}  // namespace longhaul::flowsim
