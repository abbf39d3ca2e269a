// Micro-batches that follow each other while pairs share capacity: pipelined.hpp and contention.hpp
// together.
//
// Once the pipeline is full, all edges of all pipelines send at once, so that a resource carries
// one message of every pair that crosses it on any edge, in each direction, for every micro-batch
// of a pass. With x the slowness of the slowest pair and y the seconds that the busiest resource
// takes for the pairs that cross it (in the slower of both passes, whose directions are opposite),
// both in seconds a GB of a message,
//
//     edge  = max(slowest pair, every resource under this edge alone), one message each way
//     score = DataP + sum of edges + compute of one message + R(max(x, y))
//
// with R the repeats of pipelined.hpp and DataP that of the additive objective. Without shared
// capacity this is the pipelined score, with one message each way the additive one. Source:
// docs/mathematics/terms.md, "Shared capacity".
#pragma once

#include "longhaul/placement/pipelined.hpp"

namespace longhaul::placement {

/// The slowest resource while all edges send: position r of each stage belongs to pipeline r.
/// Seconds for one GB a message. O(n resources).
[[nodiscard]] Contended steady_load(const Problem& problem, const Stages& paired);

/// The resource that all messages after the first wait for; -1: a pair or compute is as slow, or
/// nothing follows.
[[nodiscard]] int resource_of_interval(const Problem& problem, const Stages& paired);

/// One edge with its pairs: what it adds to the first micro-batch, and what it adds to all others.
struct SharedEdge {
    std::vector<int> partner;  ///< position in the right group of each left position
    double once = 0;           ///< seconds of one message each way
    double slowness = 0;       ///< of the slowest pair, seconds a GB
    std::vector<Load> loads;   ///< pairs that cross each resource, as 1 GB a pair
};

/// An edge with given partners.
[[nodiscard]] SharedEdge measured_edge(const Problem& problem,
                                       const Passes& passes,
                                       const std::vector<int>& left,
                                       const std::vector<int>& right,
                                       std::vector<int> partner);

/// The same pairs read from right to left. Costs the same unless the problem is `directed`.
[[nodiscard]] SharedEdge turned(SharedEdge edge);

/// Adds the loads of an edge.
void add_loads(const std::vector<Load>& loads, std::vector<Load>& sum);

/// Costs between all positions of two groups.
[[nodiscard]] core::Grid<double> pairs_between(const PairMatrix& costs,
                                               const std::vector<int>& left,
                                               const std::vector<int>& right);

/// Pairs for the inside of a search: slow ones pay what they would add to the repeats beyond `cap`,
/// and a resource counts as if all edges loaded it like this one. The same for the same two groups
/// in any order of their devices. O(16 D^3).
class SharedEdgeSolver {
public:
    SharedEdgeSolver(const Problem& problem, double cap);
    [[nodiscard]] SharedEdge between(const std::vector<int>& left,
                                     const std::vector<int>& right) const;
    /// Exchange, edges in path order and compute together.
    [[nodiscard]] double total(double exchange,
                               std::span<const SharedEdge> edges,
                               const Stages& stages) const;

private:
    const Problem& problem_;
    Passes passes_;
    PairMatrix soft_;
};

/// Pairs and order of stages, with the stages paired in the answer. Under ever lower caps of the
/// slowest pair, edges are matched for their own sake, for a fair share of every resource, and for
/// the least load; the best path of each kind is bettered by turning stretches around, and at last
/// what follows in two pipelines is exchanged. Depends on the stage groups only, not on their
/// order. Not always the best; how often is in shared_pipeline_test.cpp.
[[nodiscard]] Solved solve_inner_shared(const Problem& problem, const Stages& stages);

}  // namespace longhaul::placement
