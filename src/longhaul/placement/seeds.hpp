// Starting points from the structure of the fabric.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "longhaul/placement/counts.hpp"

namespace longhaul::placement {

/// Counts with where they came from and their score (best order of stages applied).
struct Seed {
    Counts counts;
    double score = 0;
    std::string origin;
    bool ordered = false;  ///< rows are in the best order; not so where the time was up
};

/// Packs runs into the pp x dp grid. A run is a stretch of m consecutive stages of one pipeline
/// whose devices lie in one cluster: a cluster of size z supplies floor(z / m) of them. Going from
/// `longest` down to 1, a block of m stages is filled by dp runs from the clusters in the given
/// order as long as there are that many; m = pp puts whole pipelines inside clusters, m = 1 puts
/// whole stages inside clusters. `by_stage` fills a cluster's share of a block stage by stage,
/// otherwise run by run.
[[nodiscard]] Counts pack_runs(Shape shape,
                               const std::vector<int>& class_sizes,
                               const std::vector<std::vector<int>>& clusters,
                               int longest,
                               bool by_stage);

/// Seeds from dendrogram cuts (by pipeline and by exchange cost) and cluster orders, each for all
/// run lengths and both orientations; distinct, best first, at most `limit`. `evaluations` is
/// raised by the number scored. Long pipelines take run lengths spread over theirs. When `stop`
/// answers true the seeds found so far are returned, one at least.
[[nodiscard]] std::vector<Seed> structural_seeds(CountModel& model,
                                                 const ClassCosts& class_costs,
                                                 Shape shape,
                                                 const std::vector<int>& class_sizes,
                                                 std::size_t limit,
                                                 std::uint64_t& evaluations,
                                                 const std::function<bool()>& stop = {});

}  // namespace longhaul::placement
