// A packet of 1514 bytes over 10 Mbit/s and 20 ms.
#include <cmath>
#include <cstdio>

#include "longhaul/emulate/scheduler.hpp"

namespace {

struct Receiver : longhaul::emulate::Outlet {
    void deliver(const longhaul::emulate::Train& train) override { arrival_ns = train.tail_ns; }
    void share(std::uint32_t /*handle*/) override {}
    void release(std::uint32_t /*handle*/) override {}
    double arrival_ns = 0;
};

}  // namespace

int main() {
    using namespace longhaul;
    emulate::Wan wan;
    wan.hosts.resize(2);
    wan.resources = {{"link", {}}};
    wan.resources[0].shape.rate_mbps = 10;
    wan.resources[0].shape.delay_ms = 20;
    wan.paths = {{}, {0}, {0}, {}};
    Receiver receiver;
    emulate::Scheduler scheduler(wan, receiver);
    emulate::Train train;
    train.path = 1;
    train.last_bytes = 1514;
    scheduler.arrive(0, train);
    scheduler.advance(1e9);
    const bool right = std::abs(receiver.arrival_ns - (20e6 + 1514 * 800)) < 1;
    std::puts(right ? "emulate: ok" : "emulate: wrong time");
    return right ? 0 : 1;
}
