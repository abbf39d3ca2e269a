// One training step in which everybody waits for everybody: the best placement, and what no
// placement can beat.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/fabric/fabric.hpp"
#include "longhaul/placement/shapes.hpp"
#include "longhaul/workload/job.hpp"

namespace longhaul::study {

/// A job with what its file does not say.
struct StepJob {
    workload::Job job;
    double sequence_seconds = 0;  ///< of one sequence through the model on the reference device
    std::optional<int> microbatches;
    placement::Terms terms;
    int pp = 0;  ///< 0: any
    int dp = 0;  ///< 0: any

    /// Sequences of a step, of all replicas.
    [[nodiscard]] double sequences() const { return job.sequences_per_replica * job.dp; }
    [[nodiscard]] double tokens() const { return sequences() * job.model.sequence_length; }
};

/// Seconds of computing for one sequence when a device reaches that many TFLOP/s: 6 operations a
/// parameter and token, 8 where activations are computed again.
[[nodiscard]] double sequence_seconds_at(const workload::Job& job, double tflops);

/// Seconds that a step computes when all devices share its work by their speed.
[[nodiscard]] double compute_window_s(const fabric::Fabric& fabric, const StepJob& job);

/// The placement problem of a shape; without compute, transfers alone. Fails where the job cannot
/// have the shape or no device the memory.
[[nodiscard]] core::Result<placement::Problem> step_problem(const fabric::Fabric& fabric,
                                                            const std::string& file,
                                                            const StepJob& job,
                                                            placement::Shape shape,
                                                            bool compute);

/// What no plan of any shape beats.
struct StepBound {
    double seconds = 0;
    placement::Shape shape;  ///< the one with the least
    std::string method;      ///< how that was proved
};

struct PlacedStep {
    placement::Shape shape;
    placement::Placement placement;
    double seconds = 0;                        ///< of the model, computing included
    StepBound bound;                           ///< of the step
    StepBound exchange;                        ///< of its transfers, as if computing took no time
    std::vector<placement::ShapeTrial> tried;  ///< shapes with their scores and bounds
    std::optional<double> replayed_s;          ///< on simulated flows; absent: too many tasks
};

/// The best plan over the shapes that use the most devices, and bounds over all of those; where
/// none of them can run, over all shapes. Fails when no shape can run, with the reason of each.
/// Complexity: placement::solve_best_shape, twice.
[[nodiscard]] core::Result<PlacedStep> place_step(const fabric::Fabric& fabric,
                                                  const std::string& file,
                                                  const StepJob& job,
                                                  const placement::SolveOptions& options);

/// The best plan alone, found in the same way.
[[nodiscard]] core::Result<placement::Placement> best_step_plan(
    const fabric::Fabric& fabric,
    const std::string& file,
    const StepJob& job,
    const placement::SolveOptions& options);

/// Seconds of a plan on another fabric with the same devices. The plan must fit the job.
[[nodiscard]] double step_seconds_on(const fabric::Fabric& fabric,
                                     const StepJob& job,
                                     const placement::Placement& placement);

/// The same job for some of the devices: as many sequences as their share of the speed, and no more
/// memory than the smallest of them states.
[[nodiscard]] StepJob share_of(const StepJob& job,
                               const fabric::Fabric& all,
                               const std::vector<int>& devices);

}  // namespace longhaul::study
