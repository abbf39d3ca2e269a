#include "longhaul/placement/evaluate.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "longhaul/placement/directed_path.hpp"
#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/kind_transport.hpp"
#include "longhaul/placement/long_path.hpp"
#include "longhaul/placement/memory_fit.hpp"
#include "longhaul/placement/ordered.hpp"
#include "longhaul/placement/pipelined.hpp"
#include "longhaul/placement/tensor.hpp"

namespace longhaul::placement {

GroupExchange group_exchange(const PairMatrix& exchange, std::span<const int> group) {
    GroupExchange worst;
    for (const int device : group) {
        double seconds = 0;
        for (const int peer : group) {
            seconds += exchange(device, peer);  // zero for the device itself
        }
        if (worst.device < 0 || seconds > worst.seconds) {
            worst = {seconds, device};
        }
    }
    return worst;
}

Score score_as_mapped(const Costs& costs, const Placement& placement) {
    Score score;
    const Stages stages = placement.stages();
    for (std::size_t s = 0; s < stages.size(); ++s) {
        score.data_parallel =
            std::max(score.data_parallel, group_exchange(costs.exchange, stages[s]).seconds);
        if (s == 0) {
            continue;
        }
        double edge = 0;
        for (std::size_t r = 0; r < stages[s].size(); ++r) {
            edge = std::max(edge, costs.pipeline(stages[s - 1][r], stages[s][r]));
        }
        score.pipeline += edge;
    }
    return score;
}

namespace {

// Devices from which stages are compared by their counts of kinds: fewer are matched faster.
constexpr std::size_t kMinCounted = 256;

/// Number of devices of each kind in each stage, equal stages once, and which one each stage is.
struct CountedStages {
    CountedStages(const PairMatrix& pipeline, const Stages& stages) {
        std::map<std::vector<int>, int> known;
        for (const std::vector<int>& stage : stages) {
            std::vector<int> row(pipeline.kinds(), 0);
            for (const int device : stage) {
                ++row[pipeline.kind_of_device()[device]];
            }
            const auto [at, fresh] = known.try_emplace(row, static_cast<int>(rows.size()));
            if (fresh) {
                rows.push_back(std::move(row));
            }
            row_of.push_back(at->second);
        }
    }
    std::vector<std::vector<int>> rows;
    std::vector<int> row_of;
};

/// Edges by counts of kinds. Equal to matchings of devices, since a bottleneck is one of the costs.
core::Grid<double> counted_edges(const PairMatrix& pipeline, const Stages& stages) {
    const CountedStages counted(pipeline, stages);
    core::Grid<double> between(counted.rows.size(), counted.rows.size(), -1.0);
    core::Grid<double> edges(stages.size(), stages.size(), 0.0);
    BottleneckTransport transport;
    for (std::size_t s = 0; s < stages.size(); ++s) {
        for (std::size_t t = s + 1; t < stages.size(); ++t) {
            const int a = counted.row_of[s];
            const int b = counted.row_of[t];
            if (between(a, b) < 0) {
                between(a, b) = between(b, a) =
                    transport.solve(pipeline.table(), counted.rows[a], counted.rows[b]);
            }
            edges(s, t) = edges(t, s) = between(a, b);
        }
    }
    return edges;
}

}  // namespace

core::Grid<double> edge_matrix(const PairMatrix& pipeline, const Stages& stages) {
    if (pipeline.size() >= kMinCounted && 4 * pipeline.kinds() <= pipeline.size()) {
        return counted_edges(pipeline, stages);
    }
    core::Grid<double> edges(stages.size(), stages.size(), 0.0);
    BottleneckSolver solver;
    for (std::size_t a = 0; a < stages.size(); ++a) {
        for (std::size_t b = a + 1; b < stages.size(); ++b) {
            edges(a, b) = edges(b, a) = solver.solve(pipeline, stages[a], stages[b]);
        }
    }
    return edges;
}

namespace {

Solved solve_with(const Costs& costs,
                  const Stages& stages,
                  Path (*path_from)(const core::Grid<double>&)) {
    Solved solved;
    for (const std::vector<int>& group : stages) {
        solved.score.data_parallel =
            std::max(solved.score.data_parallel, group_exchange(costs.exchange, group).seconds);
    }
    Path path = path_from(edge_matrix(costs.pipeline, stages));
    solved.score.pipeline = path.length;
    solved.order = std::move(path.order);
    return solved;
}

}  // namespace

Solved solve_inner(const Costs& costs, const Stages& stages) {
    return solve_with(costs, stages, best_path_from);
}

Solved solve_inner_nearby(const Costs& costs, const Stages& stages) {
    return solve_with(costs, stages, bettered_path);
}

Solved solve_inner_quickly(const Costs& costs, const Stages& stages) {
    return solve_with(costs, stages, quick_path_from);
}

namespace {

/// Whether compute depends on more of the order than its direction.
bool order_matters(const Problem& problem) {
    return (!problem.speed.empty() || !problem.memory_gb.empty()) &&
           (!problem.workload.layers.empty() || problem.workload.stage_seconds.size() > 1);
}

double length_of(const core::Grid<double>& edges, const std::vector<int>& order) {
    double length = 0;
    for (std::size_t s = 1; s < order.size(); ++s) {
        length += edges(order[s - 1], order[s]);
    }
    return length;
}

/// Takes an order of stages when it costs less in pipeline and compute together.
bool take_if_better(const Problem& problem,
                    const Stages& stages,
                    const core::Grid<double>& edges,
                    const std::vector<int>& order,
                    Solved& solved) {
    const double length = length_of(edges, order);
    const double now = solved.score.pipeline + solved.score.compute;
    if (length >= now) {
        return false;
    }
    const double compute = compute_alone(problem, in_order(stages, order));
    if (length + compute >= now - 1e-12 * scale_of(now)) {
        return false;
    }
    solved.score.pipeline = length;
    solved.score.compute = compute;
    solved.order = order;
    return true;
}

/// Two stages change places or a stretch is turned around as long as that helps.
void better_order(const Problem& problem,
                  const Stages& stages,
                  const core::Grid<double>& edges,
                  Solved& solved) {
    for (bool better = true; better;) {
        better = false;
        for (std::size_t i = 0; i < stages.size(); ++i) {
            for (std::size_t j = i + 1; j < stages.size(); ++j) {
                std::vector<int> order = solved.order;
                std::swap(order[i], order[j]);
                better = take_if_better(problem, stages, edges, order, solved) || better;
                order = solved.order;
                std::reverse(order.begin() + static_cast<std::ptrdiff_t>(i),
                             order.begin() + static_cast<std::ptrdiff_t>(j) + 1);
                better = take_if_better(problem, stages, edges, order, solved) || better;
            }
        }
    }
}

/// Sets the compute term. A path may be walked from either end, and compute can tell them apart;
/// where it depends on the whole order, that is bettered from the shortest path, from the order
/// that stages are given in, and where the layers fit neither from an order that they fit.
void order_for_compute(const Problem& problem,
                       const Stages& stages,
                       const core::Grid<double>& edges,
                       Solved& solved) {
    solved.score.compute = compute_alone(problem, in_order(stages, solved.order));
    std::vector<int> backwards(solved.order.rbegin(), solved.order.rend());
    take_if_better(problem, stages, edges, backwards, solved);
    if (!order_matters(problem)) {
        return;
    }
    better_order(problem, stages, edges, solved);
    std::vector<int> as_given(stages.size());
    std::iota(as_given.begin(), as_given.end(), 0);
    if (take_if_better(problem, stages, edges, as_given, solved)) {
        better_order(problem, stages, edges, solved);
    }
    if (solved.score.compute >= kDoesNotFit) {
        const std::vector<int> fitting = fitting_order(problem, stages, kFitWorkOfOrder);
        if (!fitting.empty() && take_if_better(problem, stages, edges, fitting, solved)) {
            better_order(problem, stages, edges, solved);
        }
    }
}

}  // namespace

Score score_as_mapped(const Problem& problem, const Placement& placement) {
    if (problem.shape.tp > 1) {
        const Problem unit = grouped(problem, groups_of(placement));
        std::vector<int> cells(unit.shape.cells());
        std::iota(cells.begin(), cells.end(), 0);
        return score_as_mapped(unit, Placement(unit.shape, std::move(cells)));
    }
    if (problem.terms.objective == Objective::kPipelined) {
        return pipelined_as_mapped(problem, placement);
    }
    Score score = score_as_mapped(problem.costs, placement);
    if (problem.exchange) {
        score.data_parallel = data_parallel(problem, placement.stages()).seconds;
    }
    if (!problem.shared.empty()) {
        score.pipeline = contended_as_mapped(problem, placement.stages());
    }
    score.compute = compute_alone(problem, placement.stages());
    return score;
}

Solved solve_inner_quickly(const Problem& problem, const Stages& stages) {
    if (problem.terms.objective == Objective::kPipelined) {
        return solve_inner_pipelined_quickly(problem, stages);
    }
    return !problem.exchange && !has_compute(problem) ? solve_inner_quickly(problem.costs, stages)
                                                      : solve_inner(problem, stages);
}

Solved solve_inner(const Problem& problem, const Stages& stages) {
    if (problem.terms.objective == Objective::kPipelined) {
        return solve_inner_pipelined(problem, stages);
    }
    if (!problem.exchange && !has_compute(problem)) {
        return solve_inner(problem.costs, stages);
    }
    const core::Grid<double> edges = problem.shared.empty()
                                         ? edge_matrix(problem.costs.pipeline, stages)
                                         : contended_edges(problem, stages);
    Path path = best_directed_path(edges);
    Solved solved;
    solved.score.data_parallel = data_parallel(problem, stages).seconds;
    solved.score.pipeline = path.length;
    solved.order = std::move(path.order);
    if (has_compute(problem)) {
        order_for_compute(problem, stages, edges, solved);
    }
    return solved;
}

Stages in_order(const Stages& stages, std::span<const int> order) {
    Stages ordered;
    ordered.reserve(order.size());
    for (const int stage : order) {
        ordered.push_back(stages[stage]);
    }
    return ordered;
}

}  // namespace longhaul::placement
