// When packets leave a WAN: queues with rates, delays, jitter and loss, in virtual time. Pure: the
// caller says what time it is.
//
// A super-packet of segmentation offload is a train of wire packets. Trains stay whole: a resource
// serves the first packet of a train before the last one has arrived, as a chain of routers does,
// and the times of first and last packet are computed in closed form. Where packets of a train are
// dropped or lost it is served packet by packet, and the runs that survive travel on.
#pragma once

#include <cstdint>
#include <limits>
#include <queue>
#include <unordered_map>
#include <vector>

#include "longhaul/core/random.hpp"
#include "longhaul/emulate/wan.hpp"

namespace longhaul::emulate {

/// Packets `first` .. `first + packets - 1` of what the caller sent as `handle`. All packets have
/// `packet_bytes` on the wire, but the last has `last_bytes`.
struct Train {
    int path = 0;              ///< index into Wan::paths, or what tree_path() gives
    std::uint32_t handle = 0;  ///< the caller's
    int first = 0;
    int packets = 1;
    double packet_bytes = 0;
    double last_bytes = 0;
    double head_ns = 0;  ///< when its first packet reaches the next resource, or the receiver
    double tail_ns = 0;  ///< the last packet

    [[nodiscard]] double bytes() const { return (packets - 1) * packet_bytes + last_bytes; }
};

/// What happened to packets. Each handle counts its trains: it starts with one.
class Outlet {
public:
    Outlet() = default;
    Outlet(const Outlet&) = delete;
    Outlet& operator=(const Outlet&) = delete;
    virtual ~Outlet() = default;
    /// The train reaches its receiver at train.tail_ns; one train of its handle is done.
    virtual void deliver(const Train& train) = 0;
    /// One more train of this handle is on its way.
    virtual void share(std::uint32_t handle) = 0;
    /// One train of this handle is gone.
    virtual void release(std::uint32_t handle) = 0;
};

/// What one resource has seen. Packets on the wire.
struct Counters {
    std::uint64_t packets = 0;  ///< that it served
    double bytes = 0;           ///< that it served
    std::uint64_t dropped = 0;  ///< at a full queue
    std::uint64_t lost = 0;     ///< at random
    double queue_max = 0;       ///< bytes, including the packet in service
};

class Scheduler {
public:
    Scheduler(const Wan& wan, Outlet& outlet);

    /// The path that packets of tree `tree` of the WAN begin with.
    [[nodiscard]] int tree_path(std::size_t tree) const { return roots_[tree]; }
    /// The host at the end of a path.
    [[nodiscard]] std::size_t receiver(int path) const {
        return static_cast<std::size_t>(roads_[static_cast<std::size_t>(path)].host);
    }

    /// A train enters its path. head_ns and tail_ns are set to now_ns, which never runs backwards.
    void arrive(double now_ns, Train train);
    /// Handles everything that happens up to a time, in order. O(log events) an event.
    void advance(double until_ns);
    /// When the next event happens; infinity without one.
    [[nodiscard]] double next_ns() const {
        return events_.empty() ? std::numeric_limits<double>::infinity() : events_.top().time_ns;
    }
    [[nodiscard]] const std::vector<Counters>& counters() const { return counters_; }

private:
    struct Event {
        double time_ns = 0;
        std::uint64_t order = 0;
        std::size_t hop = 0;
        Train train;
        bool operator<(const Event& other) const {
            return time_ns != other.time_ns ? time_ns > other.time_ns : order > other.order;
        }
    };
    struct State {
        double bytes_per_ns = 0;  ///< 0 = unlimited
        double queue = 0;         ///< bytes
        double burst_ns = 0;      ///< how far the bucket may lag behind
        double delay_ns = 0;
        double jitter_ns = 0;
        double loss = 0;
        bool reorder = false;
        double free_ns = -std::numeric_limits<double>::infinity();  ///< served up to here
        double until_loss = 0;  ///< packets that pass before the next is lost
        core::Random loss_random{0};
        core::Random jitter_random{0};
        std::unordered_map<int, double> last_ns;  ///< of each path, where jitter keeps the order
    };

    /// A path of the WAN, or a branch of one of its trees.
    struct Road {
        const Path* path = nullptr;
        int host = -1;
        std::vector<int> next;  ///< roads
    };

    void lay_roads();
    void serve(Event event);
    void fork(const Road& road, Event event);
    bool serve_whole(State& state, Counters& counters, Train& train);
    void serve_packets(State& state, Counters& counters, const Event& event);
    void send(State& state, Event event);
    void push(Event event);
    static void draw_loss(State& state);

    const Wan& wan_;
    Outlet& outlet_;
    std::vector<Road> roads_;  ///< first Wan::paths, then the branches of all trees
    std::vector<int> roots_;   ///< of trees
    std::vector<State> states_;
    std::vector<Counters> counters_;
    std::priority_queue<Event> events_;
    std::uint64_t order_ = 0;
};

}  // namespace longhaul::emulate
