// How fast averages spread: survival curves of updates, and the time-weighted area under them.
//
// Source: sections 4 and A.3 of "Distributed Training using an Intelligent Network"; the reading of
// its formula is in docs/mathematics/schedule.md.
#pragma once

#include <vector>

#include "longhaul/core/grid.hpp"
#include "longhaul/schedule/round.hpp"

namespace longhaul::schedule {

/// n x n, rows sum to 1: entry (i, j) is the part of island j's parameters in island i's next ones.
using MixingMatrix = core::Grid<double>;

struct MixingOptions {
    std::vector<double> target;  ///< n, > 0: shares that all should agree on; empty: equal shares
    double forgetting = 1;       ///< in (0, 1]: what is left of an update's worth after a round
    int longest = 100000;        ///< rounds after which a curve is cut off
    double precision = 1e-13;    ///< what may be missing at the end of a curve, part of the area
};

/// Cliques average by target: member j weighs target_j over the sum of its clique.
[[nodiscard]] MixingMatrix mixing_matrix(const Round& round,
                                         int islands,
                                         const std::vector<double>& target = {});

/// What is left to agree on h rounds after an update was made in phase p.
struct Survival {
    std::vector<std::vector<double>> curves;  ///< [phase][h], [p][0] = 1
    bool mixes = true;  ///< false: some update never reaches some island, the area is infinite

    /// A = 1/2 + mean over phases of the sum of rho^h e_p(h); infinite when it does not mix.
    double area = 0;
};

/// The curves of a period, until what is left would change the area by less than `precision` of it,
/// or `longest` rounds; the area holds a guess at the rest, a geometric series.
/// O(period h n^3).
[[nodiscard]] Survival survival(const std::vector<MixingMatrix>& period,
                                const MixingOptions& options = {});
[[nodiscard]] Survival survival(const Schedule& schedule,
                                int islands,
                                const MixingOptions& options = {});

/// e(1) of one round with equal shares: from the sizes of its cliques. O(cliques).
[[nodiscard]] double error_of(const Round& round, int islands);

/// e(2) of two rounds, first `a`, then `b`: from the sizes of intersections. O(cliques^2).
[[nodiscard]] double error_of(const Round& a, const Round& b, int islands);

}  // namespace longhaul::schedule
