// Weights of contributions that spread averages faster than equal ones.
//
// Section A.3 of "Distributed Training using an Intelligent Network": any symmetric, doubly
// stochastic matrix whose support lies in the cliques of its round will do.
#pragma once

#include <cstdint>
#include <vector>

#include "longhaul/core/grid.hpp"
#include "longhaul/schedule/mixing.hpp"
#include "longhaul/schedule/round.hpp"

namespace longhaul::schedule {

struct WeightOptions {
    double forgetting = 1;
    int restarts = 8;  ///< descents from other weights than equal ones
    int sweeps = 60;   ///< over all pairs of members, a descent
    std::uint64_t seed = 7;
};

struct CliqueWeights {
    /// [round][clique]: k x k, receiver x sender, members ascending; symmetric, >= 0, rows sum
    /// to 1.
    std::vector<std::vector<core::Grid<double>>> blocks;
    double area = 0;        ///< A with these weights
    double equal_area = 0;  ///< A with equal weights

    /// n x n matrices of the period.
    [[nodiscard]] std::vector<MixingMatrix> matrices(const Schedule& schedule, int islands) const;
};

/// Weights with a small area: descent over the weight of one pair of members at a time, then along
/// random directions, from equal weights and from restarts. The area is not convex, so this is a
/// local optimum, never worse than equal weights. Targets are equal shares. Deterministic.
/// O(restarts sweeps pairs) areas.
[[nodiscard]] CliqueWeights best_weights(const Schedule& schedule,
                                         int islands,
                                         const WeightOptions& options = {});

}  // namespace longhaul::schedule
