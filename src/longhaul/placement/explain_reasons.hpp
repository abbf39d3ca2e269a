// What each term of a score waits for; the parts of explain.
#pragma once

#include <set>

#include "longhaul/placement/explain.hpp"

namespace longhaul::placement {

/// Fills everything but the changes; devices are units of `unit` (tp = 1).
[[nodiscard]] Explanation reasons_of(const Problem& unit, const Placement& placement);

/// Units to exchange with others: what the binding reasons name.
[[nodiscard]] std::set<int> binding_units(const Problem& unit,
                                          const Stages& stages,
                                          const Explanation& why);

}  // namespace longhaul::placement
