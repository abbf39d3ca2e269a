// Moves packets between the devices of the hosts, when the scheduler says: the loop of the
// emulator.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "longhaul/emulate/fd.hpp"
#include "longhaul/emulate/packet.hpp"
#include "longhaul/emulate/report.hpp"
#include "longhaul/emulate/scheduler.hpp"
#include "longhaul/emulate/wan.hpp"

namespace longhaul::emulate {

/// One thread. Packets are read once and written once; super-packets stay whole.
class Engine : private Outlet {
public:
    /// `devices`: one TUN descriptor a host, non-blocking; they and `wan` outlive the engine.
    Engine(const Wan& wan, std::vector<int> devices);

    /// Calls `action` whenever `fd` can be read, during run().
    [[nodiscard]] core::Result<void> watch(int fd, std::function<void()> action);
    /// Runs until stop(). Asks for real-time priority and for exact timers first.
    [[nodiscard]] core::Result<void> run();
    void stop() { running_ = false; }

    [[nodiscard]] Traffic traffic() const;
    [[nodiscard]] const std::vector<Counters>& counters() const { return scheduler_.counters(); }

private:
    /// A packet on its way, and how many trains carry parts of it.
    struct Slot {
        std::unique_ptr<std::uint8_t[]> bytes;  // NOLINT(*-avoid-c-arrays): raw room for a packet
        std::size_t size = 0;
        Frame frame;
        int trains = 0;
        bool large = false;
    };

    void deliver(const Train& train) override;
    void share(std::uint32_t handle) override { ++slots_[handle].trains; }
    void release(std::uint32_t handle) override;

    void be_punctual();
    void arm_timer();
    void read_device(std::size_t host);
    void accept(std::size_t host, std::size_t size, double now_ns);
    [[nodiscard]] std::optional<int> path_of(std::size_t host, std::uint32_t destination) const;
    void hand_over(std::size_t host,
                   std::span<const std::uint8_t> packet,
                   int packets,
                   double bytes);
    std::uint32_t keep(std::size_t size, const Frame& frame);
    [[nodiscard]] double now_ns() const;

    const Wan& wan_;
    std::vector<int> devices_;
    Scheduler scheduler_;
    Fd poll_;
    Fd timer_;
    double armed_ns_ = std::numeric_limits<double>::infinity();
    std::vector<std::function<void()>> actions_;
    std::unordered_map<std::uint32_t, int> host_of_address_;
    std::unordered_map<std::uint64_t, std::size_t> trees_;  ///< of sender and multicast address
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> free_small_, free_large_;
    std::unique_ptr<std::uint8_t[]> input_;  // NOLINT(*-avoid-c-arrays)
    Traffic traffic_;
    double start_ns_ = 0;
    bool running_ = false;
};

}  // namespace longhaul::emulate
