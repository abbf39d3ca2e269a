// From stage groups to pipelines: the free choices that the score leaves are spent on contiguity.
#pragma once

#include <span>

#include "longhaul/placement/evaluate.hpp"

namespace longhaul::placement {

/// Joins stage groups along a path into pipelines. Every edge stays within its bottleneck value, so
/// score_as_mapped of the result equals the score of solve_inner. Among such matchings, and in this
/// order: most pairs on one host, least sum of pair costs (to a nanosecond), nearest device
/// indices. Stages of more than 64 devices are joined by cells of devices that are alike
/// (continue_by_cells), which leaves the last of these to the order of indices. `host_of` gives the
/// host index of every device. O(P dp^3) up to 64 devices a stage.
[[nodiscard]] Placement compose(const Costs& costs,
                                const Stages& stages,
                                std::span<const int> path,
                                std::span<const int> host_of);

/// The same with shared capacity: pairs are those of contended_edge, so that the edges cost what
/// solve_contended says. `stages` in path order. O(P dp^3).
[[nodiscard]] Placement compose_contended(const Problem& problem,
                                          const Stages& stages,
                                          std::span<const int> host_of);

/// The same placement with its replicas in another order: hosts' ranks contiguous where that is
/// possible by ordering replicas (as many hosts as any order can), then by the lowest device. Costs
/// nothing. O(n log n).
[[nodiscard]] Placement order_replicas(const Placement& placement, std::span<const int> host_of);

}  // namespace longhaul::placement
