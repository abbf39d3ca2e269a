// A training job as a person describes it: the job file (docs/formats/job.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/core/units.hpp"
#include "longhaul/workload/model.hpp"

namespace longhaul::workload {

enum class Precision { kFp32, kFp16, kBf16, kFp8 };
enum class Optimiser { kAdam, kMomentum, kSgd };
enum class PipelineSchedule { kGpipe, k1f1b };

/// Bytes of one number.
[[nodiscard]] int bytes_of(Precision precision);
/// Numbers that the optimiser keeps for each parameter: adam 2, momentum 1, sgd 0.
[[nodiscard]] int states_of(Optimiser optimiser);

/// One job. read_job checks all of it; a Job made by hand must keep the same rules.
struct Job {
    std::string name;
    Model model;

    // [batch]
    double sequences_per_replica = 1;  ///< of one optimiser step; may be a fraction
    double micro_batch = 1;            ///< sequences; the last one may hold fewer
    int accumulation_steps = 1;        ///< pipeline flushes in one optimiser step

    // [precision]
    Precision activations = Precision::kBf16;
    Precision gradients = Precision::kFp32;
    Precision parameters = Precision::kBf16;
    Precision optimiser_states = Precision::kFp32;
    Optimiser optimiser = Optimiser::kAdam;
    bool master_weights = true;  ///< one more copy of the parameters among the optimiser states

    // [parallel]
    int pp = 1;
    int dp = 1;
    std::vector<int> stage_layers;  ///< layers of each of the pp stages
    PipelineSchedule schedule = PipelineSchedule::k1f1b;
    bool activation_checkpointing = false;
    std::optional<core::Gigabytes> memory;               ///< of one device
    std::string memory_source = "memory_gb of the job";  ///< of that number, for messages

    // [messages]
    std::optional<core::Gigabytes> dp_bucket;  ///< gradients that are exchanged at once
    int micro_batches_per_message = 1;
};

/// Which shape a job file is read for.
enum class JobShape {
    kOwn,  ///< that of [parallel]
    kAny   ///< others take its place (see reshape.hpp): stage_layers are not read, and what the
           ///< batch comes to under its own dp is not checked
};

/// Reads a job file: JSON when the name ends in ".json", TOML otherwise. Reports all problems.
[[nodiscard]] core::Result<Job> read_job(std::string_view text,
                                         std::string_view name,
                                         JobShape shape = JobShape::kOwn);

}  // namespace longhaul::workload
