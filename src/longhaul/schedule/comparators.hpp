// What others do, under the same model of the network: the figures to beat.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "longhaul/schedule/score.hpp"

namespace longhaul::schedule {

/// A way to exchange, and what comes of it.
struct Comparator {
    std::string name;
    std::string detail;  ///< what was chosen: the degree, the budget, the number of groups
    bool feasible = false;
    /// It agrees on equal shares though the islands state others: its score is that of another aim.
    bool equal_shares = false;
    std::string reason;   ///< why not
    double area = 0;      ///< infinite when it was not computed
    double round_ms = 0;  ///< the longest round
    double score_ms = 0;
    std::optional<Schedule> schedule;  ///< when its rounds are cliques that average
    /// What is left to agree on, one curve a phase, and the length of each round; of feasible ones.
    std::vector<std::vector<double>> curves{};
    std::vector<double> lengths_ms{};
};

struct ComparatorOptions {
    Pace pace = Pace::kUniform;  ///< uniform or own
    MixingOptions mixing;        ///< targets, where empty those of the islands, weigh in cliques
    std::uint64_t seed = 1;
    int sampled_rounds = 64;  ///< of methods that draw their rounds
};

/// The schedules of the file; all to all; random pairs (NoLoCo, arXiv 2506.10911); grid groups
/// (Moshpit SGD, 2103.03239); Base-(k+1) graphs (2305.11420); one-peer exponential graphs
/// (2110.13363); MATCHA (1905.09435); a ring of least latency (Marfoq et al., 2010.12229); static
/// Metropolis weights on the links (D-PSGD, 1705.09056); a two-level all-reduce; a ring all-reduce
/// and copies one by one. Where a method has a parameter, its best value is taken. Infeasible ones
/// say why. Cliques average by target as those of any schedule do; the weights of graphs know equal
/// shares only, which `equal_shares` and `detail` say where targets differ. O(n^3) each and a step.
[[nodiscard]] std::vector<Comparator> compare_schedules(RoundTimes& times,
                                                        const ComparatorOptions& options);

}  // namespace longhaul::schedule
