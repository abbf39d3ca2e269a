// Annealing over single devices: for fabrics whose devices differ from each other.
#pragma once

#include "longhaul/placement/anneal_counts.hpp"

namespace longhaul::placement {

struct AnnealedStages {
    Stages stages;  ///< in path order
    double score = 0;
    std::uint64_t evaluations = 0;
};

/// Simulated annealing from stage groups in path order with the moves of DeviceWalk.
[[nodiscard]] AnnealedStages anneal_devices(const Costs& costs,
                                            const Stages& start,
                                            const AnnealOptions& options,
                                            core::Random random);

}  // namespace longhaul::placement
