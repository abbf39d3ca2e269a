// The plan of a campaign as a file of JSON lines: docs/formats/measure-plan.md.
#pragma once

#include <string>
#include <string_view>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/measure/campaign.hpp"

namespace longhaul::measure {

/// The whole file; `tool` says what made it.
[[nodiscard]] std::string plan_text(const Campaign& campaign, const std::string& tool);

/// Reads a plan. Refused: tasks of unknown hosts, an id that occurs twice, two tasks of one slot
/// that share a resource.
[[nodiscard]] core::Result<Campaign> read_plan(std::string_view text, const std::string& name);

}  // namespace longhaul::measure
