// The objective: what a placement costs under the model.
//
//     DataP    = max over stage groups, max over their devices d, of sum over peers of exchange(d,
//     peer) edge     = max over matched pairs of pipeline(d, d') Pipeline = sum of the edges along
//     the path of stages score    = DataP + Pipeline, seconds
//
// Source: geo-placement page, "Architecture" (its factors of two are inside Costs).
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "longhaul/placement/costs.hpp"
#include "longhaul/placement/matching.hpp"
#include "longhaul/placement/path.hpp"

namespace longhaul::placement {

struct Score {
    double data_parallel = 0;
    double pipeline = 0;
    double compute = 0;  ///< 0 where the workload has no compute times
    [[nodiscard]] double total() const { return data_parallel + pipeline + compute; }
};

/// The worst device of a stage group.
struct GroupExchange {
    double seconds = 0;
    int device = -1;
};

/// Data-parallel term of one stage group: worst device, first of equals. O(dp^2).
[[nodiscard]] GroupExchange group_exchange(const PairMatrix& exchange, std::span<const int> group);

/// Score of a placement exactly as it stands: its own pairs, its own order of stages. O(n dp).
[[nodiscard]] Score score_as_mapped(const Costs& costs, const Placement& placement);

/// Stage groups in any order, each any order of its devices.
using Stages = std::vector<std::vector<int>>;

/// P x P matrix of bottleneck matching values between stage groups. O(P^2) matchings; of many
/// devices in few kinds, transports between kinds with the same values.
[[nodiscard]] core::Grid<double> edge_matrix(const PairMatrix& pipeline, const Stages& stages);

/// Score of a partition into stage groups with both inner problems solved exactly; `order` is the
/// path over the groups, exact up to kMaxExactStages stages (see best_path).
struct Solved {
    Score score;
    std::vector<int> order;
    /// Pairs above this slowness (seconds a GB) are not used; no limit unless pipelined.
    double slowness_cap = std::numeric_limits<double>::infinity();
    /// Stages in path order whose position r belongs to pipeline r; only where pairs are more than
    /// bottleneck matchings can tell: pipelined with shared capacity.
    std::vector<std::vector<int>> paired;
};
[[nodiscard]] Solved solve_inner(const Costs& costs, const Stages& stages);

/// The same for stages that a walk has put in order: more than 8 of them keep an order near to it,
/// see bettered_path.
[[nodiscard]] Solved solve_inner_nearby(const Costs& costs, const Stages& stages);

/// The same for the inside of a search: the order of more than 10 stages may not be the best, see
/// quick_path_from.
[[nodiscard]] Solved solve_inner_quickly(const Costs& costs, const Stages& stages);

/// The same for what a problem asks for: its objective, and compute where it has any.
[[nodiscard]] Score score_as_mapped(const Problem& problem, const Placement& placement);
[[nodiscard]] Solved solve_inner(const Problem& problem, const Stages& stages);
[[nodiscard]] Solved solve_inner_quickly(const Problem& problem, const Stages& stages);

/// Stage groups permuted: result[i] = stages[order[i]].
[[nodiscard]] Stages in_order(const Stages& stages, std::span<const int> order);

}  // namespace longhaul::placement
