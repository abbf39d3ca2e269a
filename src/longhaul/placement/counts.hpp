// The count view: a stage is how many devices of each class it holds. Exact when the classes are.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "longhaul/placement/classes.hpp"
#include "longhaul/placement/evaluate.hpp"
#include "longhaul/placement/kind_transport.hpp"
#include "longhaul/placement/transport.hpp"

namespace longhaul::placement {

/// counts(stage, class), stages in path order; every row sums to dp, every column to the class
/// size.
using Counts = core::Grid<int>;

/// ClassCosts of count rows, with a cache of edges that is bounded and never changes a value.
class CountModel {
public:
    /// `costs` between K classes, see class_costs.
    /// The cache holds 2^cache_bits edges.
    explicit CountModel(ClassCosts costs, int cache_bits = 16);

    [[nodiscard]] std::size_t classes() const { return costs_.pipeline.rows(); }
    /// Identity of a row: linear in the counts, so that a move updates it in O(1). Equal rows have
    /// equal keys; different rows collide with probability 2^-64.
    [[nodiscard]] std::uint64_t key(std::span<const int> row) const;
    [[nodiscard]] std::uint64_t weight(std::size_t k) const { return weights_[k]; }

    /// Worst device of a stage group under the sharded exchange. O(K^2).
    [[nodiscard]] double exchange(std::span<const int> row) const;
    /// Bottleneck of the transport from one row to the other: the smallest threshold under which
    /// all devices can be paired. O(K^2) and a few augmentations; cached by the rows' keys.
    double edge(std::span<const int> a,
                std::uint64_t key_a,
                std::span<const int> b,
                std::uint64_t key_b) {
        return edge_within(a, key_a, b, key_b, std::numeric_limits<double>::infinity());
    }
    /// The edge when it is at most `limit`, else anything above the limit, often found sooner.
    double edge_within(std::span<const int> a,
                       std::uint64_t key_a,
                       std::span<const int> b,
                       std::uint64_t key_b,
                       double limit);
    /// No edge is cheaper.
    [[nodiscard]] double least_edge() const { return least_edge_; }

private:
    struct Entry {
        std::uint64_t key = 0;
        double value = -1;
        bool exact = false;
    };
    ClassCosts costs_;
    double least_edge_ = 0;
    std::optional<Transport> fast_;  // up to Transport::kMaxClasses classes
    BottleneckTransport many_;       // for more
    std::vector<std::uint64_t> weights_;
    int cache_bits_;
    std::vector<Entry> cache_;
};

/// Score of counts in the given stage order, and with the best order (up to 10 stages
/// exactly, see quick_path_from).
[[nodiscard]] Score score_in_order(CountModel& model, const Counts& counts);
[[nodiscard]] Solved score_best_order(CountModel& model, const Counts& counts);

/// Rows permuted: result row i = counts row order[i].
[[nodiscard]] Counts reordered(const Counts& counts, std::span<const int> order);

/// Stage groups that realise the counts, in row order. Devices of a class are dealt so that
/// consecutive stages with equal counts take neighbours (runs of a pipeline).
[[nodiscard]] Stages realise(const Counts& counts, const Classes& classes);

/// Counts of stage groups.
[[nodiscard]] Counts counts_of(const Stages& stages, const Classes& classes);

}  // namespace longhaul::placement
