// What the checker of certificates bounds apart, and the problems that are left then.
#include <algorithm>
#include <limits>

#include "longhaul/placement/check_proof.hpp"
#include "longhaul/placement/replay_compute.hpp"
#include "longhaul/placement/replay_exchange.hpp"

namespace longhaul::placement {
namespace {

constexpr double kTooDear = 1e5;  // times the dearest pair

}  // namespace

double replay_elementary(const Problem& problem) {
    double seconds = ReplayExchange(problem).least();
    if (problem.shape.pp > 1) {
        double cheapest = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < problem.devices(); ++i) {
            for (std::size_t j = 0; j < problem.devices(); ++j) {
                cheapest = i == j ? cheapest : std::min(cheapest, problem.costs.pipeline(i, j));
            }
        }
        seconds += (problem.shape.pp - 1) * cheapest;
    }
    return seconds + parts_apart(problem, true, false);
}

double parts_apart(const Problem& problem, bool compute, bool exchange) {
    double seconds = exchange ? ReplayExchange(problem).least() : 0;
    if (compute) {
        const ReplayCompute least = replay_compute(problem);
        seconds += least.sum + replay_repeats(problem, least, 0);
    }
    return seconds;
}

Problem without_parts(const Problem& problem, bool compute, bool exchange) {
    Problem rest = problem;
    if (compute) {
        rest.terms.objective = Objective::kAdditive;
        rest.workload.stage_seconds.clear();
        rest.workload.layers.clear();
        rest.speed.clear();
        rest.memory_gb.clear();
    }
    if (exchange) {
        rest.exchange.reset();
        rest.shared = {};
        rest.terms.exchange = Exchange::kSharded;
        core::Grid<double> none = problem.costs.exchange.table();
        std::ranges::fill(none.cells(), 0.0);
        rest.costs.exchange = {problem.costs.exchange.kind_of_device(), std::move(none)};
    }
    return rest;
}

Problem under_limit(const Problem& problem, double limit) {
    Problem first = without_parts(problem, true, false);
    core::Grid<double> pairs = problem.costs.pipeline.table();
    const core::Grid<double>& slow = problem.links.slowness.table();
    const double dear = kTooDear * std::max(1e-9, std::ranges::max(pairs.cells()));
    for (std::size_t i = 0; i < pairs.cells().size(); ++i) {
        pairs.cells()[i] += slow.cells()[i] > limit ? dear : 0;
    }
    first.costs.pipeline = {problem.costs.pipeline.kind_of_device(), std::move(pairs)};
    return first;
}

double beside_limit(const Problem& problem, double above) {
    const ReplayCompute compute = replay_compute(problem);
    double next = above < -1 ? 0 : std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < problem.devices() && above >= -1; ++i) {
        for (std::size_t j = 0; j < problem.devices(); ++j) {
            const double slowness = problem.links.slowness(i, j);
            next = i != j && slowness > above ? std::min(next, slowness) : next;
        }
    }
    return next == std::numeric_limits<double>::infinity()
               ? next
               : compute.sum + replay_repeats(problem, compute, next);
}

}  // namespace longhaul::placement
