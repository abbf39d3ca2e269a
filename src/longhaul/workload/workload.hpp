// What one optimiser step of a job sends: the payloads and message counts of the cost model.
#pragma once

#include <optional>
#include <vector>

#include "longhaul/core/cursor.hpp"
#include "longhaul/core/units.hpp"

namespace longhaul::workload {

/// What options and files may say: above what any job file can ask for, and low enough that costs
/// stay finite on every fabric.
inline constexpr double kMostPayloadGb = 1e30;
inline constexpr double kMostComputeSeconds = 1e30;  ///< of a stage or layer

/// One layer of the model, per replica.
struct Layer {
    double seconds = 0;        ///< forward and backward of a whole step on the reference device
    double static_gb = 0;      ///< weights, gradients, optimiser state
    double activation_gb = 0;  ///< kept for the backward pass, of one micro-batch in flight
    friend bool operator==(const Layer&, const Layer&) = default;
};

/// Payloads of one optimiser step (file form: contract, "workload").
struct Workload {
    core::Gigabytes c_pp;  ///< activations that cross one stage boundary in one pipeline, forward
    int pp_messages = 1;   ///< transfers that carry c_pp
    core::Gigabytes c_dp;  ///< gradients of one stage that enter the data-parallel exchange
    int dp_messages = 1;   ///< transfers to each peer in each of the two rounds of the exchange
    std::optional<core::Gigabytes> c_pp_backward;  ///< when the backward payload differs from c_pp
    std::optional<int> pp_backward_messages;       ///< when their number differs from pp_messages
    std::optional<int> microbatches;
    std::vector<double> stage_seconds;  ///< compute seconds of a stage; empty when unknown
    std::vector<Layer> layers;          ///< to be divided over the stages; empty when unknown
};

/// Reads a list of layers: objects with `seconds`, and optional `static_gb`, `activation_gb` and
/// `count` (equal layers one after another). Problems go to the cursor.
[[nodiscard]] std::vector<Layer> read_layers(const core::Cursor& list);

/// Reads the members of a workload object; problems are reported through the cursor.
[[nodiscard]] Workload read_workload(const core::Cursor& object);

/// The object form, without keys that are absent.
[[nodiscard]] core::Value to_value(const Workload& workload);

}  // namespace longhaul::workload
