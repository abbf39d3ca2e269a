// Two flows share a link of 8 Gbit/s: 1 GB each takes two seconds.
#include <iostream>
#include <vector>

#include "longhaul/flowsim/simulator.hpp"

int main() {
    using namespace longhaul;
    const std::vector<flowsim::Link> links = {{core::GbitPerSecond(8), flowsim::Time(0)}};
    flowsim::Simulator simulator(links);
    const std::vector<flowsim::Hop> hops = {{0}};
    const flowsim::Flow flow{.path = simulator.path(hops), .payload = core::Gigabytes(1)};
    simulator.start(flow, flowsim::Time(0));
    simulator.start(flow, flowsim::Time(0));
    flowsim::Time end{};
    while (const auto event = simulator.next()) {
        end = event->time;
    }
    const bool good = end == flowsim::to_time(core::Seconds(2));
    std::cout << "flowsim " << (good ? "works" : "is broken") << '\n';
    return good ? 0 : 1;
}
