// Annealing over single devices: for fabrics whose devices differ from each other.
#pragma once

#include <optional>

#include "longhaul/placement/anneal_counts.hpp"

namespace longhaul::placement {

struct AnnealedStages {
    Stages stages;  ///< in path order
    double score = 0;
    std::uint64_t evaluations = 0;
};

/// Simulated annealing from stage groups in path order with the moves of DeviceWalk; the order is
/// bettered at last.
[[nodiscard]] AnnealedStages anneal_devices(const Costs& costs,
                                            const Stages& start,
                                            const AnnealOptions& options,
                                            core::Random random);

/// The same from a start whose order needs no bettering, and its score: a walk that finds nothing
/// better returns them as they are, which spares short walks most of their time.
[[nodiscard]] AnnealedStages anneal_devices(const Costs& costs,
                                            const Stages& start,
                                            std::optional<double> start_score,
                                            const AnnealOptions& options,
                                            core::Random random);

}  // namespace longhaul::placement
