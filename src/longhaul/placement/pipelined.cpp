#include "longhaul/placement/pipelined.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/long_path.hpp"
#include "longhaul/placement/memory_fit.hpp"
#include "longhaul/placement/ordered.hpp"
#include "longhaul/placement/shared_pipeline.hpp"

namespace longhaul::placement {
namespace {

constexpr double kForbidden = 1e15;  // far above any slowness
// Times the dearest pair: above any path of a hundred thousand stages, and small enough that sums
// of it keep their digits.
constexpr double kForbiddenShare = 1e5;

double forbidden_price(const PairMatrix& once) {
    double dearest = 1e-9;
    for (const double seconds : once.table().cells()) {
        dearest = std::max(dearest, seconds);
    }
    return kForbiddenShare * dearest;
}

/// The slowest pair that some pairs within the bottleneck of every edge must use.
double slowest_pair(const Problem& problem, const PairMatrix& once, const Stages& ordered) {
    BottleneckSolver solver;
    double slowest = 0;
    for (std::size_t s = 1; s < ordered.size(); ++s) {
        const double edge = solver.solve(once, ordered[s - 1], ordered[s]);
        core::Grid<double> pairs(ordered[s].size(), ordered[s].size());
        for (std::size_t i = 0; i < pairs.rows(); ++i) {
            for (std::size_t j = 0; j < pairs.columns(); ++j) {
                const int from = ordered[s - 1][i];
                const int to = ordered[s][j];
                pairs(i, j) =
                    once(from, to) <= edge ? problem.links.slowness(from, to) : kForbidden;
            }
        }
        slowest = std::max(slowest, solver.solve(pairs));
    }
    return slowest;
}

}  // namespace

Passes passes_of(const workload::Workload& workload, const Terms& terms) {
    Passes passes;
    const int limit = workload.microbatches.value_or(std::numeric_limits<int>::max());
    passes.forward_units = std::min(workload.pp_messages, limit);
    passes.backward_units =
        std::min(workload.pp_backward_messages.value_or(workload.pp_messages), limit);
    passes.forward_gb = workload.c_pp.value() / passes.forward_units;
    passes.backward_gb =
        workload.c_pp_backward.value_or(workload.c_pp).value() / passes.backward_units;
    passes.forward_share = terms.forward_share;
    return passes;
}

PairMatrix first_micro_batch(const fabric::Links& links, const Passes& passes) {
    return combined(2, links.latency_s, passes.forward_gb + passes.backward_gb, links.slowness);
}

StageCompute stage_compute(const Problem& problem, const Stages& stages) {
    StageCompute compute;
    const Passes passes = passes_of(problem.workload, problem.terms);
    for (const double whole : stage_seconds(problem, stages)) {
        const double forward = whole * passes.forward_share / passes.forward_units;
        const double backward = whole * (1 - passes.forward_share) / passes.backward_units;
        compute.sum += forward + backward;
        compute.forward_max = std::max(compute.forward_max, forward);
        compute.backward_max = std::max(compute.backward_max, backward);
    }
    return compute;
}

double repeats(const Passes& passes, const StageCompute& compute, double slowness) {
    return (passes.forward_units - 1) *
               std::max(passes.forward_gb * slowness, compute.forward_max) +
           (passes.backward_units - 1) *
               std::max(passes.backward_gb * slowness, compute.backward_max);
}

PairMatrix capped(const PairMatrix& once, const PairMatrix& slowness, double cap) {
    core::Grid<double> table = once.table();
    const double price = forbidden_price(once);
    for (std::size_t i = 0; i < table.cells().size(); ++i) {
        table.cells()[i] += slowness.table().cells()[i] > cap ? price : 0;
    }
    return {once.kind_of_device(), std::move(table)};
}

PairMatrix softly_capped(const PairMatrix& once,
                         const PairMatrix& slowness,
                         double cap,
                         const Passes& passes,
                         const StageCompute& compute) {
    core::Grid<double> table = once.table();
    const double free = repeats(passes, compute, cap);
    for (std::size_t i = 0; i < table.cells().size(); ++i) {
        table.cells()[i] +=
            std::max(0.0, repeats(passes, compute, slowness.table().cells()[i]) - free);
    }
    return {once.kind_of_device(), std::move(table)};
}

Score pipelined_score(double exchange,
                      double edges,
                      double slowest,
                      const Passes& passes,
                      const StageCompute& compute) {
    const double alone = repeats(passes, compute, 0);
    return {exchange, edges + repeats(passes, compute, slowest) - alone, compute.sum + alone};
}

Score pipelined_as_mapped(const Problem& problem, const Placement& placement) {
    const Stages stages = placement.stages();
    double edges = 0;
    double slowest = 0;
    for (std::size_t s = 1; s < stages.size(); ++s) {
        double edge = 0;
        for (std::size_t r = 0; r < stages[s].size(); ++r) {
            edge = std::max(edge, problem.costs.pipeline(stages[s - 1][r], stages[s][r]));
            slowest = std::max(slowest, problem.links.slowness(stages[s - 1][r], stages[s][r]));
        }
        edges += problem.shared.empty() ? edge : mapped_edge(problem, stages[s - 1], stages[s]);
    }
    slowest = std::max(slowest, steady_load(problem, stages).seconds);
    return pipelined_score(data_parallel(problem, stages).seconds,
                           edges,
                           slowest,
                           passes_of(problem.workload, problem.terms),
                           stage_compute(problem, stages));
}

double useful_cap(const Passes& passes, double slowest, double room) {
    double low = 0;
    double high = std::nextafter(slowest, 0.0);
    if (repeats(passes, {}, high) < room) {
        return high;
    }
    for (int i = 0; i < 40; ++i) {
        const double middle = (low + high) / 2;
        (repeats(passes, {}, middle) < room ? low : high) = middle;
    }
    return high;  // rounded up: a cap too high costs time, one too low would miss placements
}

namespace {

/// Stages whose best path is quick: every cap that may matter is tried, the highest first.
constexpr std::size_t kEveryCapStages = 12;
constexpr std::size_t kEveryCapQuickly = 8;
constexpr std::size_t kQuickCaps = 64;  // of those that may matter, inside a search

/// The best pairs and order of given stages under caps of the slowest pair. Under a lower cap the
/// edges take no less, and what follows the first micro-batch takes no less than pairs at the
/// lowest cap let it.
class CappedPaths {
public:
    /// The exchange takes `exchange` seconds.
    CappedPaths(const Problem& problem, const Stages& stages, double exchange)
        : problem_(problem),
          stages_(stages),
          exchange_(exchange),
          passes_(passes_of(problem.workload, problem.terms)),
          forbidden_(forbidden_price(problem.costs.pipeline)) {
        if (problem.workload.layers.empty() &&
            (problem.speed.empty() || problem.workload.stage_seconds.size() <= 1)) {
            least_ = stage_compute(problem, stages);  // whatever the order
        }
    }

    /// Each cap lower than the last.
    Solved one_by_one() && {
        double cap = std::numeric_limits<double>::infinity();
        while (true) {
            const Tried tried = under(cap, false);
            if (tried.slowest <= 0 || exchange_ + tried.length >= best_.score.total()) {
                return std::move(best_);  // no pair can be faster, or no cap better
            }
            cap =
                useful_cap(passes_, tried.slowest, best_.score.total() - exchange_ - tried.length);
        }
    }

    /// Caps in halves: the same with far fewer paths. Quick paths serve where others are not exact
    /// either, and where all is to be quick; else the order under the best cap is bettered at last.
    Solved by_halves(bool all_quick) && {
        const std::vector<double> caps = slowness_levels(
            problem_, all_quick ? kQuickCaps : std::numeric_limits<std::size_t>::max());
        const bool quick = all_quick || stages_.size() > static_cast<std::size_t>(kMaxExactStages);
        const Tried open = under(std::numeric_limits<double>::infinity(), quick);
        between(caps, 0, first_at(caps, open.slowest), open.length, quick);
        if (quick && !all_quick) {
            (void)under(best_.slowness_cap, false);
        }
        return std::move(best_);
    }

private:
    struct Tried {
        double length = 0;   ///< of the path
        double slowest = 0;  ///< pair on it; 0 where no path is within the cap
    };

    static std::size_t first_at(const std::vector<double>& caps, double slowest) {
        return static_cast<std::size_t>(std::ranges::lower_bound(caps, slowest) - caps.begin());
    }

    Tried under(double cap, bool quick) {
        const PairMatrix once = cap == std::numeric_limits<double>::infinity()
                                    ? problem_.costs.pipeline
                                    : capped(problem_.costs.pipeline, problem_.links.slowness, cap);
        const core::Grid<double> edges = edge_matrix(once, stages_);
        const Path path = quick ? quick_path_from(edges) : best_path(edges);
        // Under a lower cap the first micro-batch takes no less.
        if (path.length >= forbidden_) {
            return {path.length, 0};
        }
        const Stages ordered = in_order(stages_, path.order);
        const double slowest = slowest_pair(problem_, once, ordered);
        for (const bool turned : {false, true}) {
            std::vector<int> order = path.order;
            if (turned) {
                std::ranges::reverse(order);
            }
            const Score score = pipelined_score(exchange_,
                                                path.length,
                                                slowest,
                                                passes_,
                                                stage_compute(problem_, in_order(stages_, order)));
            if (best_.order.empty() || score.total() < best_.score.total()) {
                best_ = {score, std::move(order), slowest, {}};
            }
        }
        return {path.length, slowest};
    }

    /// Caps number `low` to `high` - 1, under which no path is shorter than `length`.
    void between(const std::vector<double>& caps,
                 std::size_t low,
                 std::size_t high,
                 double length,
                 bool quick) {
        if (low >= high || exchange_ + length + least_.sum + repeats(passes_, least_, caps[low]) >=
                               best_.score.total()) {
            return;
        }
        const std::size_t middle = low + (high - low) / 2;
        const Tried tried = under(caps[middle], quick);
        if (tried.slowest > 0) {  // else no lower cap leaves a path either
            const double longer = std::max(length, tried.length);
            between(caps, low, first_at(caps, tried.slowest), longer, quick);
        }
        between(caps, middle + 1, high, length, quick);
    }

    const Problem& problem_;
    const Stages& stages_;
    double exchange_;
    Passes passes_;
    double forbidden_;
    StageCompute least_;
    Solved best_;
};

Solved solve_under_caps(const Problem& problem, const Stages& stages, double exchange, bool quick) {
    CappedPaths paths(problem, stages, exchange);
    return stages.size() <= (quick ? kEveryCapQuickly : kEveryCapStages)
               ? std::move(paths).one_by_one()
               : std::move(paths).by_halves(quick);
}

Solved solve_any_order(const Problem& problem, const Stages& stages, bool quick) {
    constexpr std::size_t kManyKinds = 4;  // for each device that is used
    if (!problem.shared.empty()) {
        return solve_inner_shared(problem, stages);
    }
    const double exchange = data_parallel(problem, stages).seconds;
    if (problem.costs.pipeline.kinds() <= kManyKinds * problem.shape.devices()) {
        return solve_under_caps(problem, stages, exchange, quick);
    }
    // Tables of a large fabric take longer than its few devices that count.
    std::vector<int> devices;
    Stages numbered = stages;
    for (std::vector<int>& group : numbered) {
        for (int& device : group) {
            devices.push_back(device);
            device = static_cast<int>(devices.size()) - 1;
        }
    }
    return solve_under_caps(restricted_to_pairs(problem, devices), numbered, exchange, quick);
}

/// Takes an order of stages when it costs less.
void offer_order(const Problem& problem,
                 const Stages& stages,
                 const std::vector<int>& order,
                 Solved& solved) {
    const Ordered ordered = solve_in_order(problem, in_order(stages, order));
    if (ordered.score.total() >= solved.score.total()) {
        return;
    }
    double slowest = 0;
    for (std::size_t s = 1; s < ordered.paired.size(); ++s) {
        for (std::size_t r = 0; r < ordered.paired[s].size(); ++r) {
            slowest = std::max(
                slowest, problem.links.slowness(ordered.paired[s - 1][r], ordered.paired[s][r]));
        }
    }
    solved = {ordered.score, order, slowest, problem.shared.empty() ? Stages() : ordered.paired};
}

/// Orders that the links alone do not ask for, where they may be the ones that memory can hold:
/// the one that stages are given in, and when that does not fit either one that does.
void fit_order(const Problem& problem, const Stages& stages, bool quick, Solved& solved) {
    const bool fits = solved.score.compute < kDoesNotFit;
    if ((quick && fits) || !memory_matters(problem)) {
        return;
    }
    if (!divide(problem, stages).missing) {
        std::vector<int> as_given(stages.size());
        std::iota(as_given.begin(), as_given.end(), 0);
        offer_order(problem, stages, as_given, solved);
    } else if (!quick && !fits) {
        const std::vector<int> order = fitting_order(problem, stages, kFitWorkOfOrder);
        if (!order.empty()) {
            offer_order(problem, stages, order, solved);
        }
    }
}

Solved solve_pipelined(const Problem& problem, const Stages& stages, bool quick) {
    Solved solved = solve_any_order(problem, stages, quick);
    fit_order(problem, stages, quick, solved);
    return solved;
}

}  // namespace

Solved solve_inner_pipelined(const Problem& problem, const Stages& stages) {
    return solve_pipelined(problem, stages, false);
}

Solved solve_inner_pipelined_quickly(const Problem& problem, const Stages& stages) {
    return solve_pipelined(problem, stages, true);
}

std::vector<double> slowness_levels(const Problem& problem, std::size_t most) {
    const PairMatrix& slowness = problem.links.slowness;
    std::vector<int> members(slowness.kinds(), 0);
    for (const int kind : slowness.kind_of_device()) {
        ++members[kind];
    }
    std::vector<double> levels;
    for (std::size_t a = 0; a < slowness.kinds(); ++a) {
        for (std::size_t b = a; b < slowness.kinds(); ++b) {
            if (members[a] > 0 && members[b] > (a == b ? 1 : 0)) {
                levels.push_back(slowness.table()(a, b));
            }
        }
    }
    std::ranges::sort(levels);
    levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
    if (levels.size() <= most) {
        return levels;
    }
    std::vector<double> spread;
    for (std::size_t i = 0; i < most; ++i) {
        spread.push_back(levels[i * (levels.size() - 1) / (most - 1)]);
    }
    return spread;
}

}  // namespace longhaul::placement
