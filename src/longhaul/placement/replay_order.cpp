#include "longhaul/placement/replay_order.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace longhaul::placement {

std::vector<double> spanning_edges(const core::Grid<double>& edges) {
    struct Link {
        double weight;
        std::size_t a, b;
    };
    std::vector<Link> sorted;
    std::vector<std::size_t> tree;
    for (std::size_t a = 0; a < edges.rows(); ++a) {
        tree.push_back(a);
        for (std::size_t b = 0; b < a; ++b) {
            sorted.push_back({edges(a, b), a, b});
        }
    }
    std::ranges::sort(sorted, {}, &Link::weight);
    std::vector<double> weights;
    for (const Link& edge : sorted) {
        if (tree[edge.a] != tree[edge.b]) {
            weights.push_back(edge.weight);
            std::ranges::replace(tree, std::size_t{tree[edge.a]}, std::size_t{tree[edge.b]});
        }
    }
    return weights;
}

double spanning_weight(const core::Grid<double>& edges) {
    const std::vector<double> weights = spanning_edges(edges);
    return std::accumulate(weights.begin(), weights.end(), 0.0);
}

double shortest_order(const core::Grid<double>& edges,
                      const std::vector<std::pair<int, int>>& chosen) {
    const std::size_t n = chosen.size();
    std::vector<std::size_t> weight;
    std::size_t size = 1;
    for (const auto& [column, times] : chosen) {
        weight.push_back(size);
        size *= static_cast<std::size_t>(times) + 1;
    }
    constexpr double kUnreached = std::numeric_limits<double>::infinity();
    std::vector<double> best(size * n, kUnreached);
    for (std::size_t a = 0; a < n; ++a) {
        best[weight[a] * n + a] = 0;
    }
    for (std::size_t set = 1; set < size; ++set) {
        for (std::size_t next = 0; next < n; ++next) {
            const auto most = static_cast<std::size_t>(chosen[next].second);
            if (set / weight[next] % (most + 1) == most) {
                continue;
            }
            double& length = best[(set + weight[next]) * n + next];
            for (std::size_t last = 0; last < n; ++last) {
                length = std::min(length, best[set * n + last] + edges(last, next));
            }
        }
    }
    return *std::min_element(best.end() - static_cast<std::ptrdiff_t>(n), best.end());
}

}  // namespace longhaul::placement
