// Random failures, for trying out what a network survives.
#pragma once

#include <cstdint>

#include "longhaul/topology/topology.hpp"

namespace longhaul::topology {

/// The network with each link down with probability `share`, beside the exceptions it has; the
/// source of its declaration lists them, so that a file of its routes says what failed.
[[nodiscard]] Topology with_random_failures(const Topology& topology,
                                            double share,
                                            std::uint64_t seed);

}  // namespace longhaul::topology
