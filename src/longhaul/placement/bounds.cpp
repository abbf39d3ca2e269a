#include "longhaul/placement/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "longhaul/placement/group_terms.hpp"

namespace longhaul::placement {

namespace {

/// The sum of the `peers` cheapest exchanges of a device of kind `a`: kinds in order of cost, each
/// with all its other devices. Values are added one by one, as over single devices.
double cheapest_exchanges(const core::Grid<double>& exchange,
                          const std::vector<int>& devices,
                          std::size_t a,
                          std::size_t peers) {
    std::vector<std::pair<double, std::size_t>> others;
    for (std::size_t b = 0; b < devices.size(); ++b) {
        const auto count = static_cast<std::size_t>(devices[b]) - (a == b ? 1 : 0);
        if (count > 0) {
            others.emplace_back(exchange(a, b), count);
        }
    }
    // Each kind has a device at least, so that no more kinds than peers are asked.
    if (peers < others.size()) {
        const auto end = others.begin() + static_cast<std::ptrdiff_t>(peers);
        std::ranges::nth_element(others, end);
        others.erase(end, others.end());
    }
    std::ranges::sort(others);
    double sum = 0;
    for (const auto& [seconds, count] : others) {
        const std::size_t taken = std::min(count, peers);
        for (std::size_t i = 0; i < taken; ++i) {
            sum += seconds;
        }
        peers -= taken;
    }
    return sum;
}

double cheapest_pair(const core::Grid<double>& pipeline, const std::vector<int>& devices) {
    double cheapest = std::numeric_limits<double>::infinity();
    for (std::size_t a = 0; a < devices.size(); ++a) {
        for (std::size_t b = 0; b < devices.size(); ++b) {
            if (devices[a] > (a == b ? 1 : 0) && devices[b] > 0) {
                cheapest = std::min(cheapest, pipeline(a, b));
            }
        }
    }
    return cheapest;
}

}  // namespace

NearestCosts nearest_costs(const Costs& costs, int dp) {
    NearestCosts nearest;
    nearest.devices =
        fabric::devices_of_kinds(costs.exchange.kind_of_device(), costs.exchange.kinds());
    for (std::size_t a = 0; a < nearest.devices.size(); ++a) {
        nearest.exchange.push_back(nearest.devices[a] == 0
                                       ? 0
                                       : cheapest_exchanges(costs.exchange.table(),
                                                            nearest.devices,
                                                            a,
                                                            static_cast<std::size_t>(dp - 1)));
    }
    nearest.pipeline = cheapest_pair(costs.pipeline.table(), nearest.devices);
    return nearest;
}

Bound elementary_bound(const Problem& problem) {
    const NearestCosts nearest = nearest_costs(problem.costs, problem.shape.dp);
    Bound bound;
    bound.method = "elementary";
    bound.data_parallel = *std::ranges::max_element(nearest.exchange);
    if (problem.shape.pp > 1) {
        bound.pipeline = (problem.shape.pp - 1) * nearest.pipeline;
    }
    if (problem.terms.exchange != Exchange::kSharded) {
        bound.data_parallel = data_parallel_bound(problem);
    }
    bound.value = bound.data_parallel + bound.pipeline;
    return bound;
}

Gap gap_between(double score, double bound) {
    constexpr double kRounding = 1e-12;
    Gap gap;
    gap.known = bound > 0 || score == 0;
    gap.value = bound > 0 ? std::max(0.0, score / bound - 1) : 0;
    if (!std::isfinite(gap.value)) {  // a bound of almost nothing says nothing
        gap.known = false;
        gap.value = 0;
    }
    gap.optimal = score <= bound * (1 + kRounding);
    if (gap.optimal) {
        gap.value = 0;
    }
    return gap;
}

}  // namespace longhaul::placement
