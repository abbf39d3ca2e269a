// What the tests of the scheduler share: a small WAN, and a receiver that writes down what arrives.
#pragma once

#include <algorithm>
#include <vector>

#include "longhaul/emulate/scheduler.hpp"

namespace longhaul::emulate::testing {

/// One wire packet that reached its receiver.
struct Arrival {
    std::uint32_t handle = 0;
    int packet = 0;  ///< number inside its train, as it was sent
    double time_ns = 0;

    friend bool operator==(const Arrival&, const Arrival&) = default;
};

class Recorder : public Outlet {
public:
    void deliver(const Train& train) override {
        trains.push_back(train);
        for (int i = 0; i < train.packets; ++i) {
            packets.push_back({train.handle, train.first + i, train.tail_ns});
        }
        release(train.handle);
    }
    void share(std::uint32_t handle) override { count(handle, 1); }
    void release(std::uint32_t handle) override { count(handle, -1); }

    /// Trains of a handle that are neither delivered nor gone, besides the one that was sent.
    void count(std::uint32_t handle, int change) {
        open.resize(std::max<std::size_t>(open.size(), handle + 1), 1);
        open[handle] += change;
    }

    std::vector<Train> trains;
    std::vector<Arrival> packets;
    std::vector<int> open;
};

/// Two hosts; packets from the first to the second cross all resources, those back none.
inline Wan line(std::vector<Shape> shapes) {
    Wan wan;
    wan.hosts.resize(2);
    wan.paths.resize(4);
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        wan.resources.push_back({"r" + std::to_string(i), shapes[i]});
        wan.paths[1].push_back(static_cast<int>(i));
    }
    return wan;
}

inline Train train_of(int packets, double bytes, std::uint32_t handle = 0, int path = 1) {
    Train train;
    train.path = path;
    train.handle = handle;
    train.packets = packets;
    train.packet_bytes = train.last_bytes = bytes;
    return train;
}

inline Shape shape(double rate_mbps, double delay_ms = 0) {
    Shape made;
    made.rate_mbps = rate_mbps;
    made.delay_ms = delay_ms;
    return made;
}

inline constexpr double kMs = 1e6;        // ns
inline constexpr double kForever = 1e18;  // ns

}  // namespace longhaul::emulate::testing
