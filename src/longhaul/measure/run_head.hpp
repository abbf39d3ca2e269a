// What a raw file says first of a run: the campaign and its hosts.
#pragma once

#include <string>

#include "longhaul/measure/campaign.hpp"
#include "longhaul/measure/coordinator.hpp"
#include "longhaul/measure/fleet.hpp"

namespace longhaul::measure {

/// The records of a run that starts now: `run`, a `host` each with what its agent says of itself
/// and of its clock, and an event for each host that cannot be reached.
[[nodiscard]] std::string head_records(const Campaign& campaign,
                                       const Fleet& fleet,
                                       const CoordinatorOptions& options);

}  // namespace longhaul::measure
