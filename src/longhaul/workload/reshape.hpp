// The same job on another grid of stages and replicas.
#pragma once

#include "longhaul/workload/job.hpp"

namespace longhaul::workload {

/// Keeps the model and the sequences of a whole step: replicas share them evenly, and stages the
/// layers, the first ones one more where that does not come out even. Fails when there are more
/// stages than layers or when a replica would have less than a micro-batch, and when a stage needs
/// more than the memory of a device (memory_gb of the job; tp devices share a stage). pp, dp, tp >=
/// 1. O(pp).
[[nodiscard]] core::Result<Job> reshaped(const Job& job, int pp, int dp, int tp);

}  // namespace longhaul::workload
