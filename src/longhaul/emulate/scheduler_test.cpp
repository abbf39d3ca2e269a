#include "longhaul/emulate/scheduler.hpp"

#include <array>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "longhaul/emulate/detail/test_receiver.hpp"

namespace longhaul::emulate {
namespace {

using testing::kForever;
using testing::kMs;
using testing::line;
using testing::Recorder;
using testing::shape;
using testing::train_of;

/// ns that bytes take at a rate: 8 bits a byte, 1 Mbit/s = 1e-3 bit a ns.
double ns_of(double bytes, double mbps) {
    return bytes * 8 / (mbps * 1e-3);
}

TEST(Scheduler, OnePacketTakesSerialisationAndDelay) {
    const Wan wan = line({shape(10, 20)});
    Recorder seen;
    Scheduler scheduler(wan, seen);
    scheduler.arrive(5 * kMs, train_of(1, 1250));
    scheduler.advance(kForever);
    ASSERT_EQ(seen.packets.size(), 1);
    EXPECT_NEAR(
        seen.packets[0].time_ns, 5 * kMs + 1 * kMs + 20 * kMs, 1e-3);  // 1250 B at 10 Mbit/s: 1 ms
    EXPECT_EQ(seen.open[0], 0);
}

TEST(Scheduler, NothingHappensBeforeItIsDue) {
    const Wan wan = line({shape(0, 20)});
    Recorder seen;
    Scheduler scheduler(wan, seen);
    scheduler.arrive(0, train_of(1, 1250));
    scheduler.advance(20 * kMs - 1);
    EXPECT_TRUE(seen.packets.empty());
    EXPECT_EQ(scheduler.next_ns(), 20 * kMs);
    scheduler.advance(20 * kMs);
    EXPECT_EQ(seen.packets.size(), 1);
    EXPECT_TRUE(std::isinf(scheduler.next_ns()));
}

// Routers forward the first packet of a train while the last still waits: a train of n packets over
// two links of rates a >= b takes one packet at a, and all of them at b. A chain of
// store-and-forward for the whole train would take n packets at a first.
TEST(Scheduler, TrainsArePipelinedOverLinks) {
    const Wan wan = line({shape(100, 3), shape(50, 4)});
    Recorder seen;
    Scheduler scheduler(wan, seen);
    scheduler.arrive(0, train_of(40, 1500));
    scheduler.advance(kForever);
    ASSERT_EQ(seen.trains.size(), 1);
    EXPECT_NEAR(seen.trains[0].tail_ns, ns_of(1500, 100) + ns_of(40 * 1500, 50) + 7 * kMs, 1e-3);
}

// The other way round the slow link spaces the packets, and the fast one adds one packet.
TEST(Scheduler, AFastLinkBehindASlowOneAddsOnePacket) {
    const Wan wan = line({shape(50), shape(100)});
    Recorder seen;
    Scheduler scheduler(wan, seen);
    scheduler.arrive(0, train_of(40, 1500));
    scheduler.advance(kForever);
    ASSERT_EQ(seen.trains.size(), 1);
    EXPECT_NEAR(seen.trains[0].tail_ns, ns_of(40 * 1500, 50) + ns_of(1500, 100), 1e-3);
}

TEST(Scheduler, PathsThatShareAResourceShareItsRate) {
    Wan wan = line({shape(80)});
    wan.hosts.resize(3);
    wan.paths.assign(9, {});
    wan.paths[1] = wan.paths[5] = {0};  // 0 -> 1, 1 -> 2
    wan.resources[0].shape.queue_bytes = 1e9;
    Recorder seen;
    Scheduler scheduler(wan, seen);
    for (std::uint32_t i = 0; i < 100; ++i) {
        scheduler.arrive(0, train_of(1, 1000, 2 * i, 1));
        scheduler.arrive(0, train_of(1, 1000, 2 * i + 1, 5));
    }
    scheduler.advance(kForever);
    ASSERT_EQ(seen.trains.size(), 200);
    EXPECT_NEAR(seen.trains.back().tail_ns, ns_of(200 * 1000, 80), 1e-2);
    for (std::size_t i = 0; i < seen.trains.size(); ++i) {
        EXPECT_EQ(seen.trains[i].handle, i);  // in turn, as they came
    }
}

// A queue of q bytes in front of an idle link takes q / s packets of s bytes at once.
TEST(Scheduler, AFullQueueDropsTheTail) {
    Wan wan = line({shape(10)});
    wan.resources[0].shape.queue_bytes = 10 * 1500;
    Recorder seen;
    Scheduler scheduler(wan, seen);
    scheduler.arrive(0, train_of(30, 1500));
    scheduler.advance(kForever);
    ASSERT_EQ(seen.packets.size(), 10);
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(seen.packets[i].packet, i);
    }
    EXPECT_EQ(scheduler.counters()[0].dropped, 20);
    EXPECT_EQ(scheduler.counters()[0].packets, 10);
    EXPECT_NEAR(scheduler.counters()[0].queue_max, 10 * 1500, 1e-6);
    EXPECT_EQ(seen.open[0], 0);
}

TEST(Scheduler, AQueueDrainsAtItsRate) {
    Wan wan = line({shape(10)});
    wan.resources[0].shape.queue_bytes = 10 * 1500;
    Recorder seen;
    Scheduler scheduler(wan, seen);
    scheduler.arrive(0, train_of(10, 1500));
    scheduler.advance(ns_of(3 * 1500, 10));
    scheduler.arrive(ns_of(3 * 1500, 10), train_of(10, 1500, 1));
    scheduler.advance(kForever);
    EXPECT_EQ(seen.packets.size(), 13);  // room for three
}

// A bucket of b bytes lets b through at once after a pause, and then its rate: n packets of s bytes
// end at (n s - b) / r.
TEST(Scheduler, ABucketPassesABurstAndThenItsRate) {
    Wan wan = line({shape(10)});
    wan.resources[0].shape.burst_bytes = 20 * 1000;
    wan.resources[0].shape.queue_bytes = 1e9;
    Recorder seen;
    Scheduler scheduler(wan, seen);
    for (std::uint32_t i = 0; i < 50; ++i) {
        scheduler.arrive(0, train_of(1, 1000, i));
    }
    scheduler.advance(kForever);
    ASSERT_EQ(seen.packets.size(), 50);
    for (int i = 0; i < 50; ++i) {
        EXPECT_NEAR(seen.packets[i].time_ns, std::max(0.0, ns_of((i + 1 - 20) * 1000, 10)), 1e-3);
    }
}

// Number of losses of n packets at p: mean n p, deviation sqrt(n p (1 - p)); five deviations.
TEST(Scheduler, LossesHaveTheirShare) {
    Wan wan = line({shape(0)});
    wan.resources[0].shape.loss = 0.01;
    Recorder seen;
    Scheduler scheduler(wan, seen);
    constexpr int kTrains = 5000;
    constexpr int kPackets = 40;
    for (std::uint32_t i = 0; i < kTrains; ++i) {
        scheduler.arrive(i, train_of(kPackets, 1500, i));
        scheduler.advance(i);
    }
    const double n = kTrains * kPackets;
    const auto lost = static_cast<double>(scheduler.counters()[0].lost);
    EXPECT_NEAR(lost, n * 0.01, 5 * std::sqrt(n * 0.01 * 0.99));
    EXPECT_EQ(static_cast<double>(seen.packets.size()) + lost, n);
    for (const int open : seen.open) {
        EXPECT_EQ(open, 0);
    }
}

// Gaps between losses are geometric: the share of gaps of length 0 is p, their mean (1 - p) / p.
TEST(Scheduler, LossesAreIndependent) {
    Wan wan = line({shape(0)});
    wan.resources[0].shape.loss = 0.2;
    Recorder seen;
    Scheduler scheduler(wan, seen);
    scheduler.arrive(0, train_of(100000, 1500));
    scheduler.advance(0);
    std::vector<char> lost(100000, 1);
    for (const testing::Arrival& packet : seen.packets) {
        lost[packet.packet] = 0;
    }
    int pairs = 0;
    for (std::size_t i = 1; i < lost.size(); ++i) {
        pairs += lost[i] & lost[i - 1];
    }
    EXPECT_NEAR(pairs / 1e5, 0.04, 0.005);
}

TEST(Scheduler, LossOfOneLosesAll) {
    Wan wan = line({shape(0)});
    wan.resources[0].shape.loss = 1;
    Recorder seen;
    Scheduler scheduler(wan, seen);
    scheduler.arrive(0, train_of(40, 1500));
    scheduler.advance(0);
    EXPECT_TRUE(seen.packets.empty());
    EXPECT_EQ(scheduler.counters()[0].lost, 40);
    EXPECT_EQ(seen.open[0], 0);
}

/// Delays in ms of packets that are sent far apart.
std::vector<double> jittered(std::uint64_t seed) {
    Wan wan = line({shape(0, 20)});
    wan.resources[0].shape.jitter_ms = 4;
    wan.seed = seed;
    Recorder seen;
    Scheduler scheduler(wan, seen);
    std::vector<double> delays;
    for (std::uint32_t i = 0; i < 20000; ++i) {
        scheduler.arrive(i * 100 * kMs, train_of(1, 100, i));
        scheduler.advance(i * 100 * kMs + 99 * kMs);
        delays.push_back(seen.packets.at(i).time_ns / kMs - i * 100.0);
    }
    return delays;
}

// Uniform on 20 +- 4 ms: mean 20, deviation 4 / sqrt(3), a quarter of it in each quarter.
TEST(Scheduler, JitterIsUniform) {
    const std::vector<double> delays = jittered(7);
    double sum = 0;
    double squares = 0;
    int lowest_quarter = 0;
    for (const double delay : delays) {
        ASSERT_GE(delay, 16 - 1e-6);
        ASSERT_LE(delay, 24 + 1e-6);
        sum += delay;
        squares += (delay - 20) * (delay - 20);
        lowest_quarter += delay < 18 ? 1 : 0;
    }
    const auto n = static_cast<double>(delays.size());
    EXPECT_NEAR(sum / n, 20, 0.1);
    EXPECT_NEAR(std::sqrt(squares / n), 4 / std::sqrt(3.0), 0.05);
    EXPECT_NEAR(lowest_quarter / n, 0.25, 0.02);
}

TEST(Scheduler, TheSeedDecides) {
    EXPECT_EQ(jittered(7), jittered(7));
    EXPECT_NE(jittered(7), jittered(8));
}

/// How many packets, sent 0.1 ms apart over 20 +- 10 ms, arrive before one that was sent earlier.
int overtakes(bool reorder) {
    Wan wan = line({shape(0, 20)});
    wan.resources[0].shape.jitter_ms = 10;
    wan.resources[0].shape.reorder = reorder;
    Recorder seen;
    Scheduler scheduler(wan, seen);
    for (std::uint32_t i = 0; i < 1000; ++i) {
        scheduler.arrive(i * 0.1 * kMs, train_of(1, 100, i));
        scheduler.advance(i * 0.1 * kMs);
    }
    scheduler.advance(kForever);
    int count = 0;
    for (std::size_t i = 1; i < seen.packets.size(); ++i) {
        count += seen.packets[i].handle < seen.packets[i - 1].handle ? 1 : 0;
    }
    EXPECT_EQ(seen.packets.size(), 1000);
    return count;
}

TEST(Scheduler, JitterKeepsTheOrderUnlessToldOtherwise) {
    EXPECT_EQ(overtakes(false), 0);
    EXPECT_GT(overtakes(true), 100);
}

/// A tree over three hosts: r0, then r1 to host 1 and r2 to host 2; host 1 is also at the fork of
/// r3 to nobody behind it.
Wan forked(std::vector<Shape> shapes) {
    Wan wan = line({});
    wan.hosts.resize(3);
    wan.paths.assign(9, {});
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        wan.resources.push_back({"r" + std::to_string(i), shapes[i]});
    }
    wan.trees.push_back(
        {0, 0xef000001U, {{{0}, -1, {1, 2}}, {{1}, 1, {3}}, {{2}, 2, {}}, {{3}, -1, {}}}});
    return wan;
}

// A copy behind the fork meets what a packet of its own would meet; the part before it is crossed
// once. Times: 1250 B at 10 Mbit/s are 1 ms.
TEST(Scheduler, TreesCarryOneCopyALink) {
    const Wan wan = forked({shape(10, 5), shape(10, 20), shape(0, 30), shape(0, 0)});
    Recorder seen;
    Scheduler scheduler(wan, seen);
    EXPECT_EQ(scheduler.tree_path(0), 9);
    scheduler.arrive(0, train_of(1, 1250, 0, scheduler.tree_path(0)));
    scheduler.arrive(0, train_of(1, 1250, 1, scheduler.tree_path(0)));
    scheduler.advance(kForever);
    ASSERT_EQ(seen.trains.size(), 4);
    const std::array<double, 4> times{27 * kMs, 28 * kMs, 36 * kMs, 37 * kMs};
    const std::array<std::size_t, 4> hosts{1, 1, 2, 2};
    for (std::size_t i = 0; i < times.size(); ++i) {
        EXPECT_NEAR(seen.trains[i].tail_ns, times[i], 1e-3);
        EXPECT_EQ(scheduler.receiver(seen.trains[i].path), hosts[i]);
    }
    EXPECT_EQ(seen.open[0], 0);
    EXPECT_EQ(seen.open[1], 0);
    for (const Counters& counters : scheduler.counters()) {
        EXPECT_EQ(counters.packets, 2);
    }
}

// What is lost before a fork is lost for all behind it; what is lost behind it for that side alone.
TEST(Scheduler, LossInATreeConcernsWhatLiesBehind) {
    Shape all_lost = shape(0, 1);
    all_lost.loss = 1;
    for (const bool before : {true, false}) {
        const Wan wan = before ? forked({all_lost, shape(0, 1), shape(0, 1), shape(0, 1)})
                               : forked({shape(0, 1), all_lost, shape(0, 1), shape(0, 1)});
        Recorder seen;
        Scheduler scheduler(wan, seen);
        scheduler.arrive(0, train_of(3, 1250, 0, scheduler.tree_path(0)));
        scheduler.advance(kForever);
        EXPECT_EQ(seen.packets.size(), before ? 0 : 3);
        EXPECT_EQ(seen.open[0], 0);
    }
}

}  // namespace
}  // namespace longhaul::emulate
