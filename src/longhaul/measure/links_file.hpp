// The file longhaul.links/1: all fits of a campaign as JSON. docs/formats/links.md has each key.
#pragma once

#include <string>
#include <string_view>

#include "longhaul/measure/link_fit.hpp"

namespace longhaul::measure {

[[nodiscard]] core::Value to_value(const LinkFits& fits);
[[nodiscard]] core::Value to_value(const LinkFit& fit);

/// Reads what to_value wrote. Every problem is reported.
[[nodiscard]] core::Result<LinkFits> read_links(std::string_view text, const std::string& name);

}  // namespace longhaul::measure
