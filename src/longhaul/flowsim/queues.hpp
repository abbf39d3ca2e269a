// The other way in which links are shared: first come, first served. A message is a train of bits
// that stays together; each link of its path serves whole trains in the order in which their first
// bits arrive. So do routers with one deep queue and senders whose windows hold their messages: of
// two equal messages that meet, one is as fast as alone and the other waits for it, while fair
// shares would make both as late as the later one.
//
// Driven as Simulator is (simulator.hpp): start flows, pull events.
#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <span>
#include <vector>

#include "longhaul/core/units.hpp"
#include "longhaul/flowsim/network.hpp"
#include "longhaul/flowsim/simulator.hpp"

namespace longhaul::flowsim {

/// A flow of S bits and cap r leaves its sender within S/r. A link of capacity C begins with it
/// when its first bit is there and all trains that came before have been served; it is done S/C
/// later, and not before the link (or sender) in front. The train after it may begin then. kSent:
/// the sender is free again (S/r; without a cap, when the first link is done); kDelivered: the last
/// link is done, and one latency of the path is over. First bits pass from link to link without
/// delay; the latency of the path comes at its end. Weights and windows do not count. Whole
/// picoseconds, ties in the order of flow numbers. O(log flows) a link of a path.
class QueueSimulator {
public:
    explicit QueueSimulator(std::span<const Link> links);

    /// As in Simulator; a path may be empty.
    [[nodiscard]] PathId path(std::span<const Hop> hops);
    FlowId start(const Flow& flow, Time at);
    [[nodiscard]] std::optional<Event> next_until(Time limit);
    [[nodiscard]] Time now() const { return now_; }
    [[nodiscard]] std::size_t unfinished() const { return unfinished_; }

    /// What a link carried: the sum of load times payload of the trains that it began with.
    [[nodiscard]] core::Gigabytes carried(LinkId link) const {
        return core::Gigabytes(links_[link].carried_gb);
    }
    /// How long a link served trains, and how long those to which it gave the least rate.
    [[nodiscard]] Time used(LinkId link) const { return links_[link].used; }
    [[nodiscard]] Time limiting(LinkId link) const { return links_[link].limiting; }

private:
    struct Server {
        Link link;
        Time free{};  ///< when it has served all trains that came so far
        double carried_gb = 0;
        Time used{};
        Time limiting{};
    };
    struct KnownPath {
        Path hops;
        Time latency{};
    };
    struct Train {
        Flow flow;
        std::uint32_t hop = 0;  ///< the link at which its first bit is next
        Time end{};             ///< when its last bit has left what is behind it
        LinkId slowest = 0;     ///< link that gives it the least rate; meant when `limited`
        bool limited = false;
    };
    enum class What : std::uint8_t { kHead, kSent, kDelivered };
    struct Coming {
        Time time{};
        FlowId flow = 0;
        What what = What::kHead;
        bool operator>(const Coming& other) const {
            return time != other.time   ? time > other.time
                   : flow != other.flow ? flow > other.flow
                                        : static_cast<int>(what) > static_cast<int>(other.what);
        }
    };

    void reach_link(FlowId id);
    void set(Time at, FlowId flow, What what);

    std::vector<Server> links_;
    std::vector<KnownPath> paths_;
    std::vector<Train> trains_;
    std::priority_queue<Coming, std::vector<Coming>, std::greater<>> coming_;
    Time now_{};
    std::size_t unfinished_ = 0;
};

}  // namespace longhaul::flowsim
