#include "longhaul/placement/compose.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "longhaul/core/assert.hpp"
#include "longhaul/placement/assignment.hpp"

namespace longhaul::placement {
namespace {

constexpr std::int64_t kForbidden = std::int64_t{1} << 40U;  // far above any sum of allowed parts

std::int64_t nanoseconds(double seconds) {
    return static_cast<std::int64_t>(std::llround(std::min(seconds, 1e6) * 1e9));
}

/// Devices of `next` reordered so that position r continues the pipeline of `stage`[r].
std::vector<int> continue_pipelines(const Costs& costs,
                                    const std::vector<int>& stage,
                                    const std::vector<int>& next,
                                    std::span<const int> host_of,
                                    BottleneckSolver& solver) {
    const double bottleneck = solver.solve(costs.pipeline, stage, next);
    core::Grid<LexCost> price(stage.size(), next.size());
    for (std::size_t i = 0; i < stage.size(); ++i) {
        for (std::size_t j = 0; j < next.size(); ++j) {
            const double seconds = costs.pipeline(stage[i], next[j]);
            const bool apart = host_of[stage[i]] != host_of[next[j]];
            // Squared: among equals, positions keep their order.
            const std::int64_t distance = stage[i] - next[j];
            price(i, j) = {{seconds > bottleneck ? kForbidden
                            : apart              ? 1
                                                 : 0,
                            nanoseconds(seconds),
                            distance * distance}};
        }
    }
    const std::vector<int> column = least_assignment(price);
    std::vector<int> ordered(next.size());
    for (std::size_t i = 0; i < next.size(); ++i) {
        ordered[i] = next[column[i]];
    }
    return ordered;
}

/// A pipeline seen as the hosts at its two ends, for chaining replicas.
struct Row {
    std::vector<int> devices;
    int first_host = 0;
    int last_host = 0;
};

Placement from_rows(Shape shape, const std::vector<std::vector<int>>& rows) {
    std::vector<int> device_of_rank;
    device_of_rank.reserve(shape.devices());
    for (const std::vector<int>& row : rows) {
        device_of_rank.insert(device_of_rank.end(), row.begin(), row.end());
    }
    return {shape, std::move(device_of_rank)};
}

}  // namespace

Placement compose(const Costs& costs,
                  const Stages& stages,
                  std::span<const int> path,
                  std::span<const int> host_of) {
    Stages ordered;
    BottleneckSolver solver;
    for (const int stage : path) {
        ordered.push_back(stages[stage]);
        if (ordered.size() == 1) {
            std::ranges::sort(ordered.front());
            continue;
        }
        ordered.back() =
            continue_pipelines(costs, ordered[ordered.size() - 2], ordered.back(), host_of, solver);
    }
    return order_replicas(Placement::from_stages(ordered), host_of);
}

Placement order_replicas(const Placement& placement, std::span<const int> host_of) {
    std::vector<Row> rows;
    for (std::vector<int>& devices : placement.pipelines()) {
        const int first = host_of[devices.front()];
        const int last = host_of[devices.back()];
        rows.push_back({std::move(devices), first, last});
    }
    std::ranges::sort(rows, {}, [](const Row& row) {
        return *std::min_element(row.devices.begin(), row.devices.end());
    });
    // A host that ends one row and begins another stays contiguous when the rows follow each other;
    // chains are grown greedily, since a host has at most two such ends worth joining.
    std::vector<std::vector<int>> ordered;
    std::vector<char> used(rows.size(), 0);
    for (std::size_t start = 0; start < rows.size(); ++start) {
        std::size_t at = start;
        while (at < rows.size() && used[at] == 0) {
            used[at] = 1;
            ordered.push_back(rows[at].devices);
            std::size_t next = 0;
            while (next < rows.size() &&
                   (used[next] != 0 || rows[next].first_host != rows[at].last_host)) {
                ++next;
            }
            at = next;
        }
    }
    return from_rows(placement.shape(), ordered);
}

}  // namespace longhaul::placement
