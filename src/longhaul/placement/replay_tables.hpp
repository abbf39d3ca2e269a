// The bound of every table, checked: all sets of stages over kinds of devices, enumerated by code
// of its own.
#pragma once

#include <span>
#include <string>

#include "longhaul/placement/costs.hpp"
#include "longhaul/placement/replay_tree.hpp"

namespace longhaul::placement {

/// The least score that any set of stages may have, at least.
struct TablesReplay {
    double least = 0;
    std::uint64_t sets = 0;
    std::string why;  ///< why nothing was found out; empty: `least` holds
};

/// What tells two devices of a class apart in any term of the problem; empty: nothing does.
[[nodiscard]] std::string kinds_difference(const Problem& problem,
                                           std::span<const int> class_of_device);

/// Additive problems, also with devices to spare (tp = 1). Each set of stages costs its exchange,
/// with what all of them load shared capacity, the shortest order over edges (pairs by Hall's
/// condition, and the pairs that must cross a shared resource), and compute at best. Who sends what
/// over a shared resource is part of the score: that comes from ExchangeTerm. Sets at `enough` and
/// above need not be told apart.
[[nodiscard]] TablesReplay replay_tables(const Problem& problem,
                                         std::span<const int> class_of_device,
                                         double enough,
                                         const ReplayLimits& limits);

}  // namespace longhaul::placement
