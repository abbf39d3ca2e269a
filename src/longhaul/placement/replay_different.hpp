// The bound of different stages, checked: code of its own, which shares nothing with the proof.
#pragma once

#include <span>
#include <string>

#include "longhaul/placement/costs.hpp"
#include "longhaul/placement/proof_log.hpp"

namespace longhaul::placement {

/// Classes that such a proof may have.
inline constexpr std::size_t kMostReplayDifferent = 64;

/// Why the log does not prove that no placement scores less than `target`; empty: it does. Classes
/// have the least costs between their members. With c different stages a path has c - 1 edges
/// between different ones at least, none below the cheapest pair of two classes; and one of the c
/// stages stands pp / c times (rounded up) at least, which limits what it can hold. Every set of
/// classes that it may hold must lie in a leaf whose weighted mean of sums is enough. All devices
/// must be in use. O(n^2 + leaves K^2 log K).
[[nodiscard]] std::string replay_different(const Costs& costs,
                                           std::span<const int> class_of_device,
                                           Shape shape,
                                           const DifferentLog& log,
                                           double target);

}  // namespace longhaul::placement
