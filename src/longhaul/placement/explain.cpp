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

/// Counts of classes of each stage, in order: equal for placements that differ only in devices of
/// a class and in the names of stages.
using Kinds = std::vector<std::vector<int>>;

class Neighbours {
public:
    Neighbours(const Costs& costs, const Stages& stages)
        : classes_(exact_classes(costs)),
          stage_of_(classes_.of_device.size(), -1),
          rows_(stages.size(), std::vector<int>(classes_.size(), 0)) {
        for (std::size_t s = 0; s < stages.size(); ++s) {
            for (const int device : stages[s]) {
                stage_of_[static_cast<std::size_t>(device)] = static_cast<int>(s);
                ++rows_[s][class_of(device)];
            }
        }
        known_.insert(sorted(rows_));
    }

    /// Exchanges of each binding device with every device of another stage, each kind of result
    /// once.
    std::vector<Change> changes(const std::set<int>& binding) {
        for (const int device : binding) {
            for (int other = 0; other < static_cast<int>(stage_of_.size()); ++other) {
                if (stage_of_[static_cast<std::size_t>(other)] !=
                        stage_of_[static_cast<std::size_t>(device)] &&
                    class_of(device) != class_of(other) && first_time(device, other) &&
                    known_.insert(sorted(exchanged(device, other))).second) {
                    changes_.push_back({std::min(device, other), std::max(device, other), {}, 0});
                }
            }
        }
        return std::move(changes_);
    }

private:
    [[nodiscard]] std::size_t class_of(int device) const {
        return static_cast<std::size_t>(classes_.of_device[static_cast<std::size_t>(device)]);
    }

    [[nodiscard]] std::pair<int, std::size_t> place(int device) const {
        return {stage_of_[static_cast<std::size_t>(device)], class_of(device)};
    }

    bool first_time(int device, int other) {
        const auto a = place(device);
        const auto b = place(other);
        return tried_.insert({std::min(a, b), std::max(a, b)}).second;
    }

    static Kinds sorted(Kinds rows) {
        std::ranges::sort(rows);
        return rows;
    }

    [[nodiscard]] Kinds exchanged(int device, int other) const {
        Kinds rows = rows_;
        const auto move = [&](int from, int to) {  // what `from` holds takes the place of `to`
            const int stage = stage_of_[static_cast<std::size_t>(to)];
            if (stage >= 0) {
                --rows[static_cast<std::size_t>(stage)][class_of(to)];
                ++rows[static_cast<std::size_t>(stage)][class_of(from)];
            }
        };
        move(device, other);
        move(other, device);
        return rows;
    }

    Classes classes_;
    std::vector<int> stage_of_;  ///< -1: left out
    Kinds rows_;
    std::set<std::pair<std::pair<int, std::size_t>, std::pair<int, std::size_t>>> tried_;
    std::set<Kinds> known_;
    std::vector<Change> changes_;
};

std::set<int> binding_devices(const Explanation& explanation) {
    std::set<int> binding{explanation.stages[explanation.binding_stage].device,
                          explanation.stages[explanation.binding_stage].worst_peer};
    if (!explanation.edges.empty()) {
        binding.insert(explanation.edges[explanation.binding_edge].device);
        binding.insert(explanation.edges[explanation.binding_edge].next_device);
    }
    binding.erase(-1);
    return binding;
}

/// Sorted changes of one score become one entry.
std::vector<Change> one_a_score(const std::vector<Change>& changes) {
    constexpr double kEqualScores = 1e-12;  // relative: sums in another order
    std::vector<Change> kept;
    for (const Change& change : changes) {
        if (!kept.empty() &&
            change.score.total() <= kept.back().score.total() * (1 + kEqualScores)) {
            ++kept.back().alike;
        } else {
            kept.push_back(change);
        }
    }
    return kept;
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
    std::vector<Change> changes = Neighbours(costs, stages).changes(binding_devices(explanation));
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
    changes = one_a_score(changes);
    changes.resize(std::min(changes.size(), limit));
    explanation.changes = std::move(changes);
    return explanation;
}

}  // namespace longhaul::placement
