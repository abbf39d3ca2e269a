// Whether pair costs alone make the score: what the walks of replan and robust stand on.
#pragma once

#include <string>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/placement/costs.hpp"

namespace longhaul::placement {

/// Fails, with `option` as the place, unless the score is that of the additive objective with the
/// sharded exchange, without compute times, shared capacity, tensor groups and spare devices.
[[nodiscard]] core::Result<void> require_plain(const Problem& problem, const std::string& option);

}  // namespace longhaul::placement
