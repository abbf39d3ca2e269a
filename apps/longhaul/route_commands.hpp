// The subcommands of route, one function each, as in command.hpp.
#pragma once

#include <string>

#include "longhaul/command.hpp"
#include "longhaul/topology/routes.hpp"

namespace longhaul::app {

/// A topology file, compiled, or a file of routes.
[[nodiscard]] core::Result<topology::Routes> load_routes(const std::string& path);

/// The node of that name; a site stands for its only endpoint.
[[nodiscard]] core::Result<topology::NodeId> node_of(const topology::Topology& topology,
                                                     const std::string& name,
                                                     const std::string& file);

void add_route_compile(CLI::App& parent, Session& session);
void add_route_show(CLI::App& parent, Session& session);
void add_route_check(CLI::App& parent, Session& session);
void add_route_export(CLI::App& parent, Session& session);
void add_route_fabric(CLI::App& parent, Session& session);
void add_route_multicast(CLI::App& parent, Session& session);

}  // namespace longhaul::app
