#include "longhaul/flowsim/queues.hpp"

#include <algorithm>
#include <cmath>

#include "longhaul/core/assert.hpp"

namespace longhaul::flowsim {
namespace {

/// Seconds of a payload at a rate; none at no limit.
Time span_of(core::Gigabytes payload, double gbps) {
    return std::isfinite(gbps) ? to_time(payload / core::GbitPerSecond(gbps)) : Time(0);
}

}  // namespace

QueueSimulator::QueueSimulator(std::span<const Link> links) {
    for (const Link& link : links) {
        links_.push_back({link, {}, 0, {}, {}});
    }
}

PathId QueueSimulator::path(std::span<const Hop> hops) {
    KnownPath added{{hops.begin(), hops.end()}, Time{}};
    for (const Hop& hop : hops) {
        LONGHAUL_ASSERT(hop.link < links_.size() && hop.load > 0 && std::isfinite(hop.load));
        added.latency += links_[hop.link].link.latency;
    }
    paths_.push_back(std::move(added));
    return static_cast<PathId>(paths_.size() - 1);
}

/// What lies beyond the horizon does not happen.
void QueueSimulator::set(Time at, FlowId flow, What what) {
    if (at <= kHorizon) {
        coming_.push({at, flow, what});
    }
}

FlowId QueueSimulator::start(const Flow& flow, Time at) {
    LONGHAUL_ASSERT(at >= now_ && flow.path < paths_.size());
    LONGHAUL_ASSERT(flow.payload.value() >= 0 && flow.payload.value() <= 1e9 &&
                    flow.cap.value() > 0);
    const auto id = static_cast<FlowId>(trains_.size());
    Train train{flow, 0, at, 0, false};
    double least = flow.cap.value();
    for (const Hop& hop : paths_[flow.path].hops) {
        const double rate = links_[hop.link].link.capacity.value() / hop.load;
        if (rate <= least) {
            least = rate;
            train.slowest = hop.link;
            train.limited = true;
        }
    }
    trains_.push_back(train);
    ++unfinished_;
    set(at, id, What::kHead);
    return id;
}

std::optional<Event> QueueSimulator::next_until(Time limit) {
    while (!coming_.empty() && coming_.top().time <= limit) {
        const Coming next = coming_.top();
        coming_.pop();
        now_ = next.time;
        switch (next.what) {
            case What::kHead:
                reach_link(next.flow);
                break;
            case What::kSent:
                return Event{now_, next.flow, EventKind::kSent};
            case What::kDelivered:
                --unfinished_;
                return Event{now_, next.flow, EventKind::kDelivered};
        }
    }
    now_ = std::max(now_, limit == kHorizon ? now_ : limit);
    return std::nullopt;
}

/// The first bit is at the next link, or behind the last one.
void QueueSimulator::reach_link(FlowId id) {
    Train& train = trains_[id];
    const Path& hops = paths_[train.flow.path].hops;
    if (train.hop == 0) {
        train.end = now_ + span_of(train.flow.payload, train.flow.cap.value());
        if (hops.empty() || std::isfinite(train.flow.cap.value())) {
            set(train.end, id, What::kSent);
        }
    }
    if (train.hop == hops.size()) {
        set(train.end + paths_[train.flow.path].latency, id, What::kDelivered);
        return;
    }
    const Hop& hop = hops[train.hop];
    Server& server = links_[hop.link];
    const Time span = span_of(train.flow.payload, server.link.capacity.value() / hop.load);
    const Time begin = std::max(now_, server.free);
    server.free = begin + span;
    server.carried_gb += hop.load * train.flow.payload.value();
    server.used += span;
    if (train.limited && train.slowest == hop.link) {
        server.limiting += span;
    }
    train.end = std::max(train.end, server.free);
    if (train.hop == 0 && !std::isfinite(train.flow.cap.value())) {
        set(train.end, id, What::kSent);
    }
    ++train.hop;
    set(begin, id, What::kHead);
}

}  // namespace longhaul::flowsim
