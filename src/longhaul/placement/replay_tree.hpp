// Follows the log of a branch and bound: at every node, everything that the log leaves out must be
// excluded by a bound that is computed here.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "longhaul/placement/proof_log.hpp"
#include "longhaul/placement/replay_model.hpp"

namespace longhaul::placement {

/// What following a log came to.
struct Replay {
    bool holds = false;
    std::uint64_t nodes = 0;  ///< checked, the roots included
    std::size_t slice = 0;    ///< where it failed, counted from 0
    std::size_t node = 0;     ///< of the slice, counted from 1; 0: its root
    std::string why;          ///< why it failed
};

struct ReplayLimits {
    std::uint64_t work = 1'000'000'000;  ///< bounds computed until it gives up, 8 units each
    std::function<bool()> stop;          ///< asked now and then; true gives up
};

/// Whether the log proves that no set of stages scores less than `target`. Slices of the
/// data-parallel term must follow each other up to where the path alone reaches the target. Every
/// set that a node of a slice stands for holds columns with the class that the node covers. It is
/// looked for in the child of the first of them, in the order of the children, with exactly as many
/// stages; so every column that no child has, and every number of stages that none has, must be
/// excluded. What is excluded, and what comes before a child, cannot occur below it. The log must
/// be well-formed: as many counts a column as classes, depths that rise by one at most.
/// O(nodes columns levels K) and more.
[[nodiscard]] Replay replay(ReplayModel& model,
                            const ProofLog& log,
                            double target,
                            const ReplayLimits& limits);

}  // namespace longhaul::placement
