// Search over partitions of the classes into clusters that fill whole stages.
#pragma once

#include <functional>

#include "longhaul/placement/seeds.hpp"

namespace longhaul::placement {

struct ClusterOptions {
    std::uint64_t evaluations = 200'000;  ///< shared by the clusters, by their stages
    std::uint64_t seed = 7;
    std::uint64_t stream = 0;  ///< cluster i uses the random stream `stream` + i
    int threads = 1;           ///< never changes the result
    std::function<bool()> stop;
};

/// Sets of classes (bit k: class k) whose devices fill whole stages of dp; ascending. At most
/// kMaxClusterClasses classes, else none.
inline constexpr std::size_t kMaxClusterClasses = 10;
[[nodiscard]] std::vector<std::uint32_t> whole_stage_clusters(Shape shape,
                                                              const std::vector<int>& class_sizes);

/// For each cluster that fills whole stages a placement of its own is annealed once; every
/// partition of the classes into such clusters (at most Bell(10) = 115,975) is then a placement,
/// scored with the cheapest way to join its clusters. Distinct, best first, at most `limit`, with
/// the best order of all stages. `evaluations` is raised by the number scored.
[[nodiscard]] std::vector<Seed> cluster_seeds(CountModel& model,
                                              const ClassCosts& costs,
                                              Shape shape,
                                              const std::vector<int>& class_sizes,
                                              std::size_t limit,
                                              const ClusterOptions& options,
                                              std::uint64_t& evaluations);

}  // namespace longhaul::placement
