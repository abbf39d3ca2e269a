// What people have without a planner, to compare a plan with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "longhaul/core/statistics.hpp"
#include "longhaul/placement/evaluate.hpp"

namespace longhaul::placement {

struct Baselines {
    int samples = 0;
    std::uint64_t seed = 0;
    Score host_order;              ///< device i at rank i, as it stands
    double host_order_solved = 0;  ///< the same stage groups, best pairs and order of stages
    Score label_per_stage;     ///< devices sorted by label and dealt stage by stage, best pairs and
                               ///< order
    bool labels_fit = false;   ///< every stage is exactly one label
    core::Summary maps;        ///< random rank maps as they stand
    core::Summary partitions;  ///< the same random stage groups, best pairs and order
};

/// Four baselines. Sample k is the permutation of stream k, whatever the thread count. `samples`
/// >= 1. O(samples * (pp^2 matchings + pp^2 2^pp)).
[[nodiscard]] Baselines make_baselines(const Problem& problem,
                                       const std::vector<std::string>& labels,
                                       int samples,
                                       std::uint64_t seed,
                                       int threads);

}  // namespace longhaul::placement
