// How good a placement can be: from elementary bounds to a proof by branch and bound.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "longhaul/placement/bounds.hpp"

namespace longhaul::placement {

struct ProofOptions {
    std::uint64_t work = 100'000'000;  ///< steps until it gives up, about 10 ns each
    std::function<bool()> stop;        ///< see SearchOptions
};

/// A bound of the problem, and a better placement when the proof came upon one.
struct Certificate {
    Bound bound;
    std::optional<Stages> better;  ///< in path order; scores less than the incumbent
};

/// Proves a lower bound for a problem whose best known score is `incumbent`. Devices that the
/// fabric cannot tell apart are counted by class, and branch and bound over counts (TableProof) is
/// exact; when it completes the bound is the optimum. Otherwise lower targets are excluded as far
/// as the work goes. Where there are more than 16 exact classes, devices that are most alike form
/// classes (ClassTree), and what some choice of their members must cost (MemberTable) gives a bound
/// of the same kind. `options.work` = 0 leaves the bounds that need no branching.
[[nodiscard]] Certificate certify(const Problem& problem,
                                  double incumbent,
                                  const ProofOptions& options);

}  // namespace longhaul::placement
