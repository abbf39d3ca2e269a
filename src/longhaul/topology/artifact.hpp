// The file of compiled routes (docs/formats/routes.md).
#pragma once

#include <string>
#include <string_view>

#include "longhaul/core/value.hpp"
#include "longhaul/topology/routes.hpp"

namespace longhaul::topology {

/// The tables alone: rules, patches, WAN, policies. What the hash is of.
[[nodiscard]] core::Value tables_value(const Routes& routes);

/// SHA-256 of the tables as one line of JSON.
[[nodiscard]] std::string tables_hash(const Routes& routes);

/// "format": "longhaul.routes/1", the hash, the topology and the tables.
[[nodiscard]] core::Value to_value(const Routes& routes);

/// Reads a file of routes, or a topology file, which is compiled. The tables of a routes file are
/// compiled again from the topology in it and must have the same hash: rules take microseconds, and
/// no file can make a look-up go astray.
[[nodiscard]] core::Result<Routes> read_routes(std::string_view text, std::string_view name);

}  // namespace longhaul::topology
