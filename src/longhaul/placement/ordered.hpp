// Stages whose order is given: the best pairs between them under every term, and a score that is
// kept up while devices change places.
#pragma once

#include "longhaul/placement/contention.hpp"
#include "longhaul/placement/evaluate.hpp"

namespace longhaul::placement {

/// Whether the fast sums of pair costs make the score: additive, sharded, no compute, no shared
/// capacity.
[[nodiscard]] bool pairs_make_the_score(const Problem& problem);

/// About how many evaluations of pair costs one evaluation of an ordered problem costs.
[[nodiscard]] std::uint64_t evaluation_cost(const Problem& problem);

/// A total score as the scale of temperatures and prices: the missing GB where layers do not fit.
[[nodiscard]] double scale_of(double total);

/// Stages with their devices in the order of replicas, and what that placement costs as it stands.
struct Ordered {
    Stages paired;
    Score score;
};

/// The best pairs for stages in this order (tp = 1). Exact but for shared capacity with several
/// resources or under the pipelined objective, where a good choice is taken. Pipelined: the slowest
/// pair is capped ever lower, as in solve_inner_pipelined. O(P) matchings a cap.
[[nodiscard]] Ordered solve_in_order(const Problem& problem, const Stages& stages);

/// Total score of stages in this order, with the best pairs; parts that a swap does not touch stay.
class OrderedScore {
public:
    OrderedScore(const Problem& problem, const Stages& stages);

    [[nodiscard]] double total() const { return total_; }
    /// After devices of stages a and b changed; b may equal a.
    void update(const Stages& stages, std::size_t a, std::size_t b);
    /// Takes back the last update.
    void restore();

private:
    struct Parts {
        std::vector<double> exchange;
        std::vector<std::vector<Load>> loads;
        std::vector<double> edges;
        double rest = 0;  ///< compute, or the whole pipeline where messages follow each other
    };
    void update_group(const Stages& stages, std::size_t s);
    void update_edge(const Stages& stages, std::size_t s);
    void update_rest(const Stages& stages);
    [[nodiscard]] double sum() const;

    const Problem& problem_;
    BottleneckSolver solver_;
    Parts parts_, kept_;
    double total_ = 0;
    double kept_total_ = 0;
};

}  // namespace longhaul::placement
