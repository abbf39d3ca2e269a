#include "longhaul/placement/bounds.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "longhaul/placement/group_terms.hpp"

namespace longhaul::placement {

Bound elementary_bound(const Problem& problem) {
    Bound bound;
    bound.method = "elementary";
    const std::size_t n = problem.shape.devices();
    const auto peers = static_cast<std::size_t>(problem.shape.dp - 1);
    double cheapest = std::numeric_limits<double>::infinity();
    std::vector<double> others;
    for (std::size_t i = 0; i < n; ++i) {
        others.clear();
        for (std::size_t j = 0; j < n; ++j) {
            if (i != j) {
                others.push_back(problem.costs.exchange(i, j));
                cheapest = std::min(cheapest, problem.costs.pipeline(i, j));
            }
        }
        std::ranges::sort(others);
        bound.data_parallel =
            std::max(bound.data_parallel,
                     std::accumulate(
                         others.begin(), others.begin() + static_cast<std::ptrdiff_t>(peers), 0.0));
    }
    if (problem.shape.pp > 1) {
        bound.pipeline = (problem.shape.pp - 1) * cheapest;
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
    gap.optimal = score <= bound * (1 + kRounding);
    if (gap.optimal) {
        gap.value = 0;
    }
    return gap;
}

}  // namespace longhaul::placement
