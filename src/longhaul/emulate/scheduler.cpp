#include "longhaul/emulate/scheduler.hpp"

#include <algorithm>
#include <cmath>

#include "longhaul/core/assert.hpp"

namespace longhaul::emulate {
namespace {

constexpr double kNsPerMs = 1e6;
constexpr double kBytesPerNsOfMbps = 1e6 / 8 / 1e9;
constexpr double kSlack = 1e-6;  // bytes: rounding of times must not drop a packet

}  // namespace

Scheduler::Scheduler(const Wan& wan, Outlet& outlet)
    : wan_(wan), outlet_(outlet), states_(wan.resources.size()), counters_(wan.resources.size()) {
    lay_roads();
    for (std::size_t i = 0; i < states_.size(); ++i) {
        const Shape& shape = wan.resources[i].shape;
        State& state = states_[i];
        state.bytes_per_ns = shape.rate_mbps * kBytesPerNsOfMbps;
        state.queue = shape.queue_bytes > 0 ? shape.queue_bytes : default_queue(shape);
        state.queue = std::max(state.queue, static_cast<double>(wan.mtu + wan.ethernet));
        state.burst_ns = state.bytes_per_ns > 0 ? shape.burst_bytes / state.bytes_per_ns : 0;
        state.delay_ns = shape.delay_ms * kNsPerMs;
        state.jitter_ns = shape.jitter_ms * kNsPerMs;
        state.loss = shape.loss;
        state.reorder = shape.reorder;
        state.loss_random = core::Random(wan.seed, 2 * i);
        state.jitter_random = core::Random(wan.seed, 2 * i + 1);
        draw_loss(state);
    }
}

void Scheduler::lay_roads() {
    for (std::size_t i = 0; i < wan_.paths.size(); ++i) {
        roads_.push_back({&wan_.paths[i], static_cast<int>(i % wan_.hosts.size()), {}});
    }
    for (const Tree& tree : wan_.trees) {
        const auto first = static_cast<int>(roads_.size());
        roots_.push_back(first);
        for (const Branch& branch : tree.branches) {
            LONGHAUL_ASSERT(!branch.path.empty());
            Road road{&branch.path, branch.host, branch.next};
            std::ranges::for_each(road.next, [&](int& next) { next += first; });
            roads_.push_back(std::move(road));
        }
    }
}

/// The number of packets that pass before a loss has a geometric distribution.
void Scheduler::draw_loss(State& state) {
    if (state.loss <= 0) {
        state.until_loss = std::numeric_limits<double>::infinity();
    } else if (state.loss >= 1) {
        state.until_loss = 0;
    } else {
        const double uniform = 1 - state.loss_random.uniform();  // (0, 1]
        state.until_loss = std::floor(std::log(uniform) / std::log1p(-state.loss));
    }
}

void Scheduler::push(Event event) {
    event.order = order_++;
    events_.push(event);
}

void Scheduler::arrive(double now_ns, Train train) {
    train.head_ns = train.tail_ns = now_ns;
    push({now_ns, 0, 0, train});
}

void Scheduler::advance(double until_ns) {
    while (!events_.empty() && events_.top().time_ns <= until_ns) {
        const Event event = events_.top();
        events_.pop();
        if (event.hop == roads_[static_cast<std::size_t>(event.train.path)].path->size()) {
            outlet_.deliver(event.train);
        } else {
            serve(event);
        }
    }
}

void Scheduler::serve(Event event) {
    const int index = (*roads_[static_cast<std::size_t>(event.train.path)].path)[event.hop];
    State& state = states_[index];
    Counters& counters = counters_[index];
    if (serve_whole(state, counters, event.train)) {
        send(state, event);
    } else {
        serve_packets(state, counters, event);
    }
}

/// The usual case: nothing is dropped or lost. Packets arrive evenly between head and tail, or
/// later than that line (each hop leaves them convex), so that the first and the last decide.
bool Scheduler::serve_whole(State& state, Counters& counters, Train& train) {
    if (state.until_loss < train.packets) {
        return false;
    }
    const double bytes = train.bytes();
    if (state.bytes_per_ns > 0) {
        const double per_byte = 1 / state.bytes_per_ns;
        const double first_bytes = train.packets > 1 ? train.packet_bytes : train.last_bytes;
        const double start = std::max(state.free_ns, train.head_ns - state.burst_ns);
        const double head_free = start + first_bytes * per_byte;
        const double tail_free = std::max(
            start + bytes * per_byte, train.tail_ns - state.burst_ns + train.last_bytes * per_byte);
        const double waiting = std::max((head_free - train.head_ns) * state.bytes_per_ns,
                                        (tail_free - train.tail_ns) * state.bytes_per_ns);
        if (waiting > state.queue + kSlack) {
            return false;
        }
        state.free_ns = tail_free;
        train.head_ns = std::max(train.head_ns, head_free);
        train.tail_ns = std::max(train.tail_ns, tail_free);
        counters.queue_max = std::max(counters.queue_max, waiting);
    }
    counters.packets += static_cast<std::uint64_t>(train.packets);
    counters.bytes += bytes;
    state.until_loss -= train.packets;
    return true;
}

/// Packet by packet: what survives in a row is a train of its own.
void Scheduler::serve_packets(State& state, Counters& counters, const Event& event) {
    const Train& train = event.train;
    const double gap =
        train.packets > 1 ? (train.tail_ns - train.head_ns) / (train.packets - 1) : 0;
    Event run = event;
    run.train.packets = 0;
    const auto end_run = [&] {
        if (run.train.packets > 0) {
            outlet_.share(train.handle);
            send(state, run);
        }
        run.train.packets = 0;
    };
    for (int i = 0; i < train.packets; ++i) {
        const double bytes = i + 1 == train.packets ? train.last_bytes : train.packet_bytes;
        const double arrival = train.head_ns + i * gap;
        double departure = arrival;
        if (state.bytes_per_ns > 0) {
            const double free =
                std::max(state.free_ns, arrival - state.burst_ns) + bytes / state.bytes_per_ns;
            const double waiting = (free - arrival) * state.bytes_per_ns;
            if (waiting > state.queue + kSlack) {
                ++counters.dropped;
                end_run();
                continue;
            }
            counters.queue_max = std::max(counters.queue_max, waiting);
            state.free_ns = free;
            departure = std::max(arrival, free);
        }
        ++counters.packets;
        counters.bytes += bytes;
        if (state.until_loss < 1) {
            ++counters.lost;
            draw_loss(state);
            end_run();
            continue;
        }
        state.until_loss -= 1;
        if (run.train.packets == 0) {
            run.train.first = train.first + i;
            run.train.head_ns = departure;
        }
        ++run.train.packets;
        run.train.last_bytes = bytes;
        run.train.tail_ns = departure;
    }
    end_run();
    outlet_.release(train.handle);
}

/// Over the wire behind the queue, to the next resource or to the receiver.
void Scheduler::send(State& state, Event event) {
    Train& train = event.train;
    double shift = state.delay_ns;
    if (state.jitter_ns > 0) {
        shift += state.jitter_ns * (2 * state.jitter_random.uniform() - 1);
        if (!state.reorder) {
            double& last = state.last_ns[train.path];
            shift = std::max(shift, last - train.head_ns);
            last = train.tail_ns + shift;
        }
    }
    train.head_ns += shift;
    train.tail_ns += shift;
    ++event.hop;
    const Road& road = roads_[static_cast<std::size_t>(train.path)];
    if (event.hop == road.path->size()) {
        fork(road, event);
    } else {
        event.time_ns = train.head_ns;
        push(event);
    }
}

/// At the end of a road: to its host, which gets a train when it is complete, and a copy into each
/// road that goes on.
void Scheduler::fork(const Road& road, Event event) {
    for (const int next : road.next) {
        Event copy = event;
        copy.train.path = next;
        copy.hop = 0;
        copy.time_ns = event.train.head_ns;
        outlet_.share(event.train.handle);
        push(copy);
    }
    if (road.host >= 0) {
        event.time_ns = event.train.tail_ns;
        push(event);
    } else {
        outlet_.release(event.train.handle);
    }
}

}  // namespace longhaul::emulate
