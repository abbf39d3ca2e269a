// A schedule with everything that running it takes: offsets, rates, trees, slots.
//
// The optimiser makes it, a file holds it (schedule_file.hpp), the event simulator and the runtime
// follow it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "longhaul/core/grid.hpp"
#include "longhaul/schedule/round.hpp"
#include "longhaul/topology/multicast.hpp"

namespace longhaul::schedule {

/// When the rounds of a schedule follow each other.
enum class Pace {
    kUniform,  ///< every round takes as long as the longest
    kOwn,      ///< every round takes its own time
    kStreamed  ///< a round starts every interval, while the one before is still on its way
};

struct TimedClique {
    Clique members = 0;
    double sending_ms = 0;                    ///< payload / rate, of the slowest sender
    double time_ms = 0;                       ///< until the last byte has arrived everywhere
    std::vector<double> offset_ms;            ///< one a member, ascending by island
    std::vector<double> sender_ms;            ///< time of sending a member; empty: sending_ms each
    std::vector<topology::StreamTree> trees;  ///< one a member: directed links of the network
    core::Grid<double> weights;               ///< k x k, receiver x sender; empty: 1/k each
};

struct TimedRound {
    double length_ms = 0;              ///< from its start to the start of the next
    std::vector<TimedClique> cliques;  ///< those of one member have no trees
};

struct TimedSchedule {
    std::string network_name;
    std::string network_sha256;
    Pace pace = Pace::kUniform;
    double payload_gb = 1;
    double forgetting = 1;  ///< what is left of an update's worth after a round, in (0, 1]
    double guard_ms = 0;
    double timeout_ms = 0;            ///< after which an incomplete slot is sent on
    std::uint32_t slot_elements = 0;  ///< elements of the payload that one slot holds
    std::vector<double> memory_gb;    ///< one an island
    std::vector<TimedRound> rounds;

    [[nodiscard]] Schedule schedule() const;
};

}  // namespace longhaul::schedule
