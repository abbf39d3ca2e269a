// Schedules of long periods, from sequences of rounds.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <span>
#include <vector>

#include "longhaul/schedule/detail/round_table.hpp"

namespace longhaul::schedule::detail {

/// One round more behind a sequence.
struct SequenceStep {
    double key;  ///< by which the best are kept
    double sum;  ///< of rho^h e(h) of all its stretches
    std::size_t before;
    std::size_t round;
};

/// Grows sequences of rounds, one round after the other, and keeps those whose updates so far are
/// spread best (a beam search); stretches of them, repeated, are tried as schedules. Uniform
/// rounds, ten islands at most.
class RoundSequences {
public:
    struct Calls {
        /// Scores a period, as indices of rounds; infinite when that is far from the best.
        std::function<double(std::span<const std::size_t>)> score;
        std::function<bool()> stop;  ///< true: no more time
    };

    /// `rounds` ascending by time, and must outlive it; periods of `longest` rounds at most.
    RoundSequences(const std::vector<ListedRound>& rounds,
                   int islands,
                   const MixingOptions& mixing,
                   std::size_t longest);

    /// Few sequences of every class of rounds of similar time, many of the best classes. `above`: a
    /// score that is known, ms. The number of sequences grows with `effort`, up to a limit.
    /// Returns the least score.
    double look(double above, double effort, const Calls& calls);

private:
    [[nodiscard]] std::size_t width_for(const RoundTable& table, double work) const;
    double grow(const RoundTable& table, std::size_t width, double above, const Calls& calls);
    double close(const RoundTable& table,
                 const std::vector<std::vector<SequenceStep>>& levels,
                 double above,
                 const Calls& calls);

    const std::vector<ListedRound>& rounds_;
    int islands_;
    MixingOptions mixing_;
    std::size_t longest_;
    std::size_t deepest_;
    std::vector<double> worth_;                 ///< rho^h
    std::set<std::vector<std::size_t>> tried_;  ///< periods, the least rotation of each
};

}  // namespace longhaul::schedule::detail
