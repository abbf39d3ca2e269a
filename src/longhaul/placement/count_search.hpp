// The part of the portfolio that works on counts: seeds, clusters, annealing and tempering.
#pragma once

#include <functional>

#include "longhaul/placement/search.hpp"
#include "longhaul/placement/seeds.hpp"

namespace longhaul::placement {

struct CountSearchOptions {
    std::uint64_t budget = 0;  ///< evaluations, divided equally among the restarts
    int restarts = 8;
    int threads = 1;  ///< never changes the result
    std::uint64_t seed = 7;
    std::uint64_t stream = 0;  ///< random streams from here on, kCountSearchStreams of them
    std::function<bool()> stop;
};

inline constexpr std::uint64_t kCountSearchStreams = std::uint64_t{1} << 30U;

/// What was found, best first: the starting counts, the best seeds, and one result for each
/// restart; rows in path order, scores with the best order of stages. Restart i anneals from a seed
/// (i even, and at times from random counts) or tempers walks from several starts (i odd).
/// `evaluations` is raised by the number scored.
[[nodiscard]] std::vector<Seed> search_counts(const ClassCosts& costs,
                                              Shape shape,
                                              const Counts& host_order,
                                              const CountSearchOptions& options,
                                              std::uint64_t& evaluations);

}  // namespace longhaul::placement
