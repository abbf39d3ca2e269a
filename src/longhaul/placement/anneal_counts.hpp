// Annealing over counts: moves single devices, bundles of them, and blocks of stages at once.
#pragma once

#include <functional>

#include "longhaul/core/random.hpp"
#include "longhaul/placement/counts.hpp"

namespace longhaul::placement {

struct AnnealOptions {
    std::uint64_t evaluations = 50'000;
    double start_temperature = 0.1;  ///< share of the starting score
    double end_temperature = 0.0005;
    std::function<bool()> stop;         ///< see SearchOptions
    std::uint64_t stop_interval = 128;  ///< evaluations between two questions to `stop`
};

/// Largest score that the next candidate may have: the current one plus an exponential draw at the
/// temperature after `done` evaluations, which falls geometrically. `first` is the starting score.
[[nodiscard]] double acceptance_limit(const AnnealOptions& options,
                                      double first,
                                      double current,
                                      std::uint64_t done,
                                      core::Random& random);

struct AnnealedCounts {
    Counts counts;  ///< rows in path order
    double score = 0;
    std::uint64_t evaluations = 0;
};

/// Simulated annealing (Kirkpatrick et al., 1983) from `start`. Moves keep the row and column sums:
/// x devices of class a in one stage against x of class b in another; the same between two
/// stretches of stages (x per stage times its length equal on both sides), which moves blocks of
/// equal stages in one step; reversal and relocation of a stretch of stages. The acceptance
/// threshold is drawn first, so that most rejected moves never solve a transport.
[[nodiscard]] AnnealedCounts anneal_counts(CountModel& model,
                                           const Counts& start,
                                           const AnnealOptions& options,
                                           core::Random random);

}  // namespace longhaul::placement
