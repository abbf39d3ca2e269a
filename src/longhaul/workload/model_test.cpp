#include "longhaul/workload/model.hpp"

#include <gtest/gtest.h>

namespace longhaul::workload {
namespace {

Model gpt(int layers, int hidden, int heads, int context) {
    Model model;
    model.layers = layers;
    model.hidden_size = hidden;
    model.heads = model.kv_heads = heads;
    model.feed_forward_size = 4 * hidden;
    model.vocabulary = 50257;
    model.sequence_length = context;
    return model;
}

Model llama(int layers, int hidden, int heads, int kv_heads, int feed_forward) {
    Model model;
    model.layers = layers;
    model.hidden_size = hidden;
    model.heads = heads;
    model.kv_heads = kv_heads;
    model.feed_forward = FeedForward::kSwiglu;
    model.feed_forward_size = feed_forward;
    model.vocabulary = 32000;
    model.tied_embeddings = false;
    model.sequence_length = 4096;
    model.biases = false;
    model.norm = Norm::kRmsNorm;
    model.positions = Positions::kRotary;
    return model;
}

// Parameter counts of the published checkpoints: GPT-2 small and XL, Llama 2 7B, 13B and 70B.
TEST(Model, CountsPublishedModelsExactly) {
    EXPECT_EQ(total_parameters(gpt(12, 768, 12, 1024)), 124'439'808);
    EXPECT_EQ(total_parameters(gpt(48, 1600, 25, 1024)), 1'557'611'200);
    EXPECT_EQ(total_parameters(llama(32, 4096, 32, 32, 11008)), 6'738'415'616);
    EXPECT_EQ(total_parameters(llama(40, 5120, 40, 40, 13824)), 13'015'864'320);
    EXPECT_EQ(total_parameters(llama(80, 8192, 64, 8, 28672)), 68'976'648'192);
}

// P = 12 l h^2 (1 + 13 / (12 h) + (V + s) / (12 l h)), equation 2 of Narayanan et al., "Efficient
// large-scale language model training on GPU clusters using Megatron-LM", SC'21. It leaves out the
// final norm (2 h).
TEST(Model, AgreesWithTheFormulaOfMegatron) {
    const double l = 24;
    const double h = 2048;
    const double v = 50257;
    const double s = 2048;
    const double expected = 12 * l * h * h * (1 + 13 / (12 * h) + (v + s) / (12 * l * h)) + 2 * h;
    EXPECT_NEAR(total_parameters(gpt(24, 2048, 16, 2048)), expected, 1);
    EXPECT_NEAR(total_parameters(gpt(24, 2048, 16, 2048)) / 1e9, 1.3, 0.02);  // "GPT-3 XL 1.3B"
}

TEST(Model, AGivenTotalWins) {
    Model model = gpt(24, 2048, 16, 2048);
    model.parameters = 1.3e9;
    EXPECT_EQ(total_parameters(model), 1.3e9);
}

TEST(Model, TiedEmbeddingsAreCountedOnce) {
    Model model = gpt(12, 768, 12, 1024);
    const double tied = total_parameters(model);
    model.tied_embeddings = false;
    EXPECT_EQ(total_parameters(model) - tied, 50257.0 * 768);
}

// s b h (34 + 5 a s / h) bytes a layer in 16 bits with dropout, and without the second term when
// attention scores are computed again: Korthikanti et al., "Reducing activation recomputation in
// large transformer models", MLSys 2023, equation 1 and section 5.
TEST(Model, ActivationsOfALayerAgreeWithKorthikanti) {
    Model model = gpt(24, 2048, 16, 2048);
    model.dropout = true;
    model.fused_attention = false;
    const double s = 2048;
    const double h = 2048;
    const double a = 16;
    EXPECT_DOUBLE_EQ(layer_activation_bytes(model, 2), s * h * (34 + 5 * a * s / h));
    model.fused_attention = true;
    EXPECT_DOUBLE_EQ(layer_activation_bytes(model, 2), s * h * 34);
}

// Tensor parallel over t devices: s b h (10 + 24 / t + 5 a s / (h t)), equation 2 of the same
// paper.
TEST(Model, ActivationsOfATensorGroupAgreeWithKorthikanti) {
    Model model = gpt(24, 2048, 16, 2048);
    model.dropout = true;
    model.fused_attention = false;
    const double s = 2048;
    const double h = 2048;
    const double a = 16;
    for (const double t : {1.0, 2.0, 8.0}) {
        EXPECT_DOUBLE_EQ(layer_activation_bytes(model, 2, static_cast<int>(t)),
                         s * h * (10 + 24 / t + 5 * a * s / (h * t)));
    }
    // With 2 key-value heads of 16, 8 devices hold one each and not a quarter: k h / a ... by hand
    // 2 (4 h + (2 h + 2 f) / 8 + 2 h / 16) bytes a token, f = 4 h.
    model = gpt(24, 2048, 16, 2048);
    model.kv_heads = 2;
    EXPECT_DOUBLE_EQ(layer_activation_bytes(model, 2, 8), s * 2 * h * (4 + 10.0 / 8 + 2.0 / 16));
}

// Without dropout the two masks (1 byte each) go; attention keeps the scores alone.
TEST(Model, ActivationsWithoutDropout) {
    Model model = gpt(24, 2048, 16, 2048);
    EXPECT_DOUBLE_EQ(layer_activation_bytes(model, 2), 2048.0 * 2048 * 32);
    model.fused_attention = false;
    EXPECT_DOUBLE_EQ(layer_activation_bytes(model, 2), 2048.0 * (2048 * 32 + 16 * 2048 * 2));
}

// By hand for 64 heads of 128 with 8 key-value heads: 6 h + 2 k + 4 f
// = 6 * 8192 + 2 * 1024 + 4 * 28672 = 165888 numbers a token.
TEST(Model, ActivationsOfAGatedLayerWithGroupedQueries) {
    EXPECT_DOUBLE_EQ(layer_activation_bytes(llama(80, 8192, 64, 8, 28672), 2), 4096.0 * 2 * 165888);
}

TEST(Model, BoundaryIsOneActivationAToken) {
    EXPECT_DOUBLE_EQ(boundary_bytes(gpt(24, 2048, 16, 2048), 2), 8'388'608);  // 8.39 MB
}

TEST(Model, FormulasFollowTheModel) {
    EXPECT_EQ(layer_parameters_formula(gpt(24, 2048, 16, 2048)),
              "2 h^2 + 2 h k + 2 h f + (3 h + 2 k + f) + 4 h");
    EXPECT_EQ(layer_parameters_formula(llama(80, 8192, 64, 8, 28672)),
              "2 h^2 + 2 h k + 3 h f + 2 h");
    Model model = gpt(24, 2048, 16, 2048);
    model.dropout = true;
    model.fused_attention = false;
    EXPECT_EQ(layer_activation_formula(model, 4),
              "s (e (4 h + (2 h + 2 k + 2 f) / t) + 2 h + a s (2 e + 1) / t)");
    EXPECT_EQ(layer_activation_formula(model), "s (e (6 h + 2 k + 2 f) + 2 h + a s (2 e + 1))");
}

}  // namespace
}  // namespace longhaul::workload
