// The flow-level simulator: flows share links max-min fairly, and whoever drives it pulls one event
// after the other and starts flows meanwhile.
//
//     Simulator simulator(links);
//     const PathId path = simulator.path({{0}, {3}});
//     simulator.start({.path = path, .payload = core::Gigabytes(1)}, Time(0));
//     while (const auto event = simulator.next()) { ... }
//
// A flow is a fluid. From its start on it takes its share of each link of its path, all at once;
// when its last bit has left (event kSent) it frees them; the last bit arrives one latency of the
// path later (event kDelivered). Without others, a flow of S bits on a path of capacity B and
// latency a is sent after S/B and delivered after S/B + a.
//
// Times are whole picoseconds: the end of a flow is the exact one (of rates in double precision)
// rounded to the nearest. Events of one picosecond come in the order of flow numbers; what follows
// from a start at that same picosecond comes behind them.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include "longhaul/core/units.hpp"
#include "longhaul/flowsim/network.hpp"

namespace longhaul::flowsim {

/// Number of a path that the simulator knows.
using PathId = std::uint32_t;
/// Flows are numbered 0, 1, 2, ... in the order of the calls of start().
using FlowId = std::uint32_t;

inline constexpr core::GbitPerSecond kUnlimited{std::numeric_limits<double>::infinity()};

/// What a sender wants to move.
struct Flow {
    PathId path = 0;
    core::Gigabytes payload;               ///< >= 0, at most 10^9; counts in whole bytes, rounded
    double weight = 1;                     ///< > 0: its share is that many times another's
    core::GbitPerSecond cap = kUnlimited;  ///< > 0: its rate never exceeds it
    /// Whether its connection is new or was idle, so that its window grows from the first one on
    /// (see ColdStart).
    bool cold = false;
};

/// TCP's slow start: a cold flow may send `first_window` in the first round trip and twice as much
/// in each later one, at the rate of its share and then waiting for the end of the round. It ends
/// with the first round whose window the network cannot carry. The round trip is twice the latency
/// of the path. (RFC 6928 for ten segments; checked against Linux within 3 % with cubic.)
struct ColdStart {
    core::Gigabytes first_window{14'480e-9};
};

/// The rate that a window allows, as a cap for flows: window / round trip.
[[nodiscard]] core::GbitPerSecond window_cap(core::Gigabytes window, Time round_trip);

enum class EventKind : std::uint8_t {
    kSent,       ///< the last bit has left: the links are free again
    kDelivered,  ///< the last bit has arrived
};

struct Event {
    Time time{};
    FlowId flow = 0;
    EventKind kind = EventKind::kSent;

    friend bool operator==(const Event&, const Event&) = default;
};

/// Cost of an event: O(log flows), plus the sharing of what it changes (detail/sharing.hpp).
/// Memory: O(flows started + sum of the lengths of different paths).
class Simulator {
public:
    explicit Simulator(std::span<const Link> links, const ColdStart& cold = {});
    ~Simulator();
    Simulator(Simulator&&) noexcept;
    Simulator& operator=(Simulator&&) noexcept;
    Simulator(const Simulator&) = delete;
    Simulator& operator=(const Simulator&) = delete;

    /// The number of a path; equal paths have equal numbers. A path may be empty (a flow inside a
    /// host): flows on it are limited by their cap alone.
    [[nodiscard]] PathId path(std::span<const Hop> hops);
    /// The sum of the latencies of its links.
    [[nodiscard]] Time latency(PathId path) const;

    /// Starts a flow now or later: at >= now().
    FlowId start(const Flow& flow, Time at);
    /// Changes a link from now on.
    void set_capacity(LinkId link, core::GbitPerSecond capacity);

    /// Goes to the next event and returns it; nothing when no flow is left, or none that ends
    /// before the horizon (see unfinished()).
    [[nodiscard]] std::optional<Event> next() { return next_until(kHorizon); }
    /// The same, but not beyond `limit`: when no event comes until then, now() is `limit` and
    /// nothing is returned. For drivers with events of their own.
    [[nodiscard]] std::optional<Event> next_until(Time limit);

    [[nodiscard]] Time now() const;
    /// No event comes before this moment if nothing is started; kNever: none at all.
    [[nodiscard]] Time earliest();
    /// Flows that were started and not yet delivered.
    [[nodiscard]] std::size_t unfinished() const;

    /// Rate of a flow at this moment, 0 while it does not send.
    [[nodiscard]] core::GbitPerSecond rate(FlowId flow);
    /// The link that limits a flow at this moment; nothing when its cap does or it does not send.
    [[nodiscard]] std::optional<LinkId> limit(FlowId flow);
    /// What a link carried: the sum of load times payload sent so far.
    [[nodiscard]] core::Gigabytes carried(LinkId link);
    /// How long a flow sent over the link, and how long the link limited one.
    [[nodiscard]] Time used(LinkId link) const;
    [[nodiscard]] Time limiting(LinkId link) const;

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace longhaul::flowsim
