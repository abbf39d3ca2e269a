// Annealing over single devices: for fabrics whose devices differ from each other.
#pragma once

#include "longhaul/placement/anneal_counts.hpp"

namespace longhaul::placement {

struct AnnealedStages {
    Stages stages;  ///< in path order
    double score = 0;
    std::uint64_t evaluations = 0;
};

/// Simulated annealing from stage groups in path order. Moves: two devices of different stages
/// change places; the same for every stage of two stretches of equal length at once; reversal of a
/// stretch of stages. Only what a move touches is computed anew: the exchange of changed stage
/// groups (O(dp^2)), then the edges next to them, and these only while the rest leaves room below
/// the acceptance threshold.
[[nodiscard]] AnnealedStages anneal_devices(const Costs& costs,
                                            const Stages& start,
                                            const AnnealOptions& options,
                                            core::Random random);

}  // namespace longhaul::placement
