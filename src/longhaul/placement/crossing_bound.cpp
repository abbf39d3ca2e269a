#include "longhaul/placement/crossing_bound.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "longhaul/placement/bounds.hpp"
#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/least_compute.hpp"
#include "longhaul/placement/pipelined.hpp"

namespace longhaul::placement {
namespace {

bool all_on_a_side(const std::vector<int>& side) {
    return std::ranges::all_of(side, [](int s) { return s == 1 || s == 2; });
}

/// Fewest parted pairs of all stages whose counts lie within `range` of each other.
long long fewest_within(Shape shape, int devices, int range) {
    long long fewest = -1;
    for (int low = 0; low + range <= shape.dp; ++low) {
        const long long pairs = fewest_parted_pairs(shape.pp, shape.dp, devices, low, low + range);
        fewest = fewest < 0 || (pairs >= 0 && pairs < fewest) ? pairs : fewest;
    }
    return fewest;
}

}  // namespace

long long fewest_parted_pairs(int stages, int dp, int devices, int low, int high) {
    if (devices < stages * low || devices > stages * high) {
        return -1;
    }
    const auto parted = [dp](int a) { return static_cast<long long>(a) * (dp - a); };
    if (high == low) {
        return stages * parted(low);
    }
    const int above = devices - stages * low;
    const int full = above / (high - low);
    const int rest = above % (high - low);
    return full * parted(high) + (rest > 0 ? parted(low + rest) : 0) +
           (stages - full - (rest > 0 ? 1 : 0)) * parted(low);
}

CrossingBound crossing_bound(const Problem& problem, double first) {
    CrossingBound best;
    const Shape shape = problem.shape;
    if (problem.terms.objective != Objective::kPipelined ||
        problem.terms.exchange != Exchange::kSharded || shape.pp < 2 ||
        problem.devices() != shape.devices()) {
        return best;
    }
    const NearestCosts nearest = nearest_costs(problem.costs, shape.dp);
    const Passes passes = passes_of(problem.workload, problem.terms);
    const StageCompute compute = least_compute(problem);
    const double edges = (shape.pp - 1) * nearest.pipeline;
    const double exchange = data_parallel_bound(problem);
    const double slowness = slowness_levels(problem, 2).front();
    const double pair_gb = 2 * problem.workload.c_dp.value() / shape.dp;
    for (std::size_t r = 0; r < problem.shared.size(); ++r) {
        const std::vector<int>& side = problem.shared.sides()[r];
        if (!all_on_a_side(side)) {
            continue;
        }
        const auto devices = static_cast<int>(std::ranges::count(side, 1));
        double value = std::numeric_limits<double>::infinity();
        double beside = value;
        for (int range = 0; range <= shape.dp; ++range) {
            const long long pairs = fewest_within(shape, devices, range);
            if (pairs < 0) {
                continue;
            }
            std::vector<Load> loads(problem.shared.size());
            loads[r].there = range;
            const double steady = problem.shared.slower_pass(loads).seconds;
            loads[r].there = loads[r].back = static_cast<double>(pairs) * pair_gb;
            const double message =
                std::max(first, std::max(exchange, problem.shared.slowest(loads).seconds) + edges);
            const double rest = compute.sum + repeats(passes, compute, std::max(slowness, steady));
            value = std::min(value, message + rest);
            beside = std::min(beside, rest);
        }
        if (value > best.value) {
            best = {value, static_cast<int>(r), beside};
        }
    }
    return best;
}

}  // namespace longhaul::placement
