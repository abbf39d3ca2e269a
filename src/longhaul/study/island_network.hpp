// Islands of a fabric: devices that are near each other, and the network between such groups.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/fabric/fabric.hpp"
#include "longhaul/schedule/islands.hpp"

namespace longhaul::study {

/// Devices that train a model together.
struct IslandGroup {
    std::string name;
    std::vector<int> devices;  ///< ascending
};

/// What the devices of an island have in common.
enum class IslandBy { kLabel, kHost, kGroup };

/// "label", "host", "group".
[[nodiscard]] std::string_view name_of(IslandBy by);

/// Islands in the order of their first device. By host or group, a device must have one; of several
/// groups the first counts. Fails, with `file` in the messages, when devices have none, and on less
/// than 2 or more than schedule::kMaxIslands islands. O(n log n).
[[nodiscard]] core::Result<std::vector<IslandGroup>> island_groups(const fabric::Fabric& fabric,
                                                                   IslandBy by,
                                                                   const std::string& file);

struct IslandNetworkOptions {
    double payload_gb = 1;
    double memory_gb = 0;               ///< of the aggregator of each island
    std::optional<double> access_gbps;  ///< of each island, both ways; absent: from the fabric
    int parallel = 1;  ///< pairs of devices of two islands that send at once, each at its own rate
};

/// The network of such groups: a link from each to each, so that no island forwards for another.
/// Its latency is the median of the start-ups of its pairs of devices. Its rate is what the fabric
/// states as shared by exactly these two islands, else the best rate of one pair, times the pairs
/// that send at once (no more than an island has devices). Other shared capacity that all of its
/// pairs load limits it. The access of an island is the shared capacity between it and all others
/// where that is stated, else the sum of its links. Half duplex capacity counts half each way.
/// O(n^2 + islands^2 resources).
[[nodiscard]] schedule::Islands islands_of_fabric(const fabric::Fabric& fabric,
                                                  const std::vector<IslandGroup>& groups,
                                                  const IslandNetworkOptions& options,
                                                  const std::string& file);

/// The same fabric with the rates of all pairs between different islands, and of what they share,
/// times a factor > 0; inside islands nothing changes. Capacity that both kinds of pairs load is
/// scaled. Rates stay within what a fabric may hold. O(n^2 + resources n).
[[nodiscard]] fabric::Fabric with_faster_links(const fabric::Fabric& fabric,
                                               const std::vector<IslandGroup>& groups,
                                               double factor);

/// The same network with all rates, those of access links too, times a factor > 0. O(links).
[[nodiscard]] schedule::Islands with_faster_links(const schedule::Islands& islands, double factor);

}  // namespace longhaul::study
