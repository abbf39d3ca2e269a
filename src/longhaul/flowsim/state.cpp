#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "longhaul/core/assert.hpp"
#include "longhaul/flowsim/detail/state.hpp"

namespace longhaul::flowsim {
namespace {

double amount_of(core::Gigabytes payload) {
    return kAmountOfByte * std::round(payload.value() * 1e9);
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
    return hash ^ (hash >> 29U);
}

/// Time that an amount takes, to the nearest picosecond; kNever beyond the horizon.
Time time_of(double amount, double rate) {
    const double picoseconds = amount / rate;
    return picoseconds < static_cast<double>(kHorizon.count()) ? Time(std::llround(picoseconds))
                                                               : kNever;
}

bool later_member(const Member& a, const Member& b) {
    return a.target != b.target ? a.target > b.target : a.flow > b.flow;
}

}  // namespace

std::size_t BundleKeyHash::operator()(const BundleKey& key) const {
    return mixed(mixed(key.path, std::bit_cast<std::uint64_t>(key.weight)),
                 std::bit_cast<std::uint64_t>(key.cap));
}

Simulator::State::State(std::span<const Link> links, const ColdStart& cold)
    : links_(links.begin(), links.end()),
      sharing_(links),
      carried_(links.size()),
      first_window_(amount_of(cold.first_window)) {}

PathId Simulator::State::path(std::span<const Hop> hops) {
    std::uint64_t hash = hops.size();
    for (const Hop& hop : hops) {
        LONGHAUL_ASSERT(hop.link < links_.size() && hop.load > 0 && std::isfinite(hop.load));
        hash = mixed(mixed(hash, hop.link), std::bit_cast<std::uint64_t>(hop.load));
    }
    const auto [first, last] = path_of_hash_.equal_range(hash);
    for (auto known = first; known != last; ++known) {
        if (std::ranges::equal(paths_[known->second].hops, hops)) {
            return known->second;
        }
    }
    const auto id = static_cast<PathId>(paths_.size());
    KnownPath added{{hops.begin(), hops.end()}, Time{}};
    for (const Hop& hop : hops) {
        added.latency += links_[hop.link].latency;
    }
    paths_.push_back(std::move(added));
    path_of_hash_.emplace(hash, id);
    return id;
}

FlowId Simulator::State::start(const Flow& flow, Time at) {
    LONGHAUL_ASSERT(at >= now_ && flow.path < paths_.size());
    LONGHAUL_ASSERT(flow.payload.value() >= 0 && flow.payload.value() <= 1e9);
    LONGHAUL_ASSERT(flow.weight > 0 && std::isfinite(flow.weight) && flow.cap.value() > 0);
    const auto id = static_cast<FlowId>(flows_.size());
    FlowState state;
    state.left = amount_of(flow.payload);
    state.path = flow.path;
    state.weight = flow.weight;
    state.cap = flow.cap.value();
    state.window = flow.cold && paths_[flow.path].latency > Time(0) ? first_window_ : 0;
    flows_.push_back(state);
    ++unfinished_;
    set_timer(at, id, TimerKind::kStart);
    return id;
}

/// What lies beyond the horizon does not happen.
void Simulator::State::set_timer(Time at, FlowId flow, TimerKind kind) {
    if (at <= kHorizon) {
        timers_.push({at, flow, kind});
    }
}

Time Simulator::State::next_time() const {
    Time time = kNever;
    if (!timers_.empty()) {
        time = timers_.top().time;
    }
    if (!finishes_.empty()) {
        time = std::min(time, finishes_.time());
    }
    return time;
}

std::optional<Event> Simulator::State::next_until(Time limit) {
    while (taken_ == ready_.size()) {
        settle();
        const Time time = next_time();
        if (time > limit || time == kNever) {
            now_ = std::max(now_, limit == kHorizon ? now_ : limit);
            return std::nullopt;
        }
        step_to(time);
    }
    return ready_[taken_++];
}

/// Everything that happens at one moment; the rates follow in settle().
void Simulator::State::step_to(Time time) {
    now_ = time;
    ready_.clear();
    taken_ = 0;
    settled_ = false;
    while (next_time() == now_) {
        if (!timers_.empty() && timers_.top().time == now_) {
            const Timer timer = timers_.top();
            timers_.pop();
            run_timer(timer);
        } else {
            const BundleId id = finishes_.id();
            finishes_.set(id, kNever);
            end_segments(id);
        }
    }
    std::ranges::sort(ready_, [](const Event& a, const Event& b) {
        return a.flow != b.flow ? a.flow < b.flow : a.kind < b.kind;
    });
}

void Simulator::State::run_timer(const Timer& timer) {
    if (timer.kind == TimerKind::kDeliver) {
        ready_.push_back({now_, timer.flow, EventKind::kDelivered});
        --unfinished_;
        return;
    }
    if (timer.kind == TimerKind::kResume) {
        flows_[timer.flow].window *= 2;
    }
    send(timer.flow);
}

/// Sends all that is left, or the window of a round.
void Simulator::State::send(FlowId id) {
    FlowState& flow = flows_[id];
    const bool free = paths_[flow.path].hops.empty() && !std::isfinite(flow.cap);
    if (flow.left <= 0 || free) {
        finish_sending(id);
        return;
    }
    flow.segment = flow.left;
    if (flow.window > 0 && flow.window < flow.left) {
        flow.segment = flow.window;
        flow.round_end = now_ + 2 * paths_[flow.path].latency;
    }
    join(id);
}

void Simulator::State::join(FlowId id) {
    FlowState& flow = flows_[id];
    const BundleKey key{flow.path, flow.weight, flow.cap};
    auto found = bundle_of_.find(key);
    if (found == bundle_of_.end()) {
        const BundleId added = sharing_.add(paths_[flow.path].hops, flow.weight, flow.cap, now_);
        found = bundle_of_.emplace(key, added).first;
        if (added >= bundles_.size()) {
            bundles_.resize(added + 1);
        }
        bundles_[added].key = key;
        bundles_[added].service = 0;
    } else {
        advance(found->second, sharing_.level(found->second));
        sharing_.resize(found->second, sharing_.flows(found->second) + 1, now_);
    }
    flow.bundle = found->second;
    BundleService& bundle = bundles_[flow.bundle];
    bundle.updated = now_;
    bundle.members.push_back({bundle.service + flow.segment, id});
    std::ranges::push_heap(bundle.members, later_member);
    joined_.push_back(flow.bundle);
}

/// Brings the service of a bundle to now; it had that level since it was last brought up to date.
void Simulator::State::advance(BundleId id, double level) {
    BundleService& bundle = bundles_[id];
    bundle.service +=
        sharing_.rate_at(id, level) * static_cast<double>((now_ - bundle.updated).count());
    bundle.updated = now_;
}

/// All members whose end rounds to now leave the bundle, or go on with another segment.
void Simulator::State::end_segments(BundleId id) {
    advance(id, sharing_.level(id));
    const double rate = sharing_.rate(id);
    std::vector<Member>& members = bundles_[id].members;
    std::vector<FlowId> ended;
    while (!members.empty() &&
           time_of(members.front().target - bundles_[id].service, rate) <= Time(0)) {
        ended.push_back(members.front().flow);
        std::ranges::pop_heap(members, later_member);
        members.pop_back();
    }
    sharing_.resize(id, static_cast<std::uint32_t>(members.size()), now_);
    if (members.empty()) {
        bundle_of_.erase(bundles_[id].key);
    } else {
        joined_.push_back(id);
    }
    for (const FlowId flow : ended) {
        end_segment(flow);
    }
}

void Simulator::State::end_segment(FlowId id) {
    FlowState& flow = flows_[id];
    for (const Hop& hop : paths_[flow.path].hops) {
        carried_[hop.link] += hop.load * flow.segment;
    }
    flow.left -= flow.segment;
    flow.segment = 0;
    flow.bundle = kNoBundle;
    if (flow.left <= 0) {
        finish_sending(id);
    } else if (now_ < flow.round_end) {
        set_timer(flow.round_end, id, TimerKind::kResume);
    } else {
        flow.window = 0;
        send(id);
    }
}

void Simulator::State::finish_sending(FlowId id) {
    FlowState& flow = flows_[id];
    for (const Hop& hop : paths_[flow.path].hops) {
        carried_[hop.link] += hop.load * flow.left;
    }
    flow.left = 0;
    ready_.push_back({now_, id, EventKind::kSent});
    set_timer(now_ + paths_[flow.path].latency, id, TimerKind::kDeliver);
}

void Simulator::State::set_capacity(LinkId link, core::GbitPerSecond capacity) {
    sharing_.set_capacity(link, capacity);
    settled_ = false;
}

void Simulator::State::schedule(BundleId id) {
    const BundleService& bundle = bundles_[id];
    if (sharing_.flows(id) == 0) {
        finishes_.set(id, kNever);
        return;
    }
    const double left = std::max(bundle.members.front().target - bundle.service, 0.0);
    const Time span = time_of(left, sharing_.rate(id));
    const bool ends = span <= kHorizon - bundle.updated;
    finishes_.set(id, ends ? bundle.updated + span : kNever);
}

/// New rates for what has changed at this moment, and when flows end with them.
void Simulator::State::settle() {
    if (settled_) {
        return;
    }
    settled_ = true;
    for (const Sharing::Change& change : sharing_.solve(now_)) {
        advance(change.bundle, change.before);
        schedule(change.bundle);
    }
    for (const BundleId id : joined_) {
        schedule(id);
    }
    joined_.clear();
}

/// What the flows that send now have put on the link since their segments began.
double Simulator::State::under_way(LinkId link) const {
    double amount = 0;
    for (BundleId id = 0; id < bundles_.size(); ++id) {
        const BundleService& bundle = bundles_[id];
        double load = 0;
        if (!bundle.members.empty()) {
            for (const Hop& hop : paths_[bundle.key.path].hops) {
                load += hop.link == link ? hop.load : 0;
            }
        }
        const double service =
            bundle.service +
            sharing_.rate(id) * static_cast<double>((now_ - bundle.updated).count());
        for (const Member& member : bundle.members) {
            const double segment = flows_[member.flow].segment;
            amount += load * std::clamp(segment - (member.target - service), 0.0, segment);
        }
    }
    return amount;
}

}  // namespace longhaul::flowsim
