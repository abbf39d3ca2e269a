// Annealing and path relinking over schedules of one period.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "longhaul/core/random.hpp"
#include "longhaul/schedule/detail/fast_mixing.hpp"
#include "longhaul/schedule/optimise.hpp"

namespace longhaul::schedule::detail {

struct Candidate {
    Schedule schedule;
    double score_ms = 0;
};

/// Scores schedules, the ends of their curves guessed (see FastMixing); what exceeds `most` may
/// come back as infinite without being looked at whole.
class Judge {
public:
    Judge(RoundTimes& times, const OptimiseOptions& options);

    [[nodiscard]] double score(const Schedule& schedule, double most);
    /// Whole and exact.
    [[nodiscard]] double exact(const Schedule& schedule);
    [[nodiscard]] std::uint64_t evaluated() const { return evaluated_; }
    [[nodiscard]] bool stopped();
    [[nodiscard]] int islands() const { return islands_; }
    [[nodiscard]] int largest() const { return largest_; }
    [[nodiscard]] bool can(Clique clique);

    /// Breaks cliques that cannot be aligned or are too large into such that can.
    [[nodiscard]] Round repaired(const Round& round);
    [[nodiscard]] Schedule repaired(const Schedule& schedule);

private:
    [[nodiscard]] bool can_all(const Schedule& schedule);
    [[nodiscard]] double score_with(FastMixing& mixing, const Schedule& schedule, double most);
    [[nodiscard]] double own_score_with(FastMixing& mixing, const Schedule& schedule, double most);

    RoundTimes& times_;
    const OptimiseOptions& options_;
    int islands_;
    int largest_;
    FastMixing mixing_;
    FastMixing exact_mixing_;
    std::vector<double> round_ms_;
    std::uint64_t evaluated_ = 0;
    bool stopped_ = false;
};

/// Simulated annealing from a schedule that has a score: swaps and moves of islands, merges and
/// splits of cliques, swaps of two islands in all rounds, copies and swaps of rounds.
[[nodiscard]] Candidate anneal(Judge& judge,
                               Candidate start,
                               std::uint64_t steps,
                               core::Random& random);

/// Walks from `from` to `to`, island by island, always by the best step; returns the best schedule
/// on the way, improved by descent.
[[nodiscard]] Candidate relink(Judge& judge,
                               const Candidate& from,
                               const Candidate& to,
                               core::Random& random);

/// Pairs along a walk: they join all islands whatever the memory is.
[[nodiscard]] Schedule chain_start(int islands);

/// Schedules to start from: groups of neighbours and groups across them, of every size.
[[nodiscard]] std::vector<Schedule> grid_starts(const core::Grid<double>& latency_ms,
                                                int largest,
                                                core::Random& random);

/// The network, and what is left of it without its slowest links as long as all islands are joined:
/// shortest paths over slow links hide what trees around them can do. Four networks at most.
[[nodiscard]] std::vector<Islands> without_slow_links(const Islands& islands);

}  // namespace longhaul::schedule::detail
