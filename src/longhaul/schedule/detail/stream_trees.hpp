// Trees of streamed rounds: as few detours as the links allow.
#pragma once

#include <functional>
#include <vector>

#include "longhaul/schedule/detail/stream_model.hpp"

namespace longhaul::schedule::detail {

/// Trees of a round with the same times of sending as `detours` and fewer of its detours: stream by
/// stream, those with the longest detour first, the tree of shortest paths returns where no link
/// gets fuller than the time of sending bears. One proposal for each stream that the order may
/// start with, `most` at most, without repetitions. O(most streams links).
[[nodiscard]] std::vector<TimedRound> fewer_detours(const TimedRound& detours,
                                                    const RoundTimes& times,
                                                    std::size_t most);

/// Shortest trees, but for streams that leave links which bear more than under `detours`: one by
/// one from the fullest link, the stream whose way around it scores least; then pairs of such
/// streams anew while that scores less. Never worse than `detours`. At most some 300 scores.
[[nodiscard]] TimedRound relieved(const Round& round,
                                  const TimedRound& detours,
                                  const RoundTimes& times,
                                  const std::function<double(const TimedRound&)>& score);

/// Trees for each round, empty ones for shortest paths: with flexible trees whichever score least
/// of shortest ones, those of `times`, and those with fewer detours.
[[nodiscard]] std::vector<TimedRound> choose_trees(const Schedule& schedule,
                                                   RoundTimes& times,
                                                   const RowWeights& weights);

}  // namespace longhaul::schedule::detail
