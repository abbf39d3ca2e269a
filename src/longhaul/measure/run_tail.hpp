// What is said last of a run: what it came to.
#pragma once

#include <set>
#include <string>

#include "longhaul/measure/campaign.hpp"
#include "longhaul/measure/coordinator.hpp"
#include "longhaul/measure/fleet.hpp"

namespace longhaul::measure {

/// Counts the tasks that are complete (`done`), names those that are not and the hosts that are
/// away. Returns an event for each task that was skipped since its host was given up.
[[nodiscard]] std::string count_tasks(const Campaign& campaign,
                                      const std::set<std::string>& done,
                                      const Fleet& fleet,
                                      CoordinatorResult& result);

}  // namespace longhaul::measure
