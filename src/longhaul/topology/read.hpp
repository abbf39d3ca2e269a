// Reads topology files (docs/formats/topology.md).
#pragma once

#include <string_view>

#include "longhaul/core/document.hpp"
#include "longhaul/topology/topology.hpp"

namespace longhaul::topology {

/// A topology file, TOML or JSON. Every problem is reported with its place. O(text + links where
/// there are exceptions or policies that avoid).
[[nodiscard]] core::Result<Topology> read_topology(std::string_view text, std::string_view name);

/// The same of a parsed file.
[[nodiscard]] core::Result<Topology> read_topology(const core::Document& document);

}  // namespace longhaul::topology
