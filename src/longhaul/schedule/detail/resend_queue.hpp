// Blocks that are sent again in the event simulation: they take what planned streams leave free of
// the links on their way, one after the other.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "longhaul/schedule/detail/inbox.hpp"
#include "longhaul/schedule/detail/simulation.hpp"

namespace longhaul::schedule::detail {

/// A link, and what planned streams leave free of it.
class SpareLink {
public:
    explicit SpareLink(double gbps) : gbps_(gbps) {}

    /// A stream that takes a rate from one time to another. Before the first pass().
    void plan(double from_ms, double to_ms, double gbps);
    /// When a block that begins to arrive at `from_ms`, or when the one before it has passed, has
    /// passed; times must ascend. Infinite, and it does not pass, when that would be after
    /// `latest_ms`. O(streams) in all, and for each that does not pass.
    [[nodiscard]] double pass(double from_ms,
                              double gb,
                              double latest_ms = std::numeric_limits<double>::max());
    /// How long a block takes on the idle link.
    [[nodiscard]] double least_ms(double gb) const { return kMsOfGb * gb / gbps_; }

private:
    static constexpr double kMsOfGb = 8000;  // at 1 Gbit/s

    double gbps_;
    std::vector<std::pair<double, double>> edges_;  ///< when, by how much the load changes
    bool sorted_ = false;
    std::size_t next_ = 0;  ///< edge
    double load_ = 0;       ///< before it
    double passed_ms_ = -1e300;
};

class ResendQueue {
public:
    /// Takes what has come to an aggregator, or was lost on the way (at infinity); false when it
    /// did not get in.
    using Offer = std::function<bool(int receiver, const Arrival& arrival)>;

    /// `resends` counts.
    ResendQueue(const Plan& plan,
                const World& world,
                const Islands& islands,
                const SimulationOptions& options,
                Offer offer,
                std::uint64_t& resends);

    /// A block should have come at `due_ms` less the patience, and came at `here_ms`, which may be
    /// never: at `due_ms` its receiver asks for it.
    void expect(int round,
                int block,
                const StreamPlan& stream,
                const Destination& to,
                double due_ms,
                double here_ms);
    /// What happens before a time. Islands that are down do not ask, nor those that have mixed; and
    /// what would come after that is not sent. Offers are in order of the time at which they left
    /// their last link. O(log) a link of a path.
    void advance(double until_ms);

private:
    struct Awaited {
        int round = 0;
        int block = 0;
        const StreamPlan* stream = nullptr;
        const Destination* to = nullptr;
        double here_ms = 0;
        int tries = 0;
    };
    struct Event {
        double time_ms = 0;
        std::uint64_t order = 0;
        std::size_t awaited = 0;
        int hop = 0;  ///< -1: the receiver looks; 0: at the access link; h: at link h of the path
        bool operator<(const Event& other) const {
            return time_ms != other.time_ms ? time_ms > other.time_ms : order > other.order;
        }
    };

    void plan_loads();
    void push(double time_ms, std::size_t awaited, int hop);
    void look(const Event& event);
    void leave(const Event& event);
    void travel(const Event& event);
    void arrive(std::size_t index, double time_ms);

    const Plan& plan_;
    const World& world_;
    const SimulationOptions& options_;
    Offer offer_;
    std::uint64_t& resends_;
    Normal random_;
    std::vector<SpareLink> egress_;  ///< of islands
    std::vector<SpareLink> links_;
    std::vector<Awaited> awaited_;
    std::priority_queue<Event> events_;
    std::uint64_t order_ = 0;
};

}  // namespace longhaul::schedule::detail
