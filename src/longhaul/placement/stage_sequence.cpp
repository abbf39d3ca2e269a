#include "longhaul/placement/stage_sequence.hpp"

#include <numeric>

#include "longhaul/core/assert.hpp"

namespace longhaul::placement {

StageSequence::StageSequence(std::vector<double> exchange,
                             std::vector<double> edges,
                             double least_edge)
    : order_(exchange.size()),
      exchange_(std::move(exchange)),
      edges_(std::move(edges)),
      least_edge_(least_edge) {
    LONGHAUL_ASSERT(!exchange_.empty() && edges_.size() + 1 == exchange_.size());
    std::iota(order_.begin(), order_.end(), 0);
    sum_up();
}

void StageSequence::begin() {
    left_ = path_;
    added_.clear();
}

void StageSequence::remove(std::size_t edge) {
    left_ -= edges_[edge];
}

/// The worst group term of the other positions.
double StageSequence::worst_without(std::span<const std::size_t> positions) const {
    const bool holds_worst = std::ranges::any_of(
        positions, [&](std::size_t position) { return exchange_[position] == worst_; });
    if (!holds_worst) {
        return worst_;
    }
    double worst = 0;
    std::size_t next = 0;
    for (std::size_t s = 0; s < size(); ++s) {
        if (next < positions.size() && positions[next] == s) {
            ++next;
        } else {
            worst = std::max(worst, exchange_[s]);
        }
    }
    return worst;
}

/// Turns positions first .. last around with the edges between them.
void StageSequence::reverse(std::size_t first, std::size_t last) {
    const auto from = static_cast<std::ptrdiff_t>(first);
    const auto to = static_cast<std::ptrdiff_t>(last);
    std::reverse(order_.begin() + from, order_.begin() + to + 1);
    std::reverse(exchange_.begin() + from, exchange_.begin() + to + 1);
    std::reverse(edges_.begin() + from, edges_.begin() + to);
}

void StageSequence::settle() {
    for (const Joint& joint : added_) {
        edges_[joint.edge] = joint.value;
    }
    sum_up();
}

void StageSequence::sum_up() {
    worst_ = *std::ranges::max_element(exchange_);
    path_ = std::accumulate(edges_.begin(), edges_.end(), 0.0);
}

}  // namespace longhaul::placement
