// Search for the streamed schedule with the least score.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "longhaul/schedule/streamed.hpp"

namespace longhaul::schedule {

struct StreamedSearch {
    std::vector<Schedule>
        seeds;           ///< besides those of the network file and all islands in one clique
    int largest = 0;     ///< members of a clique at most; 0: no limit
    int max_period = 4;  ///< rounds of the schedules that are tried, at most
    int programs = 400;  ///< linear programs over pairs of rounds, at most
    int moves = 150;     ///< and over changes of the best schedule found
    std::uint64_t seed = 7;
    std::function<bool()> stop;  ///< asked now and then; true ends the search
};

struct BestStreamed {
    StreamedTimes best;
    /// No schedule of period 1 or 2, of cliques of at most `largest`, scores less; 0 when there are
    /// more than 9 islands or unequal targets, for then pairs are not enumerated.
    double bound_ms = 0;
    int programs = 0;  ///< that were solved
};

/// Up to 9 islands: all pairs of rounds that can be aligned, in the order of a bound of J
/// (docs/mathematics/schedule-extensions.md), until the bound passes the best score or the programs
/// are spent; then changes of the best: another round in between, islands swapped or moved. More
/// islands: changes of the seeds only. Nothing when no seed and no pair can run. Deterministic.
[[nodiscard]] std::optional<BestStreamed> best_streamed(RoundTimes& times,
                                                        const MixingOptions& mixing,
                                                        const StreamedSearch& search = {});

}  // namespace longhaul::schedule
