// Placements for links that are known up to intervals or noise: the p90 of the score over samples.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "longhaul/fabric/sample.hpp"
#include "longhaul/placement/solve.hpp"

namespace longhaul::placement {

/// A placement and what it costs in each sample, exactly as it stands: pairs and order of stages
/// are fixed before the links show what they are.
struct SampledPlacement {
    Placement placement;
    std::string origin;
    Score nominal;                ///< on the fabric itself
    std::vector<double> samples;  ///< total score in each sample, seconds
    double p50 = 0;
    double p90 = 0;
    double max = 0;
};

struct RobustOptions {
    SolveOptions
        solve;         ///< of the nominal problem; samples and annealing take shares of its budget
    int samples = 32;  ///< at least 1
    fabric::Noise noise;
};

struct RobustResult {
    Plan nominal;                   ///< of the fabric itself: its bound holds for that fabric
    SampledPlacement nominal_plan;  ///< the same over the samples
    SampledPlacement plan;          ///< the one with the least p90
    std::size_t candidates = 0;     ///< placements that were compared
    double stays_best = 0;          ///< share of samples in which no other candidate is better
    double beats_nominal = 0;       ///< share of samples in which it is better than nominal_plan
    double mean_regret = 0;         ///< above the best found for each sample, relative
    double max_regret = 0;
    std::uint64_t evaluations = 0;  ///< placements scored over all samples, beyond the searches
};

/// The problem of a drawn fabric.
using ProblemOfFabric = std::function<Problem(const fabric::Fabric&)>;

/// Samples of the problem: draw k is a function of (seed, k). O(samples * n^2) memory.
[[nodiscard]] std::vector<Problem> sample_problems(const ProblemOfFabric& problem_of,
                                                   const fabric::Fabric& fabric,
                                                   const RobustOptions& options);

/// Scores a placement in every sample. O(samples * n dp).
[[nodiscard]] SampledPlacement sampled(const std::vector<Problem>& problems,
                                       const Problem& nominal,
                                       Placement placement,
                                       std::string origin);

/// Candidates: the best placement of the fabric itself, of several samples, and of the fabric with
/// each link at its tenth worst; then annealing over single ranks from each of them, on the p90
/// itself. The best found of a sample, for the regret, may also pair and order the stages of any
/// candidate anew. Under every term; tensor groups (those that solve makes) count as one device,
/// and the annealing of terms that cost more tries fewer exchanges. Does not depend on the threads.
[[nodiscard]] core::Result<RobustResult> robust(const ProblemOfFabric& problem_of,
                                                const fabric::Fabric& fabric,
                                                const RobustOptions& options);

}  // namespace longhaul::placement
