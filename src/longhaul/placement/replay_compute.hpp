// What the checker of certificates knows of compute and of messages that follow each other: code of
// its own, from the formulas of docs/mathematics/placement.md.
#pragma once

#include "longhaul/placement/costs.hpp"

namespace longhaul::placement {

/// Seconds of one message: all stages together, and the slowest stage of each pass, at least. No
/// stage groups in any order have less: the k-th fastest stage is as fast as the (k dp)-th fastest
/// device at most, and layers are cut anywhere.
struct ReplayCompute {
    double sum = 0;
    double forward = 0;
    double backward = 0;
};
[[nodiscard]] ReplayCompute replay_compute(const Problem& problem);

/// Micro-batches of a pass, or messages where those are fewer.
[[nodiscard]] int replay_messages(const Problem& problem, bool forward);

/// Whole seconds of the stages together, and of the slowest, as parts of one message.
[[nodiscard]] ReplayCompute replay_one_message(const Problem& problem, double all, double slowest);

/// replay_compute of stages at these speeds, of which layers take what suits them.
[[nodiscard]] ReplayCompute replay_compute(const Problem& problem, std::vector<double> speeds);

/// Compute seconds of a step, at least, of stages at these speeds in any order: no division of the
/// layers, cut anywhere, takes less. Given a limit on the slowest stage the fastest stages are
/// filled up to it; sum and limit are linear between the limits at which one more stage is full.
[[nodiscard]] double replay_step_of_layers(const Problem& problem, std::vector<double> speeds);

/// Seconds of the messages after the first when the slowest pair takes `slowness` seconds a GB.
[[nodiscard]] double replay_repeats(const Problem& problem,
                                    const ReplayCompute& compute,
                                    double slowness);

}  // namespace longhaul::placement
