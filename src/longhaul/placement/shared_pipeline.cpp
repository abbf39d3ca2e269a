#include "longhaul/placement/shared_pipeline.hpp"

#include <algorithm>

#include "longhaul/placement/group_terms.hpp"

namespace longhaul::placement {

void add_loads(const std::vector<Load>& loads, std::vector<Load>& sum) {
    for (std::size_t r = 0; r < loads.size(); ++r) {
        sum[r].there += loads[r].there;
        sum[r].back += loads[r].back;
    }
}

SharedEdge measured_edge(const Problem& problem,
                         const Passes& passes,
                         const std::vector<int>& left,
                         const std::vector<int>& right,
                         std::vector<int> partner) {
    SharedEdge edge;
    edge.partner = std::move(partner);
    std::vector<int> joined;
    for (std::size_t i = 0; i < left.size(); ++i) {
        joined.push_back(right[edge.partner[i]]);
        edge.once = std::max(edge.once, problem.costs.pipeline(left[i], joined[i]));
        edge.slowness = std::max(edge.slowness, problem.links.slowness(left[i], joined[i]));
    }
    edge.once =
        std::max(edge.once,
                 problem.shared.edge(left, joined, passes.forward_gb, passes.backward_gb).seconds);
    problem.shared.add_pairs(left, joined, 1, edge.loads);
    return edge;
}

SharedEdge turned(SharedEdge edge) {
    std::vector<int> back(edge.partner.size());
    for (std::size_t i = 0; i < back.size(); ++i) {
        back[edge.partner[i]] = static_cast<int>(i);
    }
    edge.partner = std::move(back);
    for (Load& load : edge.loads) {
        std::swap(load.there, load.back);
    }
    return edge;
}

core::Grid<double> pairs_between(const PairMatrix& costs,
                                 const std::vector<int>& left,
                                 const std::vector<int>& right) {
    core::Grid<double> pairs(left.size(), right.size());
    for (std::size_t i = 0; i < left.size(); ++i) {
        for (std::size_t j = 0; j < right.size(); ++j) {
            pairs(i, j) = costs(left[i], right[j]);
        }
    }
    return pairs;
}

Contended steady_load(const Problem& problem, const Stages& paired) {
    std::vector<Load> sum(problem.shared.size());
    for (std::size_t s = 1; s < paired.size(); ++s) {
        problem.shared.add_pairs(paired[s - 1], paired[s], 1, sum);
    }
    return problem.shared.slower_pass(sum);
}

int resource_of_interval(const Problem& problem, const Stages& paired) {
    if (problem.shared.empty() || problem.terms.objective != Objective::kPipelined) {
        return -1;
    }
    double slowest = 0;
    for (std::size_t s = 1; s < paired.size(); ++s) {
        for (std::size_t r = 0; r < paired[s].size(); ++r) {
            slowest = std::max(slowest, problem.links.slowness(paired[s - 1][r], paired[s][r]));
        }
    }
    const Passes passes = passes_of(problem.workload, problem.terms);
    const StageCompute compute = stage_compute(problem, paired);
    const Contended busiest = steady_load(problem, paired);
    return repeats(passes, compute, std::max(slowest, busiest.seconds)) >
                   repeats(passes, compute, slowest)
               ? busiest.resource
               : -1;
}

SharedEdgeSolver::SharedEdgeSolver(const Problem& problem, double cap)
    : problem_(problem),
      passes_(passes_of(problem.workload, problem.terms)),
      soft_(softly_capped(problem.costs.pipeline, problem.links.slowness, cap, passes_, {})) {}

SharedEdge SharedEdgeSolver::between(const std::vector<int>& left,
                                     const std::vector<int>& right) const {
    std::vector<int> from = left;
    std::vector<int> to = right;
    std::ranges::sort(from);
    std::ranges::sort(to);
    const bool backwards = to.front() < from.front();
    Passes passes = passes_;
    if (backwards) {
        std::swap(from, to);
        std::swap(passes.forward_gb, passes.backward_gb);
    }
    const auto share = static_cast<double>(problem_.shape.pp - 1);
    const ContendedEdge found = problem_.shared.match(pairs_between(soft_, from, to),
                                                      from,
                                                      to,
                                                      share * passes.forward_gb,
                                                      share * passes.backward_gb);
    SharedEdge edge = measured_edge(problem_, passes, from, to, found.partner);
    return backwards ? turned(std::move(edge)) : edge;
}

double SharedEdgeSolver::total(double exchange,
                               std::span<const SharedEdge> edges,
                               const Stages& stages) const {
    double once = 0;
    double slowest = 0;
    std::vector<Load> sum(problem_.shared.size());
    for (const SharedEdge& edge : edges) {
        once += edge.once;
        slowest = std::max(slowest, edge.slowness);
        add_loads(edge.loads, sum);
    }
    return pipelined_score(exchange,
                           once,
                           std::max(slowest, problem_.shared.slower_pass(sum).seconds),
                           passes_,
                           stage_compute(problem_, stages))
        .total();
}

}  // namespace longhaul::placement
