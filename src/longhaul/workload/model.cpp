#include "longhaul/workload/model.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace longhaul::workload {
namespace {

/// Width of the keys, and of the values: kv_heads heads.
double key_width(const Model& model) {
    return static_cast<double>(model.hidden_size) / model.heads * model.kv_heads;
}

double norm_parameters(const Model& model) {
    return (model.norm == Norm::kLayerNorm ? 2.0 : 1.0) * model.hidden_size;
}

double matrices(const Model& model) {
    return model.feed_forward == FeedForward::kGelu ? 2 : 3;
}

}  // namespace

double layer_parameters(const Model& model) {
    const double h = model.hidden_size;
    const double k = key_width(model);
    const double f = model.feed_forward_size;
    const double weights = 2 * h * h + 2 * h * k + matrices(model) * h * f;
    const double biases = (2 * h + 2 * k) + (matrices(model) - 1) * f + h;
    return weights + (model.biases ? biases : 0) + 2 * norm_parameters(model);
}

double embedding_parameters(const Model& model) {
    const double positions = model.positions == Positions::kLearned ? model.sequence_length : 0;
    return (model.vocabulary + positions) * model.hidden_size;
}

double head_parameters(const Model& model) {
    const double matrix = static_cast<double>(model.vocabulary) * model.hidden_size;
    return norm_parameters(model) + (model.tied_embeddings ? 0 : matrix);
}

double total_parameters(const Model& model) {
    return model.parameters > 0 ? model.parameters
                                : model.layers * layer_parameters(model) +
                                      embedding_parameters(model) + head_parameters(model);
}

double layer_activation_bytes(const Model& model, double activation_bytes, int tp) {
    const double h = model.hidden_size;
    // Whole on every device: the inputs of two norms, of the projections and of the feed-forward
    // part. Divided: the input of the output projection and Q, of width h; K and V, at least one
    // head each; then what stands around the activation function.
    const double keys = key_width(model) * std::max(1.0 / tp, 1.0 / model.kv_heads);
    const double divided =
        (2 * h + (model.feed_forward == FeedForward::kGelu ? 2.0 : 4.0) * model.feed_forward_size) /
        tp;
    const double masks = model.dropout ? 2 * h : 0;
    const double scores = static_cast<double>(model.heads) * model.sequence_length / tp;
    const double attention = model.fused_attention ? 0
                             : model.dropout       ? scores * (2 * activation_bytes + 1)
                                                   : scores * activation_bytes;
    return model.sequence_length *
           (activation_bytes * (4 * h + 2 * keys + divided) + masks + attention);
}

double boundary_bytes(const Model& model, double activation_bytes) {
    return static_cast<double>(model.sequence_length) * model.hidden_size * activation_bytes;
}

std::string layer_parameters_formula(const Model& model) {
    const bool gelu = model.feed_forward == FeedForward::kGelu;
    return fmt::format("2 h^2 + 2 h k + {} h f{} + {} h",
                       gelu ? 2 : 3,
                       !model.biases ? ""
                       : gelu        ? " + (3 h + 2 k + f)"
                                     : " + (3 h + 2 k + 2 f)",
                       model.norm == Norm::kLayerNorm ? 4 : 2);
}

std::string layer_activation_formula(const Model& model, int tp) {
    const int inner = model.feed_forward == FeedForward::kGelu ? 2 : 4;
    const std::string widths = tp > 1 ? fmt::format("4 h + (2 h + 2 k + {} f) / t", inner)
                                      : fmt::format("6 h + 2 k + {} f", inner);
    return fmt::format("s (e ({}){}{}{})",
                       widths,
                       model.dropout ? " + 2 h" : "",
                       model.fused_attention ? ""
                       : model.dropout       ? " + a s (2 e + 1)"
                                             : " + a s e",
                       tp > 1 && !model.fused_attention ? " / t" : "");
}

}  // namespace longhaul::workload
