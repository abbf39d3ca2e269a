// Micro-batches that follow each other through the pipeline: what a step costs when transfers and
// compute overlap.
//
// A pass of U messages over links that keep their order, and stages that work on one message at a
// time, is a tandem queue. With latency a, serialisation s of one message on each edge and compute
// f on each stage, its last message arrives after
//
//     sum of f + sum over edges of (a + s) + (U - 1) max(largest s, largest f)
//
// The forward pass ends before the backward pass begins (GPipe). All replicas wait for the slowest
// pair of an edge, as in the additive model. Source: docs/mathematics/placement.md, "Pipelined".
#pragma once

#include <optional>
#include <span>

#include "longhaul/placement/evaluate.hpp"

namespace longhaul::placement {

/// Messages of the two passes of one step.
struct Passes {
    double forward_gb = 0;  ///< of one message
    double backward_gb = 0;
    int forward_units = 1;  ///< messages of a pass
    int backward_units = 1;
    double forward_share = 1.0 / 3;  ///< of the compute seconds of a stage

    /// U of PipelineCompute: one pass of as many messages computes as long as both do.
    [[nodiscard]] double units_together() const {
        return forward_units == backward_units
                   ? forward_units
                   : 1 / (forward_share / forward_units + (1 - forward_share) / backward_units);
    }
};

[[nodiscard]] Passes passes_of(const workload::Workload& workload, const Terms& terms);

/// Latency and serialisation of one message each way: what an edge adds to the first micro-batch.
[[nodiscard]] PairMatrix first_micro_batch(const fabric::Links& links, const Passes& passes);

/// Compute seconds of one message, slowest stage of each pass and the sums over the stages.
struct StageCompute {
    double sum = 0;           ///< of both passes over all stages, one message each
    double forward_max = 0;   ///< of one message
    double backward_max = 0;  ///< of one message
};

/// `stages` in path order. A stage works at the speed of its slowest device. O(n).
[[nodiscard]] StageCompute stage_compute(const Problem& problem, const Stages& stages);

/// Seconds that the messages after the first add: (U - 1) max(s, f) of both passes, when the
/// slowest matched pair takes `slowness` seconds a GB.
[[nodiscard]] double repeats(const Passes& passes, const StageCompute& compute, double slowness);

/// Pairs above a slowness made too expensive to use; with `soft`, pairs pay what they alone would
/// add to the repeats beyond the cap instead.
[[nodiscard]] PairMatrix capped(const PairMatrix& once, const PairMatrix& slowness, double cap);
[[nodiscard]] PairMatrix softly_capped(const PairMatrix& once,
                                       const PairMatrix& slowness,
                                       double cap,
                                       const Passes& passes,
                                       const StageCompute& compute);

/// Splits what messages and compute take together into the part that compute takes alone and the
/// rest. `edges`: of one message each way; `slowest`: seconds a GB of the slowest pair or resource.
[[nodiscard]] Score pipelined_score(double exchange,
                                    double edges,
                                    double slowest,
                                    const Passes& passes,
                                    const StageCompute& compute);

/// Largest slowness below `slowest` under which the messages after the first take less than `room`,
/// up to a share of 2^-40: under lower caps nothing else gets cheaper. O(1).
[[nodiscard]] double useful_cap(const Passes& passes, double slowest, double room);

/// Score of a placement exactly as it stands, under the pipelined objective.
[[nodiscard]] Score pipelined_as_mapped(const Problem& problem, const Placement& placement);

/// Best pairs and order of stages under the pipelined objective, exact as long as paths are: the
/// slowest pair is capped ever lower, and under each cap the first micro-batch is additive. With
/// shared capacity see shared_pipeline.hpp.
[[nodiscard]] Solved solve_inner_pipelined(const Problem& problem, const Stages& stages);

/// The same for the inside of a search: of more than 8 stages at most 64 caps are looked at, and
/// the order of more than 10 may not be the best, see quick_path_from. With shared capacity the
/// same.
[[nodiscard]] Solved solve_inner_pipelined_quickly(const Problem& problem, const Stages& stages);

/// Distinct values of slowness between devices, ascending; of more than `most`, that many spread
/// evenly over their ranks, always with the first and the last. O(kinds^2 log kinds).
[[nodiscard]] std::vector<double> slowness_levels(const Problem& problem, std::size_t most);

}  // namespace longhaul::placement
