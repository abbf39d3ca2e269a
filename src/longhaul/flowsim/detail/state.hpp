// What a Simulator holds: flows, the bundles that they form, and the events to come.
#pragma once

#include <queue>
#include <unordered_map>
#include <vector>

#include "longhaul/flowsim/detail/finish_queue.hpp"
#include "longhaul/flowsim/detail/sharing.hpp"
#include "longhaul/flowsim/simulator.hpp"

namespace longhaul::flowsim {

/// Amounts are in thousandths of a bit, since 1 Gbit/s is one of them a picosecond.
inline constexpr double kAmountOfByte = 8000;

struct KnownPath {
    Path hops;
    Time latency{};
};

/// What flows with equal keys have in common: they always have the same rate.
struct BundleKey {
    PathId path;
    double weight;
    double cap;
    friend bool operator==(const BundleKey&, const BundleKey&) = default;
};

struct BundleKeyHash {
    std::size_t operator()(const BundleKey& key) const;
};

/// A flow of a bundle leaves it when the service of the bundle has reached its target.
struct Member {
    double target;
    FlowId flow;
};

/// `service` is what each flow would have got that was in the bundle since it exists.
struct BundleService {
    BundleKey key{};
    double service = 0;
    Time updated{};
    std::vector<Member> members;  // heap, smallest target first
};

inline constexpr BundleId kNoBundle = std::numeric_limits<BundleId>::max();

struct FlowState {
    double left = 0;     // not yet sent, as of the start of the segment
    double segment = 0;  // what is being sent: all that is left, or the window of the round
    double window = 0;   // of the round; 0 when it is no limit
    double weight = 1;
    double cap = 0;
    Time round_end{};
    PathId path = 0;
    BundleId bundle = kNoBundle;
};

enum class TimerKind : std::uint8_t { kStart, kResume, kDeliver };

struct Timer {
    Time time;
    FlowId flow;
    TimerKind kind;
};

struct LaterTimer {
    bool operator()(const Timer& a, const Timer& b) const {
        return a.time != b.time ? a.time > b.time : a.flow > b.flow;
    }
};

class Simulator::State {
public:
    State(std::span<const Link> links, const ColdStart& cold);

    PathId path(std::span<const Hop> hops);
    FlowId start(const Flow& flow, Time at);
    std::optional<Event> next_until(Time limit);
    void settle();
    void set_capacity(LinkId link, core::GbitPerSecond capacity);

    [[nodiscard]] double under_way(LinkId link) const;

private:
    friend class Simulator;  // reads what it is asked for

    void set_timer(Time at, FlowId flow, TimerKind kind);
    void step_to(Time time);
    void run_timer(const Timer& timer);
    void send(FlowId id);
    void join(FlowId id);
    void end_segments(BundleId id);
    void end_segment(FlowId id);
    void finish_sending(FlowId id);
    void advance(BundleId id, double level);
    void schedule(BundleId id);
    [[nodiscard]] Time next_time() const;

    std::vector<Link> links_;
    std::vector<KnownPath> paths_;
    std::unordered_multimap<std::uint64_t, PathId> path_of_hash_;
    std::vector<FlowState> flows_;
    Sharing sharing_;
    std::vector<double> carried_;
    Time now_{};
    std::size_t unfinished_ = 0;
    std::unordered_map<BundleKey, BundleId, BundleKeyHash> bundle_of_;
    std::vector<BundleService> bundles_;
    FinishQueue finishes_;
    std::priority_queue<Timer, std::vector<Timer>, LaterTimer> timers_;
    std::vector<Event> ready_;  // events of now_
    std::size_t taken_ = 0;     // of these
    double first_window_;
    bool settled_ = true;
    std::vector<BundleId> joined_;  // bundles whose first member may be another, since settle()
};

}  // namespace longhaul::flowsim
