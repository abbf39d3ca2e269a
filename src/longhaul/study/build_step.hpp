// From a placement problem and a placement to the tasks of one training step.
#pragma once

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/fabric/fabric.hpp"
#include "longhaul/placement/evaluate.hpp"
#include "longhaul/study/pipeline_order.hpp"
#include "longhaul/study/step_graph.hpp"

namespace longhaul::study {

struct StepOptions {
    PipelineOrder order = PipelineOrder::k1f1b;
    int chunks = 1;                   ///< of the model on each stage; 1 unless interleaved
    bool overlap = true;              ///< messages of the pipeline leave beside computing
    bool one_peer_at_a_time = false;  ///< in exchanges, as the additive score assumes
    double update_seconds = 0;        ///< the optimiser, after the exchange
    int steps = 1;                    ///< in a row: a device goes on when its own weights are new
};

/// Micro-batches of a replica and step: `microbatches`, else the larger number of messages.
[[nodiscard]] int micro_batches_of(const workload::Workload& workload);

/// One step, or several in a row. Each device computes at its own speed, a tensor group at the
/// speed of its slowest; a message carries the micro-batches of its number, and its receiver waits
/// for all of it. The exchange of a stage (of each of its chunks) begins at a member with its last
/// backward pass. Fails on an order that cannot run, and on messages of several micro-batches for
/// which 1F1B would wait for ever. O(tasks + waits): 2 micro-batches x devices, the same number of
/// messages, and those of the exchange, 2 dp^2 a stage group where it is sharded.
[[nodiscard]] core::Result<StepGraph> build_step(const placement::Problem& problem,
                                                 const fabric::Fabric& fabric,
                                                 const placement::Placement& placement,
                                                 const StepOptions& options);

}  // namespace longhaul::study
