// Flows over a declared network: its directed links, and the paths that its compiled routes give.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "longhaul/flowsim/network.hpp"
#include "longhaul/topology/routes.hpp"

namespace longhaul::flowsim {

/// The directed links of a topology, by the same numbers.
[[nodiscard]] std::vector<Link> links_of(const topology::Topology& topology);

/// "us/host0 > us/tor0" for each of them.
[[nodiscard]] std::vector<std::string> link_names_of(const topology::Topology& topology);

/// The path of a flow between two endpoints; flows with equal hashes take the same one. Nothing
/// when the routes lead nowhere. What relays do with a flow is not delayed: it runs through them.
[[nodiscard]] std::optional<Path> path_of(const topology::Routes& routes,
                                          topology::NodeId from,
                                          topology::NodeId to,
                                          std::uint64_t hash);

}  // namespace longhaul::flowsim
