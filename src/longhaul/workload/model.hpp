// The transformer that a job trains: how many parameters it has and what its activations take.
#pragma once

#include <string>
#include <string_view>

namespace longhaul::workload {

enum class FeedForward { kGelu, kSwiglu };  ///< two matrices, or three with a gate
enum class Norm { kLayerNorm, kRmsNorm };   ///< weight and bias, or weight alone
enum class Positions { kLearned, kRotary };

/// Shape of a decoder-only transformer, the [model] table of a job file.
struct Model {
    int layers = 1;
    int hidden_size = 1;
    int heads = 1;
    int kv_heads = 1;  ///< fewer than heads: grouped-query attention
    int feed_forward_size = 4;
    FeedForward feed_forward = FeedForward::kGelu;
    int vocabulary = 1;
    bool tied_embeddings = true;  ///< the output layer shares the matrix of the input layer
    int sequence_length = 1;      ///< tokens
    bool biases = true;           ///< linear layers have a bias
    Norm norm = Norm::kLayerNorm;
    Positions positions = Positions::kLearned;
    bool dropout = false;
    bool fused_attention = true;  ///< attention scores are never held as a whole
    double parameters = 0;        ///< total, when the user gives it; 0 = counted
};

/// Parameters of one layer: attention 2h^2 + 2h k (k = width of the keys), feed-forward 2hf or 3hf,
/// two norms, and biases where the model has them.
[[nodiscard]] double layer_parameters(const Model& model);
/// Parameters of the input layer: vocabulary x h, and sequence_length x h when positions are
/// learned.
[[nodiscard]] double embedding_parameters(const Model& model);
/// Parameters after the last layer: the final norm, and vocabulary x h unless that matrix is the
/// input layer's.
[[nodiscard]] double head_parameters(const Model& model);
/// All of them, each counted once; the user's number when it is given.
[[nodiscard]] double total_parameters(const Model& model);

/// Bytes that one layer keeps for its backward pass, for one sequence, with activations of
/// `activation_bytes` each, on one device of a tensor group of `tp` (docs/mathematics/workload.md).
[[nodiscard]] double layer_activation_bytes(const Model& model,
                                            double activation_bytes,
                                            int tp = 1);
/// Bytes of the input of one layer for one sequence: what crosses a stage boundary, and all that
/// a checkpointed layer keeps.
[[nodiscard]] double boundary_bytes(const Model& model, double activation_bytes);

/// The formulas that layer_parameters and layer_activation_bytes follow for this model, as text.
[[nodiscard]] std::string layer_parameters_formula(const Model& model);
[[nodiscard]] std::string layer_activation_formula(const Model& model, int tp = 1);

}  // namespace longhaul::workload
