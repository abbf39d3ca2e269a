#include "longhaul/placement/brute_force.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

namespace longhaul::placement {
namespace {

std::vector<int> first_permutation(std::size_t n) {
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    return order;
}

/// Least seconds until `root` holds the sum of `members`.
double reduced(const core::Grid<double>& hops, const std::vector<int>& members, int root) {
    if (members.size() == 1) {
        return 0;
    }
    double best = std::numeric_limits<double>::infinity();
    for (std::uint32_t chosen = 0; chosen < 1U << members.size(); ++chosen) {
        std::vector<int> halves[2];
        for (std::size_t i = 0; i < members.size(); ++i) {
            halves[chosen >> i & 1U].push_back(members[i]);
        }
        const auto apart = std::max(halves[0].size(), halves[1].size()) -
                           std::min(halves[0].size(), halves[1].size());
        if (apart > 1 || std::ranges::find(halves[0], root) == halves[0].end()) {
            continue;
        }
        for (const int sender : halves[1]) {
            best = std::min(
                best,
                std::max(reduced(hops, halves[0], root), reduced(hops, halves[1], sender)) +
                    hops(root, sender));
        }
    }
    return best;
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

double brute_force_ring(const core::Grid<double>& hops) {
    double best = std::numeric_limits<double>::infinity();
    std::vector<int> order = first_permutation(hops.rows());
    do {
        double slowest = 0;
        for (std::size_t i = 0; order.size() > 1 && i < order.size(); ++i) {
            slowest = std::max(slowest, hops(order[i], order[(i + 1) % order.size()]));
        }
        best = std::min(best, slowest);
    } while (std::ranges::next_permutation(order).found);
    return best;
}

double brute_force_tree(const core::Grid<double>& hops) {
    double best = std::numeric_limits<double>::infinity();
    const std::vector<int> members = first_permutation(hops.rows());
    for (const int root : members) {
        best = std::min(best, reduced(hops, members, root));
    }
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
