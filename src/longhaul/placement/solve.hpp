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

/// Pairs and replicas for stage groups in path order, each in any order of its devices.
[[nodiscard]] Placement composed(const Problem& problem,
                                 Stages stages,
                                 std::span<const int> host_of);

/// Tensor groups (tp > 1) in the place of devices: what `solve` needs of them.
struct TensorUnits {
    TensorGroups groups;
    std::vector<int> host_of;
    std::vector<std::string> labels;
};
[[nodiscard]] TensorUnits tensor_units_of(TensorGroups groups,
                                          std::span<const int> host_of,
                                          const std::vector<std::string>& labels);

/// Devices in the place of groups, in everything that a plan of groups says. `problem`: that of
/// the devices.
void name_members(const Problem& problem, const TensorGroups& groups, Plan& plan);

/// Fills what a plan says beside rank map and scores, for its placement: layers of the stages, why
/// they do not fit, orders of rings and roots, the shared resource that binds, what devices that
/// are left out would cost. `groups`: of all devices, with tp > 1; else null.
void describe_placement(const Problem& problem,
                        const TensorGroups* groups,
                        int threads,
                        Plan& plan);

}  // namespace longhaul::placement
