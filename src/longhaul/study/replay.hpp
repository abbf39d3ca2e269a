// Plays a step on a simulated network: when everything happens.
#pragma once

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/flowsim/simulator.hpp"
#include "longhaul/study/step_graph.hpp"
#include "longhaul/study/step_network.hpp"
#include "longhaul/study/step_times.hpp"

namespace longhaul::study {

struct ReplayOptions {
    bool cold_first = false;  ///< the first message of each connection meets a cold one
    flowsim::ColdStart cold{};
    /// Links serve whole messages, first come, first served (flowsim::QueueSimulator), instead of
    /// giving each its fair share; connections are never cold then.
    bool queues = false;
    /// Cores that all devices compute on, each task on one core at most and all fairly, as when a
    /// network is emulated on one machine; 0: every device computes for itself.
    int cores = 0;
};

/// What a link of the network, or a connection, carried.
struct LinkUse {
    double gb = 0;
    Time busy{};      ///< something was sent over it
    Time limiting{};  ///< it was what limited a message; of a connection: sending it alone takes
                      ///< that
};

struct Replay {
    StepTimes times;
    std::vector<LinkUse> links;        ///< of the network
    std::vector<LinkUse> connections;  ///< the same order as Connections::list
};

/// Devices compute their programs in order, messages of a connection leave one after another in the
/// order in which they became ready (then by number), and all connections share the links max-min
/// fairly. A message that has left frees its connection; it has arrived one latency later. Whole
/// picoseconds; the same inputs give the same times. Fails when tasks remain that wait for each
/// other. O(tasks log tasks) and what the simulator needs.
[[nodiscard]] core::Result<Replay> replay(const StepGraph& graph,
                                          const Connections& connections,
                                          const StepNetwork& network,
                                          const ReplayOptions& options = {});

}  // namespace longhaul::study
