// From a job to what it sends and what its devices hold, with the formula of each number.
#pragma once

#include <string>
#include <vector>

#include "longhaul/workload/job.hpp"
#include "longhaul/workload/workload.hpp"

namespace longhaul::workload {

/// What one device of a stage holds; of a tensor group, its part.
struct StageSize {
    int layers = 0;
    double parameters = 0;  ///< number of them, of the whole stage
    int in_flight = 0;      ///< micro-batches whose activations are alive at the peak
    core::Gigabytes weights;
    core::Gigabytes gradients;  ///< also what the device brings to the data-parallel exchange
    core::Gigabytes optimiser;
    core::Gigabytes activations;
    /// Sum of the four, to a whole byte.
    [[nodiscard]] core::Gigabytes total() const;
};

/// One number with where it comes from.
struct Derivation {
    std::string key;      ///< as in files: "c_pp_gb"
    std::string value;    ///< "0.512 GB"; of memory, the largest of any stage
    std::string formula;  ///< in words and symbols
    std::string numbers;  ///< the same with the numbers put in; may be empty
};

struct Sizing {
    Workload workload;  ///< of whole stages, as `place --tp` takes it
    int pp = 1;
    int dp = 1;
    int tp = 1;             ///< devices of a tensor group
    double parameters = 0;  ///< of the model, each counted once
    int largest_stage = 0;  ///< whose gradients are c_dp: the first of the largest
    std::vector<StageSize> stages;
    std::vector<Derivation> derivations;
};

/// O(pp). c_dp is the largest over the stages, since the slowest stage group ends the exchange.
/// With tensor groups of `tp` devices each holds 1 / tp of the parameters, and of the activations
/// all inputs and 1 / tp of what is computed from them.
[[nodiscard]] Sizing size(const Job& job, int tp = 1);

/// Counts behind the message numbers, not rounded to an integer type: read_job refuses jobs where
/// they do not fit.
[[nodiscard]] double micro_batches(const Job& job);
[[nodiscard]] double data_parallel_messages(const Job& job);

inline constexpr int kMostMessages = 1'000'000'000;

/// Message counts of a step that would not fit into the files of longhaul: what and fix; nothing
/// where they do. read_job checks those of its own shape.
struct TooMany {
    std::string table;  ///< "batch" or "messages"
    std::string what;
    std::string fix;
};
[[nodiscard]] std::vector<TooMany> too_many_messages(const Job& job);

/// The JSON form: "longhaul.size/1" (docs/commands/size.md).
[[nodiscard]] core::Value to_value(const Sizing& sizing, const Job& job);

}  // namespace longhaul::workload
