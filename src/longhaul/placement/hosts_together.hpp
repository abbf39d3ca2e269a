// Of rank maps with one score, one whose hosts hold consecutive ranks: launchers such as torchrun
// give every host one block of ranks.
#pragma once

#include <optional>
#include <span>

#include "longhaul/placement/costs.hpp"

namespace longhaul::placement {

/// Ranks pipeline by pipeline (replica * pp + stage, the order of plans), or stage by stage (stage
/// * dp + replica): frameworks number them in one of these two ways.
enum class RankOrder { kByPipeline, kByStage };

/// Hosts whose ranks are not one run of consecutive numbers. `host_of` gives the host index of
/// every device. O(n).
[[nodiscard]] int split_hosts(const Placement& placement,
                              std::span<const int> host_of,
                              RankOrder order);

/// The placement, or one of the same score that has fewer split hosts in one of the two orders, or
/// in the one that is given: devices that no term tells apart change places, also with those that
/// are left out, and replicas come in another order. tp = 1. O(n log n) and a few scores.
[[nodiscard]] Placement hosts_together(const Problem& problem,
                                       const Placement& placement,
                                       std::span<const int> host_of,
                                       std::optional<RankOrder> only = std::nullopt);

}  // namespace longhaul::placement
