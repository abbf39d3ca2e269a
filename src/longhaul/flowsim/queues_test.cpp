#include "longhaul/flowsim/queues.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "longhaul/core/random.hpp"

namespace longhaul::flowsim {
namespace {

using core::GbitPerSecond;
using core::Gigabytes;
using core::Random;

constexpr std::int64_t kQueueMs = 1'000'000'000;  // picoseconds

Link queue_of(double gbps, std::int64_t latency = 0) {
    return {GbitPerSecond(gbps), Time(latency)};
}

/// Picoseconds at which each flow had the event.
std::vector<std::int64_t> times_of(QueueSimulator& simulator, std::size_t flows, EventKind kind) {
    std::vector<std::int64_t> times(flows, -1);
    Time last{};
    while (const auto event = simulator.next_until(kHorizon)) {
        EXPECT_GE(event->time, last);
        last = event->time;
        if (event->kind == kind) {
            times[event->flow] = event->time.count();
        }
    }
    EXPECT_EQ(simulator.unfinished(), 0U);
    return times;
}

// 1 GB at 10 Gbit/s takes 0.8 s; two links of 5 and 7 ms; the sender is free when the first link is
// done, or at the pace of its own.
TEST(QueueSimulator, OneFlowTakesTheSlowestLinkThenLatency) {
    const std::vector<Link> links = {queue_of(40, 5 * kQueueMs), queue_of(10, 7 * kQueueMs)};
    for (const double cap : {kUnlimited.value(), 20.0, 5.0}) {
        QueueSimulator simulator(links);
        const PathId path = simulator.path(std::vector<Hop>{{0}, {1}});
        simulator.start({.path = path, .payload = Gigabytes(1), .cap = GbitPerSecond(cap)},
                        Time(3));
        QueueSimulator again = simulator;
        const std::int64_t sent = cap == 20 ? 400 : cap == 5 ? 1600 : 200;
        EXPECT_EQ(times_of(simulator, 1, EventKind::kSent)[0], 3 + sent * kQueueMs);
        EXPECT_EQ(times_of(again, 1, EventKind::kDelivered)[0],
                  3 + (cap == 5 ? 1612 : 812) * kQueueMs);
        EXPECT_EQ(again.used(1), Time(800 * kQueueMs));
        EXPECT_EQ(again.limiting(1), cap == 5 ? Time(0) : Time(800 * kQueueMs));
        EXPECT_EQ(again.limiting(0), Time(0));
        EXPECT_DOUBLE_EQ(again.carried(0).value(), 1);
    }
}

// Two equal messages over one link: fair shares would deliver both after 1.6 s.
TEST(QueueSimulator, TheFirstIsAsFastAsAloneAndTheSecondWaits) {
    const std::vector<Link> links = {queue_of(10)};
    QueueSimulator simulator(links);
    const PathId path = simulator.path(std::vector<Hop>{{0}});
    simulator.start({.path = path, .payload = Gigabytes(1)}, Time(kQueueMs));
    simulator.start({.path = path, .payload = Gigabytes(1)}, Time(0));
    EXPECT_EQ(times_of(simulator, 2, EventKind::kDelivered),
              (std::vector<std::int64_t>{1600 * kQueueMs, 800 * kQueueMs}));
}

// Of the same moment, the lower number goes first; a load of two takes the link twice as long; an
// empty path costs what the sender takes.
TEST(QueueSimulator, TiesLoadsAndEmptyPaths) {
    const std::vector<Link> links = {queue_of(8)};
    QueueSimulator simulator(links);
    const PathId heavy = simulator.path(std::vector<Hop>{{0, 2}});
    const PathId plain = simulator.path(std::vector<Hop>{{0}});
    const PathId inside = simulator.path({});
    simulator.start({.path = heavy, .payload = Gigabytes(1)}, Time(0));
    simulator.start({.path = plain, .payload = Gigabytes(1)}, Time(0));
    simulator.start({.path = inside, .payload = Gigabytes(1), .cap = GbitPerSecond(4)}, Time(0));
    simulator.start({.path = inside, .payload = Gigabytes(1)}, Time(5));
    EXPECT_FALSE(simulator.next_until(Time(4)));
    EXPECT_EQ(simulator.now(), Time(4));
    EXPECT_EQ(times_of(simulator, 4, EventKind::kDelivered),
              (std::vector<std::int64_t>{2000 * kQueueMs, 3000 * kQueueMs, 2000 * kQueueMs, 5}));
}

struct Sent {
    Path path;
    double gb = 0;
    double gbps = 0;  // of its sender
    std::int64_t start = 0;
};

/// The same model, written down link by link: given when first bits arrive at a link, it serves in
/// that order; first bits arrive at the next link when it begins. Repeated until nothing moves.
std::vector<std::int64_t> by_fixed_point(const std::vector<Link>& links,
                                         const std::vector<Sent>& sent) {
    const auto span = [](double gb, double gbps) {
        return to_time(Gigabytes(gb) / GbitPerSecond(gbps)).count();
    };
    std::vector<std::vector<std::int64_t>> head(sent.size());
    std::vector<std::vector<std::int64_t>> done(sent.size());
    for (std::size_t f = 0; f < sent.size(); ++f) {
        head[f].assign(sent[f].path.size() + 1, sent[f].start);
        done[f].assign(sent[f].path.size(), 0);
    }
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t l = 0; l < links.size(); ++l) {
            std::vector<std::pair<std::int64_t, std::pair<std::size_t, std::size_t>>> arrivals;
            for (std::size_t f = 0; f < sent.size(); ++f) {
                for (std::size_t h = 0; h < sent[f].path.size(); ++h) {
                    if (sent[f].path[h].link == l) {
                        arrivals.push_back({head[f][h], {f, h}});
                    }
                }
            }
            std::ranges::sort(arrivals);
            std::int64_t free = 0;
            for (const auto& [time, who] : arrivals) {
                const auto [f, h] = who;
                const std::int64_t begin = std::max(time, free);
                free = begin + span(sent[f].gb, links[l].capacity.value() / sent[f].path[h].load);
                moved = moved || head[f][h + 1] != begin || done[f][h] != free;
                head[f][h + 1] = begin;
                done[f][h] = free;
            }
        }
    }
    std::vector<std::int64_t> delivered;
    for (std::size_t f = 0; f < sent.size(); ++f) {
        std::int64_t end = sent[f].start + span(sent[f].gb, sent[f].gbps);
        std::int64_t latency = 0;
        for (std::size_t h = 0; h < sent[f].path.size(); ++h) {
            end = std::max(end, done[f][h]);
            latency += links[sent[f].path[h].link].latency.count();
        }
        delivered.push_back(end + latency);
    }
    return delivered;
}

// Paths run from lower to higher links, so that the fixed point is reached; times are multiples of
// one unit, so that ties are frequent.
TEST(QueueSimulator, EqualsTheModelLinkByLink) {
    for (std::uint64_t i = 0; i < 300; ++i) {
        Random random(71, i);
        std::vector<Link> links;
        for (std::size_t l = 0; l < 4; ++l) {
            links.push_back(queue_of(1 + random.below(4), random.below(3) * kQueueMs));
        }
        std::vector<Sent> sent;
        QueueSimulator simulator(links);
        for (std::size_t f = 0; f < 12; ++f) {
            Sent one;
            for (LinkId l = 0; l < links.size(); ++l) {
                if (random.below(2) == 0) {
                    one.path.push_back({l, 1.0 + random.below(2)});
                }
            }
            one.gb = 1 + random.below(3);
            one.gbps = 1 + random.below(8);
            one.start = random.below(6) * 1000 * kQueueMs;
            simulator.start({.path = simulator.path(one.path),
                             .payload = Gigabytes(one.gb),
                             .cap = GbitPerSecond(one.gbps)},
                            Time(one.start));
            sent.push_back(std::move(one));
        }
        EXPECT_EQ(times_of(simulator, sent.size(), EventKind::kDelivered),
                  by_fixed_point(links, sent))
            << i;
    }
}

}  // namespace
}  // namespace longhaul::flowsim
