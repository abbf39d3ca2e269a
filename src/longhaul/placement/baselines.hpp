// What people have without a planner, to compare a plan with.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "longhaul/core/statistics.hpp"
#include "longhaul/placement/evaluate.hpp"

namespace longhaul::placement {

/// The placement of the best baseline.
struct BestBaseline {
    Placement placement;
    double score = 0;
    bool solved = false;  ///< with the best pairs and order of its stage groups, not as it stands
    std::string name;
};

struct Baselines {
    int samples = 0;  ///< taken; 0 when the time was up before the first
    std::uint64_t seed = 0;
    Score host_order;              ///< device i at rank i, as it stands
    double host_order_solved = 0;  ///< the same stage groups, best pairs and order of stages
    Score label_per_stage;    ///< devices sorted by label and dealt stage by stage, best pairs and
                              ///< order
    bool labels_fit = false;  ///< every stage is exactly one label
    core::Summary maps;  ///< random rank maps as they stand; without samples all 0, kDoesNotFit
                         ///< or more where the memory cannot hold the layers
    core::Summary partitions;  ///< the same random stage groups, best pairs and order
    BestBaseline best;
};

/// How many samples a problem gets when nobody says: 200 up to 256 devices; above, fewer as each
/// takes longer, but 8 at least. Random placements of more devices differ less from each other.
[[nodiscard]] int usual_samples(const Problem& problem);

/// Four baselines. Sample k is the permutation of stream k, whatever the thread count. `samples`
/// >= 1. When `stop` answers true no more samples begin. O(samples * (pp^2 matchings + pp^2 2^pp)).
[[nodiscard]] Baselines make_baselines(const Problem& problem,
                                       const std::vector<std::string>& labels,
                                       int samples,
                                       std::uint64_t seed,
                                       int threads,
                                       const std::function<bool()>& stop = {});

}  // namespace longhaul::placement
