// The part of the portfolio that works on single devices: annealing, then children of the best.
#pragma once

#include <functional>
#include <string>

#include "longhaul/placement/search.hpp"

namespace longhaul::placement {

struct DeviceSearchOptions {
    std::uint64_t budget = 0;  ///< evaluations over everything
    int restarts = 8;          ///< annealed starts, and children of each generation
    int generations = 2;
    int threads = 1;  ///< never changes the result
    std::uint64_t seed = 7;
    std::uint64_t stream = 0;  ///< random streams from here on
    std::function<bool()> stop;
};

struct DeviceResult {
    Stages stages;  ///< in path order
    double score = 0;
    std::string origin;
};

/// Anneals from the given starts (not empty), the best of them most often, with half of the budget.
/// Then each generation crosses the best results with each other and anneals the children coldly.
/// Returns the best of all, `starts` among them; `evaluations` is raised by the number scored.
[[nodiscard]] DeviceResult search_over_devices(const Costs& costs,
                                               std::vector<DeviceResult> starts,
                                               const DeviceSearchOptions& options,
                                               std::uint64_t& evaluations);

}  // namespace longhaul::placement
