// Search and proof together, before pipelines are composed.
#pragma once

#include "longhaul/placement/solve.hpp"

namespace longhaul::placement {

/// What was found, and how good it is.
struct Attempt {
    SearchResult found;
    Bound bound;
    Placement map{};  ///< where there is one, it has the score as it stands
};

/// Searches with a fraction of the budget and proves; where that leaves a gap, both again with
/// the rest, and every placement if there are few. Host order alone is searched and proved
/// once.
[[nodiscard]] Attempt attempt(const Problem& problem, const SolveOptions& options);

}  // namespace longhaul::placement
