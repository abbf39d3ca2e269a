#include "longhaul/placement/ordered.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/pipelined.hpp"
#include "longhaul/placement/reduction_tree.hpp"

namespace longhaul::placement {
namespace {

constexpr double kNotUsed = 1e50;        // far above any seconds of a pair that readers take
constexpr double kLeastShortage = 1e-9;  // of kDoesNotFit
constexpr int kMostCapsInOrder = 200;
constexpr int kHalvingsOfCap = 40;
constexpr std::uint64_t kTermsCost = 8;
constexpr std::uint64_t kPipelinedCost = 32;
constexpr std::uint64_t kHeuristicExchangeCost = 16;

/// One edge: partner positions, the seconds of its slowest pair, and its slowness.
struct OrderedEdge {
    std::vector<int> partner;
    double seconds = 0;
    double slowness = 0;
};

/// Pairs of the least bottleneck with slowness at most `cap`, and of those the fastest slowest one.
OrderedEdge edge_under_cap(const Problem& problem,
                           const std::vector<int>& left,
                           const std::vector<int>& right,
                           double cap,
                           BottleneckSolver& solver) {
    const std::size_t n = left.size();
    core::Grid<double> pairs(n, n);
    core::Grid<double> slow(n, n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            slow(i, j) = problem.links.slowness(left[i], right[j]);
            pairs(i, j) = slow(i, j) <= cap ? problem.costs.pipeline(left[i], right[j]) : kNotUsed;
        }
    }
    OrderedEdge edge;
    edge.seconds = solver.solve(pairs);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            slow(i, j) = pairs(i, j) <= edge.seconds ? slow(i, j) : kNotUsed;
        }
    }
    edge.slowness = solver.solve(slow);
    edge.partner.assign(solver.partner().begin(), solver.partner().end());
    return edge;
}

/// The same with shared capacity: pairs above the cap cost too much to be used.
OrderedEdge shared_edge_under_cap(const Problem& capped_problem,
                                  const std::vector<int>& left,
                                  const std::vector<int>& right) {
    const ContendedEdge found = contended_edge(capped_problem, left, right);
    OrderedEdge edge{found.partner, found.seconds(), 0};
    for (std::size_t i = 0; i < left.size(); ++i) {
        const int partner = right[static_cast<std::size_t>(found.partner[i])];
        edge.slowness = std::max(edge.slowness, capped_problem.links.slowness(left[i], partner));
    }
    return edge;
}

/// The stages with devices in the order of the pairs, the first stage as it is.
Stages paired_by(const Stages& stages, const std::vector<OrderedEdge>& edges) {
    Stages paired{stages.front()};
    std::vector<int> at(stages.front().size());
    for (std::size_t i = 0; i < at.size(); ++i) {
        at[i] = static_cast<int>(i);
    }
    for (std::size_t s = 1; s < stages.size(); ++s) {
        std::vector<int>& next = paired.emplace_back();
        for (int& place : at) {
            place = edges[s].partner[static_cast<std::size_t>(place)];
            next.push_back(stages[s][static_cast<std::size_t>(place)]);
        }
    }
    return paired;
}

Score score_of(const Problem& problem, const Stages& paired) {
    return score_as_mapped(problem, Placement::from_stages(paired, problem.devices()));
}

/// Largest cap below `slowest` under which repeats take less than `room`; at worst the next lower
/// number.
double lower_cap(const Passes& passes, double slowest, double room) {
    double low = 0;
    double high = std::nextafter(slowest, 0.0);
    if (repeats(passes, {}, high) < room) {
        return high;
    }
    for (int i = 0; i < kHalvingsOfCap; ++i) {
        const double middle = (low + high) / 2;
        (repeats(passes, {}, middle) < room ? low : high) = middle;
    }
    return high;
}

std::vector<OrderedEdge> edges_under_cap(const Problem& problem, const Stages& stages, double cap) {
    std::vector<OrderedEdge> edges(stages.size());
    BottleneckSolver solver;
    if (problem.shared.empty()) {
        for (std::size_t s = 1; s < stages.size(); ++s) {
            edges[s] = edge_under_cap(problem, stages[s - 1], stages[s], cap, solver);
        }
        return edges;
    }
    Problem under = problem;
    if (std::isfinite(cap)) {
        under.costs.pipeline = capped(problem.costs.pipeline, problem.links.slowness, cap);
    }
    for (std::size_t s = 1; s < stages.size(); ++s) {
        edges[s] = shared_edge_under_cap(under, stages[s - 1], stages[s]);
        edges[s].seconds = edges[s].slowness > cap ? kNotUsed : edges[s].seconds;
    }
    return edges;
}

Ordered solve_in_order_pipelined(const Problem& problem, const Stages& stages) {
    const Passes passes = passes_of(problem.workload, problem.terms);
    Ordered best;
    double cap = std::numeric_limits<double>::infinity();
    double fixed = 0;  // of the score whatever the pairs
    for (int i = 0; i < kMostCapsInOrder; ++i) {
        const std::vector<OrderedEdge> edges = edges_under_cap(problem, stages, cap);
        double sum = 0;
        double slowest = 0;
        for (std::size_t s = 1; s < edges.size(); ++s) {
            sum += edges[s].seconds;
            slowest = std::max(slowest, edges[s].slowness);
        }
        if (sum >= kNotUsed || (i > 0 && fixed + sum >= best.score.total())) {
            break;
        }
        Stages paired = paired_by(stages, edges);
        const Score score = score_of(problem, paired);
        if (i == 0) {
            fixed = score.data_parallel + score.compute;
        }
        if (i == 0 || score.total() < best.score.total()) {
            best = {std::move(paired), score};
        }
        if (slowest <= 0) {
            break;
        }
        cap = lower_cap(passes, slowest, best.score.total() - score.data_parallel - sum);
    }
    return best;
}

}  // namespace

bool pairs_make_the_score(const Problem& problem) {
    return problem.terms.objective == Objective::kAdditive && !problem.exchange &&
           !has_compute(problem) && problem.shared.empty();
}

std::uint64_t evaluation_cost(const Problem& problem) {
    if (pairs_make_the_score(problem)) {
        return 1;
    }
    std::uint64_t cost =
        problem.terms.objective == Objective::kPipelined ? kPipelinedCost : kTermsCost;
    const bool searched =
        problem.terms.exchange == Exchange::kTree || problem.terms.exchange == Exchange::kRing;
    if (searched && problem.shape.dp > static_cast<int>(kMaxExactTree)) {
        cost *= kHeuristicExchangeCost;
    }
    return cost;
}

double scale_of(double total) {
    return total >= kDoesNotFit ? std::max(total - kDoesNotFit, kDoesNotFit * kLeastShortage)
                                : total;
}

Ordered solve_in_order(const Problem& problem, const Stages& stages) {
    if (problem.terms.objective == Objective::kPipelined) {
        return solve_in_order_pipelined(problem, stages);
    }
    std::vector<OrderedEdge> edges(stages.size());
    BottleneckSolver solver;
    for (std::size_t s = 1; s < stages.size(); ++s) {
        if (problem.shared.empty()) {
            edges[s].seconds = solver.solve(problem.costs.pipeline, stages[s - 1], stages[s]);
            edges[s].partner.assign(solver.partner().begin(), solver.partner().end());
        } else {
            edges[s].partner = contended_edge(problem, stages[s - 1], stages[s]).partner;
        }
    }
    Ordered ordered{paired_by(stages, edges), {}};
    ordered.score = score_of(problem, ordered.paired);
    return ordered;
}

OrderedScore::OrderedScore(const Problem& problem, const Stages& stages) : problem_(problem) {
    parts_.exchange.resize(stages.size());
    const bool whole = problem.terms.objective == Objective::kPipelined;
    parts_.loads.resize(problem.shared.empty() || whole ? 0 : stages.size());
    parts_.edges.assign(stages.size(), 0);
    for (std::size_t s = 0; s < stages.size(); ++s) {
        update_group(stages, s);
        update_edge(stages, s);
    }
    update_rest(stages);
    total_ = sum();
    kept_ = parts_;
    kept_total_ = total_;
}

void OrderedScore::update(const Stages& stages, std::size_t a, std::size_t b) {
    kept_ = parts_;
    kept_total_ = total_;
    for (const std::size_t s : {a, b}) {
        if (s < stages.size()) {
            update_group(stages, s);
            update_edge(stages, s);
            update_edge(stages, s + 1);
        }
    }
    update_rest(stages);
    total_ = sum();
}

void OrderedScore::restore() {
    std::swap(parts_, kept_);
    total_ = kept_total_;
}

void OrderedScore::update_group(const Stages& stages, std::size_t s) {
    if (problem_.terms.objective == Objective::kPipelined) {
        return;
    }
    parts_.exchange[s] = group_seconds(problem_, stages[s]);
    if (!problem_.shared.empty()) {
        parts_.loads[s].assign(problem_.shared.size(), {});
        problem_.shared.add(problem_.exchange->plan(stages[s]), parts_.loads[s]);
    }
}

/// Edge from stage s - 1 to stage s.
void OrderedScore::update_edge(const Stages& stages, std::size_t s) {
    if (problem_.terms.objective == Objective::kPipelined || s == 0 || s >= stages.size()) {
        return;
    }
    parts_.edges[s] = problem_.shared.empty()
                          ? solver_.solve(problem_.costs.pipeline, stages[s - 1], stages[s])
                          : contended_edge(problem_, stages[s - 1], stages[s]).seconds();
}

void OrderedScore::update_rest(const Stages& stages) {
    parts_.rest = problem_.terms.objective == Objective::kPipelined
                      ? solve_in_order_pipelined(problem_, stages).score.total()
                      : compute_alone(problem_, stages);
}

double OrderedScore::sum() const {
    double exchange = std::ranges::max(parts_.exchange);
    if (!parts_.loads.empty()) {
        std::vector<Load> all(problem_.shared.size());
        for (const std::vector<Load>& loads : parts_.loads) {
            for (std::size_t r = 0; r < all.size(); ++r) {
                all[r].there += loads[r].there;
                all[r].back += loads[r].back;
            }
        }
        exchange = std::max(exchange, problem_.shared.slowest(all).seconds);
    }
    double total = exchange + parts_.rest;
    for (const double edge : parts_.edges) {
        total += edge;
    }
    return total;
}

}  // namespace longhaul::placement
