// Trains against their twin: the same packets sent one by one, every event on its own.
#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "longhaul/emulate/detail/test_receiver.hpp"
#include "longhaul/emulate/scheduler.hpp"

namespace longhaul::emulate {
namespace {

using testing::kForever;
using testing::kMs;
using testing::line;
using testing::Recorder;
using testing::train_of;

constexpr double kBytes = 1500;

/// A queue for packets of one size, by its textbook recursion, for each link after the other:
/// served(k) = max(served(k - 1), arrival(k)) + size / rate; a packet that finds the queue full is
/// dropped.
std::vector<testing::Arrival> packet_by_packet(std::vector<testing::Arrival> packets,
                                               const std::vector<Shape>& shapes) {
    for (const Shape& shape : shapes) {
        std::vector<testing::Arrival> passed;
        double served = 0;
        for (testing::Arrival packet : packets) {
            const double service = shape.rate_mbps > 0 ? kBytes * 8e3 / shape.rate_mbps : 0;
            const double free = std::max(served, packet.time_ns) + service;
            const double queue = shape.queue_bytes * 8e3 / std::max(shape.rate_mbps, 1e-9);
            if (shape.rate_mbps > 0 && free - packet.time_ns > queue + 1e-3) {
                continue;
            }
            served = free;
            packet.time_ns = free + shape.delay_ms * kMs;
            passed.push_back(packet);
        }
        packets = passed;
    }
    return packets;
}

std::vector<Shape> random_shapes(bool small_queues) {
    std::vector<Shape> shapes(*rc::gen::inRange<std::size_t>(1, 4));
    for (Shape& shape : shapes) {
        shape.rate_mbps = *rc::gen::elementOf(std::vector<double>{0, 8, 20, 50, 100});
        shape.delay_ms = *rc::gen::inRange(0, 30);
        shape.queue_bytes = small_queues ? kBytes * *rc::gen::inRange(3, 60) : 1e9;
    }
    return shapes;
}

struct Sent {
    double time_ns;
    int packets;
};

std::vector<Sent> random_trains() {
    std::vector<Sent> sent(*rc::gen::inRange<std::size_t>(1, 12));
    double now = 0;
    for (Sent& train : sent) {
        now += *rc::gen::inRange(0, 20) * kMs;
        train = {now, *rc::gen::inRange(1, 45)};
    }
    return sent;
}

// Times of the last packets agree: the closed form is exact for packets of one size.
RC_GTEST_PROP(SchedulerProperty, TrainsEndWhenTheirLastPacketDoes, ()) {
    const std::vector<Shape> shapes = random_shapes(false);
    const std::vector<Sent> sent = random_trains();
    const Wan wan = line(shapes);
    Recorder seen;
    Scheduler scheduler(wan, seen);
    std::vector<testing::Arrival> packets;
    for (std::size_t i = 0; i < sent.size(); ++i) {
        const auto handle = static_cast<std::uint32_t>(i);
        scheduler.advance(sent[i].time_ns);
        scheduler.arrive(sent[i].time_ns, train_of(sent[i].packets, kBytes, handle));
        for (int k = 0; k < sent[i].packets; ++k) {
            packets.push_back({handle, k, sent[i].time_ns});
        }
    }
    scheduler.advance(kForever);
    const std::vector<testing::Arrival> expected = packet_by_packet(packets, shapes);
    RC_ASSERT(seen.packets.size() == expected.size());
    std::size_t at = 0;
    for (const Train& train : seen.trains) {
        at += static_cast<std::size_t>(train.packets);
        RC_ASSERT(expected[at - 1].handle == train.handle);
        RC_ASSERT(std::abs(expected[at - 1].time_ns - train.tail_ns) < 1.0);
    }
}

// With drops on the first link the very same packets survive it.
RC_GTEST_PROP(SchedulerProperty, TheSamePacketsAreDropped, ()) {
    std::vector<Shape> shapes = random_shapes(true);
    shapes.resize(1);
    const std::vector<Sent> sent = random_trains();
    const Wan wan = line(shapes);
    Recorder seen;
    Scheduler scheduler(wan, seen);
    std::vector<testing::Arrival> packets;
    for (std::size_t i = 0; i < sent.size(); ++i) {
        const auto handle = static_cast<std::uint32_t>(i);
        scheduler.advance(sent[i].time_ns);
        scheduler.arrive(sent[i].time_ns, train_of(sent[i].packets, kBytes, handle));
        for (int k = 0; k < sent[i].packets; ++k) {
            packets.push_back({handle, k, sent[i].time_ns});
        }
    }
    scheduler.advance(kForever);
    const std::vector<testing::Arrival> expected = packet_by_packet(packets, shapes);
    RC_ASSERT(seen.packets.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        RC_ASSERT(seen.packets[i].handle == expected[i].handle);
        RC_ASSERT(seen.packets[i].packet == expected[i].packet);
    }
    RC_ASSERT(scheduler.counters()[0].dropped == packets.size() - expected.size());
}

// Whatever happens, every packet is delivered, dropped or lost, once, and no train stays open.
RC_GTEST_PROP(SchedulerProperty, NoPacketIsForgotten, ()) {
    std::vector<Shape> shapes = random_shapes(true);
    for (Shape& shape : shapes) {
        shape.loss = *rc::gen::elementOf(std::vector<double>{0, 0.01, 0.3});
        shape.jitter_ms = *rc::gen::inRange(0, static_cast<int>(shape.delay_ms) + 1);
        shape.burst_bytes = *rc::gen::elementOf(std::vector<double>{0, 4000, 64000});
    }
    const std::vector<Sent> sent = random_trains();
    const Wan wan = line(shapes);
    Recorder seen;
    Scheduler scheduler(wan, seen);
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < sent.size(); ++i) {
        scheduler.advance(sent[i].time_ns);
        scheduler.arrive(sent[i].time_ns,
                         train_of(sent[i].packets, kBytes, static_cast<std::uint32_t>(i)));
        total += static_cast<std::uint64_t>(sent[i].packets);
    }
    scheduler.advance(kForever);
    for (const Counters& counters : scheduler.counters()) {
        total -= counters.dropped + counters.lost;
    }
    RC_ASSERT(total == seen.packets.size());
    RC_ASSERT(std::ranges::all_of(seen.open, [](int open) { return open == 0; }));
}

}  // namespace
}  // namespace longhaul::emulate
