// The main job: from a problem to a plan that says how good it is.
#pragma once

#include <functional>
#include <optional>

#include "longhaul/placement/certify.hpp"
#include "longhaul/placement/plan.hpp"
#include "longhaul/placement/tensor.hpp"

namespace longhaul::placement {

struct SolveOptions {
    SearchKind kind = SearchKind::kPortfolio;
    SearchOptions search;
    ProofOptions proof;
    std::optional<int> baseline_samples;  ///< 0: no baselines; absent: usual_samples(problem)
    std::function<bool()> baseline_stop;  ///< true ends the samples, see SearchOptions::stop
    bool describe = true;  ///< false leaves out what describe_placement fills, for plans of trials
};

/// Searches with a fraction of the budget and proves a bound; where that leaves a gap, tries every
/// placement if there are few, else both again with the rest. Takes a better placement when the
/// proof finds one. Then composes pipelines, recomputes the score from the rank map, bounds it and
/// compares it with the baselines (without samples: with host order); a better one becomes the
/// plan, or what is found from it.
/// Fails (a defect of the search, not of the input) when the map does not realise the score that
/// the search claimed. Paths, hash, times and command line stay empty: the caller knows them.
[[nodiscard]] core::Result<Plan> solve(const Problem& problem,
                                       const fabric::Fabric& fabric,
                                       const SolveOptions& options);

/// The same with these tensor groups (tp > 1), which must be at least pp * dp.
[[nodiscard]] core::Result<Plan> solve_groups(const Problem& problem,
                                              const TensorGroups& groups,
                                              std::span<const int> host_of,
                                              const std::vector<std::string>& labels,
                                              const SolveOptions& options);

/// The same with the host and the label of every device.
[[nodiscard]] core::Result<Plan> solve(const Problem& problem,
                                       std::span<const int> host_of,
                                       const std::vector<std::string>& labels,
                                       const SolveOptions& options);

}  // namespace longhaul::placement
