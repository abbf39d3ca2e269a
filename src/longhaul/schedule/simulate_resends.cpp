#include <algorithm>
#include <limits>

#include "longhaul/core/assert.hpp"
#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/resend_queue.hpp"

namespace longhaul::schedule::detail {

namespace {

constexpr std::uint64_t kResendStream = 1ULL << 62U;  // of random numbers
constexpr double kFull = 1e-9;                        // part of a link: rounding of sums of rates

}  // namespace

double cross(const Hop& hop,
             double time_ms,
             const SimulationOptions& options,
             const World& world,
             Normal& random) {
    const bool lost = options.loss > 0 && random.uniform() < options.loss;
    const double jitter = hop.jitter_ms > 0 ? hop.jitter_ms * random() : 0;
    if (lost || world.link_down(hop.link, time_ms)) {
        return kNever;
    }
    return time_ms + std::max(0.0, hop.latency_ms + jitter);
}

void SpareLink::plan(double from_ms, double to_ms, double gbps) {
    LONGHAUL_ASSERT(!sorted_);
    edges_.emplace_back(from_ms, gbps);
    edges_.emplace_back(to_ms, -gbps);
}

double SpareLink::pass(double from_ms, double gb, double latest_ms) {
    if (!sorted_) {
        std::ranges::sort(edges_);
        sorted_ = true;
    }
    double now = std::max(from_ms, passed_ms_);
    double left = kMsOfGb * gb;  // Gbit/s x ms
    double load = load_;
    for (std::size_t next = next_;;) {
        while (next < edges_.size() && edges_[next].first <= now) {
            load += edges_[next++].second;
        }
        const double free = gbps_ - load;
        const double until =
            next < edges_.size() ? edges_[next].first : std::numeric_limits<double>::infinity();
        if (free > kFull * gbps_ && now + left / free <= until) {
            now += left / free;
            if (now > latest_ms) {
                return kNever;
            }
            passed_ms_ = now;
            next_ = next;
            load_ = load;
            return now;
        }
        if (next == edges_.size() || until > latest_ms) {
            return kNever;  // too late, or never: a plan without an end
        }
        left -= std::max(0.0, free) * (until - now);
        now = until;
    }
}

ResendQueue::ResendQueue(const Plan& plan,
                         const World& world,
                         const Islands& islands,
                         const SimulationOptions& options,
                         Offer offer,
                         std::uint64_t& resends)
    : plan_(plan),
      world_(world),
      options_(options),
      offer_(std::move(offer)),
      resends_(resends),
      random_(core::Random(options.seed, kResendStream)) {
    for (const Island& island : islands.islands) {
        egress_.emplace_back(island.egress_gbps);
    }
    for (const topology::Link& link : islands.network.links) {
        links_.emplace_back(link.gbps);
    }
    plan_loads();
}

void ResendQueue::plan_loads() {
    const double gbit = 8000 * plan_.block_gb * plan_.blocks;
    for (int k = 0; k < plan_.rounds; ++k) {
        for (const CliquePlan& clique : plan_.round(k).cliques) {
            for (const StreamPlan& stream : clique.streams) {
                if ((plan_.presence(k).senders >> stream.sender & 1U) == 0) {
                    continue;
                }
                const double rate = gbit / stream.sending_ms;
                const double start = plan_.start_ms(k) + stream.offset_ms;
                egress_[slot(stream.sender)].plan(start, start + stream.sending_ms, rate);
                std::vector<double> reached = {start};
                for (const Hop& hop : stream.hops) {
                    const double at = reached[hop.from];
                    links_[hop.link].plan(at, at + stream.sending_ms, rate);
                    reached.push_back(at + hop.latency_ms);
                }
            }
        }
    }
}

void ResendQueue::push(double time_ms, std::size_t awaited, int hop) {
    events_.push({time_ms, order_++, awaited, hop});
}

void ResendQueue::expect(int round,
                         int block,
                         const StreamPlan& stream,
                         const Destination& to,
                         double due_ms,
                         double here_ms) {
    if (options_.tries > 0 && here_ms > due_ms + kSameMs) {
        push(due_ms, awaited_.size(), -1);
        awaited_.push_back({round, block, &stream, &to, here_ms, 0});
    }
}

void ResendQueue::advance(double until_ms) {
    while (!events_.empty() && events_.top().time_ms < until_ms) {
        const Event event = events_.top();
        events_.pop();
        if (event.hop < 0) {
            look(event);
        } else if (event.hop == 0) {
            leave(event);
        } else {
            travel(event);
        }
    }
}

/// The receiver asks when it still has to, and can; its request takes the latency of the path.
void ResendQueue::look(const Event& event) {
    Awaited& at = awaited_[event.awaited];
    const int receiver = at.to->island;
    if (at.tries == options_.tries || at.here_ms <= event.time_ms + kSameMs ||
        event.time_ms > plan_.closed_ms(at.round, receiver, at.block)) {
        return;
    }
    ++at.tries;
    const double asked = event.time_ms + at.to->latency_ms;
    if (world_.island_down(receiver, event.time_ms)) {
        push(asked + at.to->latency_ms + options_.patience_ms, event.awaited, -1);
    } else if (world_.island_down(at.stream->sender, asked)) {
        ++resends_;
        arrive(event.awaited, kNever);
        push(asked + at.to->latency_ms + options_.patience_ms, event.awaited, -1);
    } else {
        push(asked, event.awaited, 0);
    }
}

/// Out of the sender's access link, if that is in time. A block that waits there is not asked for
/// again.
void ResendQueue::leave(const Event& event) {
    const Awaited& at = awaited_[event.awaited];
    const double latest =
        plan_.closed_ms(at.round, at.to->island, at.block) - at.to->latency_ms + kSameMs;
    const double left =
        egress_[slot(at.stream->sender)].pass(event.time_ms, plan_.block_gb, latest);
    if (left == kNever) {
        return;
    }
    ++resends_;
    push(left, event.awaited, 1);
    push(left + at.to->latency_ms + options_.patience_ms, event.awaited, -1);
}

/// Over the next link of the path, which passes on what comes in.
void ResendQueue::travel(const Event& event) {
    const Awaited& at = awaited_[event.awaited];
    const auto next = static_cast<std::size_t>(event.hop);
    const Hop& hop = at.to->path[next - 1];
    SpareLink& link = links_[hop.link];
    const double passed = link.pass(event.time_ms - link.least_ms(plan_.block_gb), plan_.block_gb);
    const double there = cross(hop, std::max(passed, event.time_ms), options_, world_, random_);
    if (there == kNever || next == at.to->path.size()) {
        arrive(event.awaited, there);
    } else {
        push(there, event.awaited, event.hop + 1);
    }
}

void ResendQueue::arrive(std::size_t index, double time_ms) {
    Awaited& at = awaited_[index];
    if (offer_(at.to->island, {time_ms, at.round, at.block, at.stream->sender, true})) {
        at.here_ms = std::min(at.here_ms, time_ms);
    }
}

}  // namespace longhaul::schedule::detail
