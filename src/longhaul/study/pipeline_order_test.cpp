#include "longhaul/study/pipeline_order.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

namespace longhaul::study {
namespace {

/// "F0 B0": chunk behind a dot where there are several.
std::string text_of(const std::vector<Pass>& passes, int chunks) {
    std::string text;
    for (const Pass& pass : passes) {
        text += text.empty() ? "" : " ";
        text += (pass.backward ? "B" : "F") + std::to_string(pass.micro_batch);
        text += chunks > 1 ? "." + std::to_string(pass.chunk) : "";
    }
    return text;
}

std::string order_of(PipelineOrder order, int stage, int stages, int batches, int chunks = 1) {
    return text_of(passes_in_order(order, stage, stages, batches, chunks), chunks);
}

TEST(PipelineOrder, GpipeGoesForwardWithAll) {
    EXPECT_EQ(order_of(PipelineOrder::kGpipe, 1, 4, 3), "F0 F1 F2 B0 B1 B2");
}

// Narayanan et al., 2021, figure 4 (top), 4 devices and 8 micro-batches.
TEST(PipelineOrder, OneForwardOneBackwardAsInTheFigure) {
    EXPECT_EQ(order_of(PipelineOrder::k1f1b, 0, 4, 8),
              "F0 F1 F2 F3 B0 F4 B1 F5 B2 F6 B3 F7 B4 B5 B6 B7");
    EXPECT_EQ(order_of(PipelineOrder::k1f1b, 3, 4, 8),
              "F0 B0 F1 B1 F2 B2 F3 B3 F4 B4 F5 B5 F6 B6 F7 B7");
}

// The same figure (bottom), 4 devices, 8 micro-batches, 2 chunks: the first device does
// micro-batches 1 to 4 of its first chunk, 1 to 4 of its second, 5 to 7 of its first, and then
// turns.
TEST(PipelineOrder, InterleavedAsInTheFigure) {
    EXPECT_EQ(order_of(PipelineOrder::kInterleaved, 0, 4, 8, 2).substr(0, 67),
              "F0.0 F1.0 F2.0 F3.0 F0.1 F1.1 F2.1 F3.1 F4.0 F5.0 F6.0 B0.1 F7.0 B1");
    EXPECT_EQ(order_of(PipelineOrder::kInterleaved, 3, 4, 8, 2).substr(0, 44),
              "F0.0 F1.0 F2.0 F3.0 F0.1 B0.1 F1.1 B1.1 F2.1");
}

// Every pass once, and no micro-batch goes back before it went forward.
TEST(PipelineOrder, HoldsEveryPassOnceForwardFirst) {
    for (const auto& [order, chunks] : {std::pair{PipelineOrder::kGpipe, 1},
                                        std::pair{PipelineOrder::k1f1b, 1},
                                        std::pair{PipelineOrder::kInterleaved, 1},
                                        std::pair{PipelineOrder::kInterleaved, 3}}) {
        for (int stages = 2; stages <= 5; ++stages) {
            for (int stage = 0; stage < stages; ++stage) {
                const int batches = 2 * stages;
                const auto passes = passes_in_order(order, stage, stages, batches, chunks);
                std::set<std::pair<int, int>> forward;
                std::set<std::pair<int, int>> backward;
                for (const Pass& pass : passes) {
                    const std::pair key{pass.chunk, pass.micro_batch};
                    EXPECT_TRUE(pass.backward ? forward.contains(key) : !forward.contains(key));
                    EXPECT_TRUE((pass.backward ? backward : forward).insert(key).second);
                }
                EXPECT_EQ(forward.size(), static_cast<std::size_t>(batches * chunks));
                EXPECT_EQ(backward, forward);
            }
        }
    }
}

TEST(PipelineOrder, SaysWhyItCannotRun) {
    EXPECT_EQ(why_not(PipelineOrder::kInterleaved, 4, 8), "");
    EXPECT_NE(why_not(PipelineOrder::kInterleaved, 4, 6), "");
    EXPECT_NE(why_not(PipelineOrder::kInterleaved, 1, 6), "");
    EXPECT_EQ(why_not(PipelineOrder::k1f1b, 1, 6), "");
}

TEST(PipelineOrder, KnowsItsNames) {
    for (const auto order :
         {PipelineOrder::kGpipe, PipelineOrder::k1f1b, PipelineOrder::kInterleaved}) {
        EXPECT_EQ(pipeline_order_of_name(name_of(order)), order);
    }
    EXPECT_FALSE(pipeline_order_of_name("zb"));
}

}  // namespace
}  // namespace longhaul::study
