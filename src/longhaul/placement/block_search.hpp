// Search over placements that are a few blocks of equal stages.
#pragma once

#include <functional>
#include <vector>

#include "longhaul/core/random.hpp"
#include "longhaul/placement/seeds.hpp"

namespace longhaul::placement {

struct BlockOptions {
    std::uint64_t evaluations = 200'000;  ///< of all blocks together
    std::uint64_t seed = 7;
    std::uint64_t stream = 0;  ///< random streams from here on, kBlockStreams of them
    int threads = 1;           ///< never changes the result
    std::function<bool()> stop;
};

inline constexpr std::uint64_t kBlockStreams = std::uint64_t{1} << 20U;

/// Ways to cut a path into two or more blocks, lengths descending; the order of blocks is left
/// open. Up to 17 stages: all ways with at most five blocks. More: one to six blocks of the same
/// length, and at most three shorter ones for the rest.
[[nodiscard]] std::vector<std::vector<int>> block_lengths(int stages);

/// What a stage of each block holds (blocks x classes): every class and every stage full. Empty
/// when none was found, as when no such rows exist. Lengths descending; O(blocks K (dp + K)) a try.
///  * even: every stage as much like all devices together as whole devices allow;
///  * compact: every block takes all it can of a random class and of those that are nearest to it
///    by `exchange` (K x K).
[[nodiscard]] Counts even_blocks(const std::vector<int>& lengths,
                                 int dp,
                                 const std::vector<int>& class_sizes,
                                 core::Random& random);
[[nodiscard]] Counts compact_blocks(const std::vector<int>& lengths,
                                    int dp,
                                    const std::vector<int>& class_sizes,
                                    const core::Grid<double>& exchange,
                                    core::Random& random);

/// Walks over blocks of many lengths (BlockWalk): an annealing from even blocks, and short cold
/// descents from compact ones, of which only the best tenth goes on after a trial. The better three
/// quarters of the lengths go on to the next round, in which each has more evaluations. Distinct,
/// best first, at most `limit`, rows in path order as found, scored so. `evaluations` is raised by
/// the number scored.
[[nodiscard]] std::vector<Seed> block_seeds(const ClassCosts& costs,
                                            Shape shape,
                                            const std::vector<int>& class_sizes,
                                            std::size_t limit,
                                            const BlockOptions& options,
                                            std::uint64_t& evaluations);

}  // namespace longhaul::placement
