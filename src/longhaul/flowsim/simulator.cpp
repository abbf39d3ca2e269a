#include "longhaul/flowsim/simulator.hpp"

#include "longhaul/core/assert.hpp"
#include "longhaul/flowsim/detail/state.hpp"

namespace longhaul::flowsim {

core::GbitPerSecond window_cap(core::Gigabytes window, Time round_trip) {
    LONGHAUL_ASSERT(window.value() > 0 && round_trip > Time(0));
    return core::GbitPerSecond(8 * window.value() / to_seconds(round_trip).value());
}

Simulator::Simulator(std::span<const Link> links, const ColdStart& cold)
    : state_(std::make_unique<State>(links, cold)) {}
Simulator::~Simulator() = default;
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;

PathId Simulator::path(std::span<const Hop> hops) {
    return state_->path(hops);
}

Time Simulator::latency(PathId path) const {
    return state_->paths_[path].latency;
}

FlowId Simulator::start(const Flow& flow, Time at) {
    return state_->start(flow, at);
}

std::optional<Event> Simulator::next_until(Time limit) {
    return state_->next_until(limit);
}

Time Simulator::now() const {
    return state_->now_;
}

Time Simulator::earliest() {
    state_->settle();
    return state_->taken_ < state_->ready_.size() ? state_->now_ : state_->next_time();
}

std::size_t Simulator::unfinished() const {
    return state_->unfinished_;
}

void Simulator::set_capacity(LinkId link, core::GbitPerSecond capacity) {
    state_->set_capacity(link, capacity);
}

core::GbitPerSecond Simulator::rate(FlowId flow) {
    state_->settle();
    const BundleId bundle = state_->flows_[flow].bundle;
    return core::GbitPerSecond(bundle == kNoBundle ? 0 : state_->sharing_.rate(bundle));
}

std::optional<LinkId> Simulator::limit(FlowId flow) {
    state_->settle();
    const BundleId bundle = state_->flows_[flow].bundle;
    if (bundle == kNoBundle || state_->sharing_.limit(bundle) == Sharing::kOwnCap) {
        return std::nullopt;
    }
    return state_->sharing_.limit(bundle);
}

core::Gigabytes Simulator::carried(LinkId link) {
    state_->settle();
    const double amount = state_->carried_[link] + state_->under_way(link);
    return core::Gigabytes(amount / kAmountOfByte / 1e9);
}

Time Simulator::used(LinkId link) const {
    return state_->sharing_.used(link, state_->now_);
}

Time Simulator::limiting(LinkId link) const {
    return state_->sharing_.limiting(link, state_->now_);
}

}  // namespace longhaul::flowsim
