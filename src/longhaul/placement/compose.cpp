#include "longhaul/placement/compose.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "longhaul/core/assert.hpp"
#include "longhaul/placement/assignment.hpp"
#include "longhaul/placement/cells.hpp"
#include "longhaul/placement/group_terms.hpp"

namespace longhaul::placement {
namespace {

constexpr std::size_t kMaxSingleDevices = 64;  // larger stages are paired by cells of devices
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
    if (stage.size() > kMaxSingleDevices) {
        return continue_by_cells(costs.pipeline, stage, next, host_of);
    }
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

/// Rows (pipelines) that hold devices of one host, by the place of its stretch in the row.
struct HostRows {
    std::vector<int> ending;     // the row ends with it
    std::vector<int> full;       // the row has no other host
    std::vector<int> beginning;  // the row begins with it
    bool inside = false;         // some row has it between other hosts
};

std::map<int, HostRows> rows_of_hosts(const std::vector<std::vector<int>>& rows,
                                      std::span<const int> host_of) {
    std::map<int, HostRows> hosts;
    for (int r = 0; r < static_cast<int>(rows.size()); ++r) {
        std::vector<int> stretches;
        for (const int device : rows[r]) {
            if (stretches.empty() || stretches.back() != host_of[device]) {
                stretches.push_back(host_of[device]);
            }
        }
        if (stretches.size() == 1) {
            hosts[stretches.front()].full.push_back(r);
            continue;
        }
        hosts[stretches.front()].beginning.push_back(r);
        hosts[stretches.back()].ending.push_back(r);
        for (std::size_t k = 1; k + 1 < stretches.size(); ++k) {
            hosts[stretches[k]].inside = true;
        }
    }
    return hosts;
}

/// Row that must follow each row, or -1, for every host that can be contiguous at all: the row that
/// ends with it, the rows that are full of it, the row that begins with it.
std::vector<int> row_after(const std::vector<std::vector<int>>& rows,
                           std::span<const int> host_of) {
    std::vector<int> after(rows.size(), -1);
    for (const auto& [host, places] : rows_of_hosts(rows, host_of)) {
        std::vector<int> chain = places.full;
        const bool possible = !places.inside && places.ending.size() <= 1 &&
                              places.beginning.size() <= 1 &&
                              (places.ending.empty() || places.ending != places.beginning);
        if (possible) {
            chain.insert(chain.begin(), places.ending.begin(), places.ending.end());
            chain.insert(chain.end(), places.beginning.begin(), places.beginning.end());
        }
        for (std::size_t i = 1; i < chain.size(); ++i) {
            after[chain[i - 1]] = chain[i];
        }
    }
    return after;
}

Placement from_rows(Shape shape, const std::vector<std::vector<int>>& rows, std::size_t devices) {
    std::vector<int> device_of_rank;
    device_of_rank.reserve(shape.devices());
    for (const std::vector<int>& row : rows) {
        device_of_rank.insert(device_of_rank.end(), row.begin(), row.end());
    }
    return {shape, std::move(device_of_rank), devices};
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
    return order_replicas(Placement::from_stages(ordered, costs.pipeline.size()), host_of);
}

Placement compose_contended(const Problem& problem,
                            const Stages& stages,
                            std::span<const int> host_of) {
    Stages ordered{stages.front()};
    for (std::size_t s = 1; s < stages.size(); ++s) {
        const std::vector<int> partner = contended_edge(problem, stages[s - 1], stages[s]).partner;
        // Replica r holds stages[s - 1][i] somewhere; its next device is the partner of position i.
        std::vector<int> next(stages[s].size());
        for (std::size_t r = 0; r < next.size(); ++r) {
            const auto i =
                std::ranges::find(stages[s - 1], ordered.back()[r]) - stages[s - 1].begin();
            next[r] = stages[s][partner[i]];
        }
        ordered.push_back(std::move(next));
    }
    return order_replicas(Placement::from_stages(ordered, problem.devices()), host_of);
}

Placement order_replicas(const Placement& placement, std::span<const int> host_of) {
    std::vector<std::vector<int>> rows = placement.pipelines();
    std::ranges::sort(rows, {}, [](const std::vector<int>& row) { return std::ranges::min(row); });
    const std::vector<int> after = row_after(rows, host_of);
    std::vector<int> before(rows.size(), -1);
    for (std::size_t r = 0; r < rows.size(); ++r) {
        if (after[r] >= 0) {
            before[after[r]] = static_cast<int>(r);
        }
    }
    // Chains of rows come in the order of their first row; a ring is cut there.
    std::vector<std::vector<int>> ordered;
    std::vector<char> used(rows.size(), 0);
    for (int start = 0; start < static_cast<int>(rows.size()); ++start) {
        int head = start;
        while (used[start] == 0 && before[head] >= 0 && before[head] != start) {
            head = before[head];
        }
        for (int r = head; r >= 0 && used[r] == 0; r = after[r]) {
            used[r] = 1;
            ordered.push_back(rows[r]);
        }
    }
    return from_rows(placement.shape(), ordered, placement.devices());
}

}  // namespace longhaul::placement
