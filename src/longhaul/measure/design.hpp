// Which pairs to measure next.
#pragma once

#include <string>
#include <vector>

#include "longhaul/measure/completion.hpp"

namespace longhaul::measure {

/// `count` ordered pairs whose bandwidths, together with those already measured (`measured`, n x n,
/// 1 where so), leave the least total variance of all pairs under the covariance of `scales`:
/// greedy, no bandwidth needs to be known. Of more than `max_candidates` pairs a draw is
/// considered. Deterministic. O(c^2 (count + n)) for c candidates. Source: active learning after
/// Cohn, "Neural network exploration using optimal experiment design", 1996.
[[nodiscard]] std::vector<SitePair> design_pairs(const std::vector<std::string>& classes,
                                                 const core::Grid<double>& rtt_ms,
                                                 const core::Grid<char>& measured,
                                                 std::size_t count,
                                                 const KernelScales& scales = {},
                                                 std::size_t max_candidates = 2000,
                                                 std::uint64_t seed = 7);

/// What is known of a placement's cost, and the pairs that would tell more.
struct NextPairs {
    std::vector<SitePair> pairs;  ///< most telling first; empty when the cost is known well enough
    double cost = 0;              ///< sum of importance / beta over all pairs
    double lower = 0;             ///< with every bandwidth at its upper end
    double upper = 0;             ///< with every bandwidth at its lower end
    /// (upper - lower) / (2 cost): half the width of the interval.
    double relative_width = 0;
    bool enough = false;  ///< relative_width is at most the tolerance
};

/// Pairs that the placements at hand depend on and that are uncertain. `importance` (n x n, >= 0)
/// says how much each pair counts: gigabytes that the best few placements send over it, or how many
/// of them use it. Pairs with an interval (estimated, or measured badly) are
/// taken by importance x (1 / lower - 1 / upper), at most
/// `count`, as long as half the cost's interval is above `tolerance` (0.1 = 10 %) with those taken
/// so far assumed known. When nothing has importance, the widest intervals come first.
/// O(n^2 log n).
[[nodiscard]] NextPairs next_pairs(const Completion& known,
                                   const core::Grid<double>& importance,
                                   std::size_t count,
                                   double tolerance = 0.1);

}  // namespace longhaul::measure
