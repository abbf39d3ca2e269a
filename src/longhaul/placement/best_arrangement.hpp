// Stage groups as they are, with the best pairs and order: what `evaluate` compares a rank map
// with.
#pragma once

#include <cstdint>

#include "longhaul/placement/evaluate.hpp"

namespace longhaul::placement {

/// Orders of stages, with all pairs where capacity is shared, that are tried one by one.
inline constexpr std::uint64_t kMostArrangements = 20'000;

/// The least score that the stage groups of a placement can have (tp = 1). That of solve_inner
/// where it is exact; else, and where stages are unequal, the best of all arrangements when they
/// are at most kMostArrangements, and of more the better of solve_inner and the placement as it
/// stands. Never below what some placement scores, never above the placement as it stands.
[[nodiscard]] Score best_arrangement(const Problem& problem, const Placement& placement);

}  // namespace longhaul::placement
