// The same job on another grid of stages and replicas.
#pragma once

#include "longhaul/workload/job.hpp"

namespace longhaul::workload {

/// Keeps the model and the sequences of a whole step: replicas share them evenly, and stages the
/// layers, the first ones one more where that does not come out even; the job's own number of
/// stages keeps its stage_layers. Fails when there are more stages than layers or when a replica
/// would have less than a micro-batch. pp, dp >= 1. O(pp).
[[nodiscard]] core::Result<Job> regridded(const Job& job, int pp, int dp);

/// The same, and fails when a stage needs more than the memory of a device (tp devices share a
/// stage).
[[nodiscard]] core::Result<Job> reshaped(const Job& job, int pp, int dp, int tp);

/// The job on devices of which the smallest has `least_gb`: its memory is that, or its own
/// memory_gb where that is less.
[[nodiscard]] Job limited(Job job, std::optional<double> least_gb);

}  // namespace longhaul::workload
