// Whether pair costs alone make the score: what replanning, robust plans, explanations and
// certificates stand on.
#pragma once

#include <string>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/placement/costs.hpp"

namespace longhaul::placement {

/// What the score counts beyond links of one device a cell: "the pipelined objective, compute
/// times"; empty: nothing.
[[nodiscard]] std::string beyond_links(const Problem& problem);
/// The same of what needs no fabric and no workload.
[[nodiscard]] std::string beyond_links(const Terms& terms, Shape shape);

/// Fails, with `option` as the place, unless the score is that of the additive objective with the
/// sharded exchange, without compute times, shared capacity, tensor groups and spare devices.
[[nodiscard]] core::Result<void> require_plain(const Problem& problem, const std::string& option);

}  // namespace longhaul::placement
