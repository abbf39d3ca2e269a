// How the checker of certificates divides layers over stages: code of its own, from the definition.
#pragma once

#include <span>
#include <vector>

#include "longhaul/placement/replay_compute.hpp"

namespace longhaul::placement {

/// Slowest speed and least memory (GB) of a stage.
struct ReplayPace {
    double speed = 1;
    double memory_gb = 0;
};

/// The divisions of least compute over stages in this order, as one message sees them: several
/// where the same compute comes from other sums and other slowest stages. Where nothing fits, the
/// one of what searches pay for that. Every pair of sum and slowest stage that no other beats is
/// kept, stage after stage: O(P L^2) of these. Beyond what is worth that, what no division beats.
[[nodiscard]] std::vector<ReplayCompute> replay_divisions(const Problem& problem,
                                                          std::span<const ReplayPace> stages);

}  // namespace longhaul::placement
