#include "longhaul/placement/explain.hpp"

#include <algorithm>
#include <set>

#include "longhaul/core/pool.hpp"
#include "longhaul/placement/classes.hpp"

namespace longhaul::placement {
namespace {

StageReason stage_reason(const Costs& costs, int stage, const std::vector<int>& group) {
    const GroupExchange worst = group_exchange(costs.exchange, group);
    StageReason reason{stage, worst.device, worst.seconds, -1, 0};
    for (const int peer : group) {
        const double seconds = costs.exchange(worst.device, peer);
        if (peer != worst.device &&
            (reason.worst_peer < 0 || seconds > reason.worst_peer_seconds)) {
            reason.worst_peer = peer;
            reason.worst_peer_seconds = seconds;
        }
    }
    return reason;
}

EdgeReason edge_reason(const Costs& costs, int stage, const Stages& stages) {
    EdgeReason reason{stage, 0, -1, -1, 0};
    for (std::size_t r = 0; r < stages[stage].size(); ++r) {
        const int device = stages[stage][r];
        const int next = stages[stage + 1][r];
        if (reason.device < 0 || costs.pipeline(device, next) > reason.seconds) {
            reason = {stage, static_cast<int>(r), device, next, costs.pipeline(device, next)};
        }
    }
    return reason;
}

/// Exchanges of each binding device with every device of another stage. Devices of one class and
/// stage stand for each other: one of each is enough, and two of one class change nothing.
std::vector<Change> neighbours(const Costs& costs,
                               const Explanation& explanation,
                               const Placement& placement) {
    std::set<int> binding{explanation.stages[explanation.binding_stage].device,
                          explanation.stages[explanation.binding_stage].worst_peer};
    if (!explanation.edges.empty()) {
        binding.insert(explanation.edges[explanation.binding_edge].device);
        binding.insert(explanation.edges[explanation.binding_edge].next_device);
    }
    binding.erase(-1);
    const std::vector<int> ranks = placement.rank_map();
    const Classes classes = exact_classes(costs);
    const auto place = [&](int device) {
        return std::pair{ranks[device] % placement.shape().pp, classes.of_device[device]};
    };
    std::set<std::set<std::pair<int, int>>> known;
    std::vector<Change> changes;
    for (const int device : binding) {
        for (int other = 0; other < static_cast<int>(ranks.size()); ++other) {
            const auto a = place(device);
            const auto b = place(other);
            if (a.first != b.first && a.second != b.second && known.insert({a, b}).second) {
                changes.push_back({std::min(device, other), std::max(device, other), {}});
            }
        }
    }
    return changes;
}

}  // namespace

Explanation explain(const Costs& costs,
                    const Placement& placement,
                    std::size_t limit,
                    int threads) {
    Explanation explanation;
    explanation.score = score_as_mapped(costs, placement);
    const Stages stages = placement.stages();
    for (int s = 0; s < static_cast<int>(stages.size()); ++s) {
        explanation.stages.push_back(stage_reason(costs, s, stages[s]));
        if (s > 0) {
            explanation.edges.push_back(edge_reason(costs, s - 1, stages));
        }
    }
    explanation.binding_stage = static_cast<std::size_t>(
        std::ranges::max_element(explanation.stages, {}, &StageReason::seconds) -
        explanation.stages.begin());
    explanation.binding_edge = static_cast<std::size_t>(
        std::ranges::max_element(explanation.edges, {}, &EdgeReason::seconds) -
        explanation.edges.begin());
    std::vector<Change> changes = neighbours(costs, explanation, placement);
    core::parallel_for(changes.size(), threads, [&](std::size_t i) {
        Stages changed = stages;
        for (std::vector<int>& group : changed) {
            for (int& device : group) {
                device = device == changes[i].device  ? changes[i].other
                         : device == changes[i].other ? changes[i].device
                                                      : device;
            }
        }
        changes[i].score = solve_inner(costs, changed).score;
    });
    explanation.changes_tried = changes.size();
    std::ranges::stable_sort(
        changes, {}, [](const Change& change) { return change.score.total(); });
    changes.resize(std::min(changes.size(), limit));
    explanation.changes = std::move(changes);
    return explanation;
}

}  // namespace longhaul::placement
