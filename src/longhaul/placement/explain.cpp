#include "longhaul/placement/explain.hpp"

#include <algorithm>
#include <set>

#include "longhaul/core/pool.hpp"
#include "longhaul/placement/classes.hpp"
#include "longhaul/placement/explain_reasons.hpp"
#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/units.hpp"

namespace longhaul::placement {
namespace {

/// Counts of classes of each stage, in order: equal for placements that differ only in devices of
/// a class and in the names of stages.
using Kinds = std::vector<std::vector<int>>;

class Neighbours {
public:
    Neighbours(const Problem& unit, const Stages& stages)
        : classes_(classes_of_kinds(unit_kinds(unit))),
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

/// Devices in the place of units.
void name_devices(const Units& units, Explanation& why) {
    for (StageReason& stage : why.stages) {
        for (int* device :
             {&stage.device, &stage.worst_peer, &stage.compute_device, &stage.memory_device}) {
            *device = units.device(*device);
        }
    }
    const auto name_edge = [&](EdgeReason& edge) {
        edge.device = units.device(edge.device);
        edge.next_device = units.device(edge.next_device);
    };
    std::ranges::for_each(why.edges, name_edge);
    name_edge(why.slowest_pair);
    for (Change& change : why.changes) {
        change.device = units.device(change.device);
        change.other = units.device(change.other);
    }
}

}  // namespace

Explanation explain(const Problem& problem,
                    const Placement& placement,
                    std::span<const int> host_of,
                    std::size_t limit,
                    int threads) {
    const Units units = units_of(problem, placement, host_of);
    Explanation why = reasons_of(units.problem, units.placement);
    const Stages stages = units.placement.stages();
    std::vector<Change> changes =
        Neighbours(units.problem, stages).changes(binding_units(units.problem, stages, why));
    core::parallel_for(changes.size(), threads, [&](std::size_t i) {
        Stages changed = stages;
        for (std::vector<int>& group : changed) {
            for (int& device : group) {
                device = device == changes[i].device  ? changes[i].other
                         : device == changes[i].other ? changes[i].device
                                                      : device;
            }
        }
        changes[i].score = solve_inner(units.problem, changed).score;
    });
    why.changes_tried = changes.size();
    std::erase_if(changes,
                  [](const Change& change) { return change.score.compute >= kDoesNotFit; });
    std::ranges::stable_sort(
        changes, {}, [](const Change& change) { return change.score.total(); });
    changes = one_a_score(changes);
    changes.resize(std::min(changes.size(), limit));
    why.changes = std::move(changes);
    name_devices(units, why);
    return why;
}

}  // namespace longhaul::placement
