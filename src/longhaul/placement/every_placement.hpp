// All placements of a small problem: the choice of devices, of stages, and where it matters of
// their order and pairs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "longhaul/placement/evaluate.hpp"

namespace longhaul::placement {

/// What all placements of a problem say.
struct EveryPlacement {
    bool complete = true;  ///< false: `stop` answered true before the end
    double least = 0;      ///< of the scores below `incumbent`, or that
    Placement best;        ///< as it stands; empty when nothing is below `incumbent`
    std::uint64_t scored = 0;
};

/// Scores every placement that can be below `incumbent`, tp = 1, or nothing when there are more
/// than `most`, or fewer where many stages make a score take long (a thousandth of them at 16).
/// Devices that no term tells apart stand for each other. Without shared capacity a placement is a
/// partition into stage groups, solved by solve_inner, or where compute depends on the order of
/// stages a sequence of them, solved by solve_in_order; with shared capacity it is a rank map as it
/// stands. Stage groups whose exchange, edges and least compute reach the least score so far are
/// not continued. O(most) scores.
[[nodiscard]] std::optional<EveryPlacement> every_placement(const Problem& problem,
                                                            double incumbent,
                                                            std::uint64_t most,
                                                            const std::function<bool()>& stop = {});

}  // namespace longhaul::placement
