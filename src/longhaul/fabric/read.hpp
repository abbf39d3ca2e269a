// Reads what users have: the matrix form of a fabric, or a table that expands into one.
#pragma once

#include <string_view>

#include "longhaul/core/document.hpp"
#include "longhaul/fabric/fabric.hpp"

namespace longhaul::fabric {

/// Reads a fabric from text (JSON, or TOML when the name ends in ".toml"). Three forms, told apart
/// by their keys: matrices (`labels`, `alpha_ms`, `beta_gbps`), a region table (`regions`), a
/// host-group table (`instances` or `groups`). docs/formats/fabric.md has each key.
[[nodiscard]] core::Result<Fabric> read_fabric(std::string_view text, std::string_view name);

/// The matrix form as a JSON tree, unknown keys kept. Up to 1,024 devices every pair is written; of
/// more devices that fall into kinds, the kinds and a matrix of these.
[[nodiscard]] core::Value to_value(const Fabric& fabric);

}  // namespace longhaul::fabric
