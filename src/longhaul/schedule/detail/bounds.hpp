// Lower bounds of the score over schedules of every period (docs/mathematics/schedule.md).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "longhaul/schedule/mixing.hpp"
#include "longhaul/schedule/round_times.hpp"
#include "longhaul/schedule/timed.hpp"

namespace longhaul::schedule::detail {

/// e(1) and e(2) from the shares of sets; up to 16 islands (a table of 2^n shares).
class SetErrors {
public:
    SetErrors(int islands, const MixingOptions& options);

    [[nodiscard]] double one(const Round& round) const;
    [[nodiscard]] double two(const Round& a, const Round& b) const;
    /// Least e(h) when no row of the product holds more than `support` islands.
    [[nodiscard]] double at_least(double support) const;

private:
    std::size_t n_;
    double start_ = 0;
    std::vector<double> mass_;  ///< share of every set
    std::vector<double> top_;   ///< share of the m largest islands
};

struct ListedRound {
    Round round;
    double time_ms = 0;
    double error = 0;  ///< e(1)
    int widest = 1;    ///< members of its largest clique
};

/// All rounds that the network can do, by time, then by error. `most` limits how many partitions
/// are looked at; nothing when there are more.
[[nodiscard]] std::optional<std::vector<ListedRound>> list_rounds(RoundTimes& times,
                                                                  int largest,
                                                                  const SetErrors& errors,
                                                                  std::uint64_t most);

/// The same without the round in which all are alone, which takes no time and does nothing.
/// Uniform: no schedule that joins all islands has rounds shorter than the first time up to which
/// the rounds of the list do, so times are raised to that.
void prepare_for_bounds(std::vector<ListedRound>& rounds, int islands, Pace pace);

/// max(T_a, T_b) (3/2 + rho (e1_a + e1_b) / 2 + rho^2 e2(a, b)): no uniform schedule of any period
/// whose rounds come from the list scores less than the least of all pairs, each round with itself
/// included.
struct Pairs {
    double least = 0;  ///< over all pairs below `above`; `above` when there is none
    /// The pairs with the smallest values, ascending, at most `keep`.
    std::vector<std::pair<double, std::pair<std::size_t, std::size_t>>> best;
    bool complete = true;  ///< false: too many pairs, `least` is what errors of single rounds give
};
[[nodiscard]] Pairs least_pairs(const std::vector<ListedRound>& rounds,
                                const SetErrors& errors,
                                double forgetting,
                                double above,
                                std::size_t keep,
                                std::uint64_t most);

/// The same with windows of `length` rounds; at least `below` is known. Returns a proved bound in
/// [below, above]. Limited to `looks` at a round behind a part of a window, a target; `stop` ends
/// it.
[[nodiscard]] double window_bound(const std::vector<ListedRound>& rounds,
                                  const SetErrors& errors,
                                  int islands,
                                  const MixingOptions& mixing,
                                  int length,
                                  double below,
                                  double above,
                                  std::uint64_t looks,
                                  const std::function<bool()>& stop);

/// For own lengths: classes of rounds by their errors, each with its least time, in windows of
/// four. Rounds must not be empty.
[[nodiscard]] double own_length_bound(const std::vector<ListedRound>& rounds,
                                      const SetErrors& errors,
                                      double forgetting,
                                      double above);

/// For any number of islands and any trees, in [0, above]: within a time T an island only averages
/// with those whose exchange is shorter, so its rows can only grow so fast. On shortest trees the
/// times of cliques alone count too, grown by size up to 200,000 of them. `above` is the score of
/// some schedule.
[[nodiscard]] double reach_bound(
    RoundTimes& times, int largest, const MixingOptions& mixing, Pace pace, double above);

}  // namespace longhaul::schedule::detail
