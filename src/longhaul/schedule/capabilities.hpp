// What the network and its aggregators can do: the assumptions that times are computed under.
#pragma once

#include <cstdint>
#include <vector>

#include "longhaul/schedule/islands.hpp"

namespace longhaul::schedule {

enum class Trees {
    kShortest,  ///< shortest paths by latency: what multicast builds today
    kFlexible   ///< congestion-aware trees, chosen for each round
};

enum class Sharing {
    kEqual,  ///< streams on a link get equal parts of it
    kBest    ///< parts are chosen so that the round ends first
};

struct Capabilities {
    double payload_gb = 1;
    std::vector<double> memory_gb;  ///< one an island
    double guard_ms = 0;            ///< spread of arrivals that memory must bear besides
    Trees trees = Trees::kShortest;
    Sharing sharing = Sharing::kEqual;
    int tree_rounds = 400;  ///< flexible: how often trees are grown anew
    std::uint64_t seed = 7;
};

/// What the network file states.
[[nodiscard]] Capabilities capabilities_of(const Islands& islands);

}  // namespace longhaul::schedule
