// In which order a stage computes its micro-batches, under the schedules that frameworks use.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace longhaul::study {

/// GPipe: all forward, then all backward (Huang et al., 2019). 1F1B: after a warm-up one forward
/// and one backward in turn (PipeDream-flush; Narayanan et al., 2021, figure 4). Interleaved: 1F1B
/// over several model chunks a device (the same, section 2.2).
enum class PipelineOrder { kGpipe, k1f1b, kInterleaved };

/// "gpipe", "1f1b", "interleaved".
[[nodiscard]] std::string_view name_of(PipelineOrder order);
[[nodiscard]] std::optional<PipelineOrder> pipeline_order_of_name(std::string_view name);

/// One pass of one micro-batch through one chunk of a stage.
struct Pass {
    bool backward = false;
    int chunk = 0;
    int micro_batch = 0;
    friend bool operator==(const Pass&, const Pass&) = default;
};

/// What limits an order: interleaving needs 2 stages or more, and micro-batches that the stages
/// divide. Empty when it can run.
[[nodiscard]] std::string_view why_not(PipelineOrder order, int stages, int micro_batches);

/// All passes of a stage (0-based) of `stages` in order, 2 x micro_batches x chunks of them. Needs
/// an order that can run; chunks is 1 unless interleaved.
[[nodiscard]] std::vector<Pass> passes_in_order(
    PipelineOrder order, int stage, int stages, int micro_batches, int chunks);

}  // namespace longhaul::study
