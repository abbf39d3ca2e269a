#include "longhaul/placement/brute_force.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace longhaul::placement {
namespace {

std::vector<int> first_permutation(std::size_t n) {
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    return order;
}

}  // namespace

double brute_force_bottleneck(const core::Grid<double>& costs) {
    double best = std::numeric_limits<double>::infinity();
    std::vector<int> column = first_permutation(costs.rows());
    do {
        double worst = 0;
        for (std::size_t i = 0; i < column.size(); ++i) {
            worst = std::max(worst, costs(i, column[i]));
        }
        best = std::min(best, worst);
    } while (std::ranges::next_permutation(column).found);
    return best;
}

double brute_force_path(const core::Grid<double>& edges) {
    double best = std::numeric_limits<double>::infinity();
    std::vector<int> order = first_permutation(edges.rows());
    do {
        double length = 0;
        for (std::size_t i = 1; i < order.size(); ++i) {
            length += edges(order[i - 1], order[i]);
        }
        best = std::min(best, length);
    } while (std::ranges::next_permutation(order).found);
    return best;
}

double brute_force_partition(const Costs& costs, const Stages& stages) {
    double data_parallel = 0;
    core::Grid<double> edges(stages.size(), stages.size(), 0.0);
    for (std::size_t a = 0; a < stages.size(); ++a) {
        for (const int device : stages[a]) {
            double seconds = 0;
            for (const int peer : stages[a]) {
                seconds += device == peer ? 0 : costs.exchange(device, peer);
            }
            data_parallel = std::max(data_parallel, seconds);
        }
        for (std::size_t b = 0; b < stages.size(); ++b) {
            core::Grid<double> between(stages[a].size(), stages[b].size());
            for (std::size_t i = 0; i < stages[a].size(); ++i) {
                for (std::size_t j = 0; j < stages[b].size(); ++j) {
                    between(i, j) = costs.pipeline(stages[a][i], stages[b][j]);
                }
            }
            edges(a, b) = a == b ? 0 : brute_force_bottleneck(between);
        }
    }
    return data_parallel + brute_force_path(edges);
}

}  // namespace longhaul::placement
