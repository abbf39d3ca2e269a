// A bound from every table: which kinds of devices each stage holds, in all ways, when there are
// few.
#pragma once

#include <functional>
#include <optional>

#include "longhaul/placement/certify.hpp"

namespace longhaul::placement {

/// Additive problems under all their terms, also with devices to spare: devices that no term tells
/// apart are counted by kind, every set of stages that they fill is bounded (exchange and shared
/// loads exactly, edges by what no matching beats, the shortest path, compute at best), and the
/// least is a bound of the problem. Sets that some score below the incumbent are scored, too.
/// Nothing when there are more than `most` sets, `stop` answers true, or a ring or tree cannot be
/// solved exactly. O(sets P^2 2^P).
[[nodiscard]] std::optional<Certificate> bound_every_table(const Problem& problem,
                                                           double incumbent,
                                                           std::uint64_t most,
                                                           const std::function<bool()>& stop = {});

}  // namespace longhaul::placement
