#include "longhaul/study/pipeline_order.hpp"

#include <algorithm>
#include <array>

#include "longhaul/core/assert.hpp"

namespace longhaul::study {
namespace {

constexpr std::array<std::string_view, 3> kNames{"gpipe", "1f1b", "interleaved"};

/// The k-th forward or backward pass of a stage with several chunks: micro-batches go through a
/// chunk in rounds of as many as there are stages.
Pass nth_pass(bool backward, int k, int stages, int chunks) {
    const int round = stages * chunks;
    const int chunk = k % round / stages;
    return {backward, backward ? chunks - 1 - chunk : chunk, k / round * stages + k % stages};
}

/// Forward passes before the first backward one.
int warm_up(PipelineOrder order, int stage, int stages, int passes, int chunks) {
    if (order == PipelineOrder::kGpipe) {
        return passes;
    }
    const int behind = stages - stage - 1;
    const int wanted = order == PipelineOrder::k1f1b ? behind : 2 * behind + (chunks - 1) * stages;
    return std::min(passes, wanted);
}

}  // namespace

std::string_view name_of(PipelineOrder order) {
    return kNames.at(static_cast<std::size_t>(order));
}

std::optional<PipelineOrder> pipeline_order_of_name(std::string_view name) {
    const auto* const at = std::ranges::find(kNames, name);
    if (at == kNames.end()) {
        return std::nullopt;
    }
    return static_cast<PipelineOrder>(at - kNames.begin());
}

std::string_view why_not(PipelineOrder order, int stages, int micro_batches) {
    if (order != PipelineOrder::kInterleaved) {
        return "";
    }
    if (stages < 2) {
        return "an interleaved schedule needs two stages or more";
    }
    return micro_batches % stages == 0
               ? ""
               : "an interleaved schedule needs a number of micro-batches that the stages divide";
}

std::vector<Pass> passes_in_order(
    PipelineOrder order, int stage, int stages, int micro_batches, int chunks) {
    LONGHAUL_ASSERT(why_not(order, stages, micro_batches).empty());
    LONGHAUL_ASSERT(chunks == 1 || order == PipelineOrder::kInterleaved);
    const auto pass = [&](bool backward, int k) {
        return order == PipelineOrder::kInterleaved ? nth_pass(backward, k, stages, chunks)
                                                    : Pass{backward, 0, k};
    };
    const int passes = micro_batches * chunks;
    const int ahead = warm_up(order, stage, stages, passes, chunks);
    std::vector<Pass> result;
    result.reserve(2 * static_cast<std::size_t>(passes));
    for (int k = 0; k < ahead; ++k) {
        result.push_back(pass(false, k));
    }
    for (int k = ahead; k < passes; ++k) {
        result.push_back(pass(false, k));
        result.push_back(pass(true, k - ahead));
    }
    for (int k = passes - ahead; k < passes; ++k) {
        result.push_back(pass(true, k));
    }
    return result;
}

}  // namespace longhaul::study
