#include "longhaul/placement/spare.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "longhaul/core/assert.hpp"
#include "longhaul/core/pool.hpp"
#include "longhaul/placement/classes.hpp"
#include "longhaul/placement/find.hpp"
#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/search_terms.hpp"

namespace longhaul::placement {
namespace {

constexpr int kRounds = 6;
constexpr std::size_t kMinSets = 3;
constexpr std::uint64_t kSetBudget = 2'000;  // evaluations that a set is worth trying with
constexpr std::size_t kMaxSwaps = 4'000;     // scored in one descent

/// Cheapest dp - 1 exchanges of a device among the open ones, plus its cheapest edge.
double nearness(const Problem& problem, const std::vector<char>& open, std::size_t device) {
    std::vector<double> exchange;
    double edge = std::numeric_limits<double>::infinity();
    for (std::size_t other = 0; other < open.size(); ++other) {
        if (other != device && open[other] != 0) {
            exchange.push_back(problem.costs.exchange(device, other));
            edge = std::min(edge, problem.costs.pipeline(device, other));
        }
    }
    const auto peers = std::min<std::size_t>(exchange.size(), problem.shape.dp - 1);
    const auto middle = exchange.begin() + static_cast<std::ptrdiff_t>(peers);
    std::nth_element(exchange.begin(), middle, exchange.end());
    return std::accumulate(exchange.begin(), middle, 0.0) + (problem.shape.pp > 1 ? edge : 0);
}

/// Closes the farthest device again and again; of a class, all devices are equally far, so the last
/// one goes first.
std::vector<int> nearest_devices(const Problem& problem) {
    std::vector<char> open(problem.devices(), 1);
    for (std::size_t left = problem.devices(); left > problem.shape.devices(); --left) {
        std::size_t farthest = 0;
        double most = -1;
        for (std::size_t device = 0; device < open.size(); ++device) {
            if (open[device] == 0) {
                continue;
            }
            const double far = nearness(problem, open, device);
            if (far >= most) {
                farthest = device;
                most = far;
            }
        }
        open[farthest] = 0;
    }
    std::vector<int> devices;
    for (std::size_t device = 0; device < open.size(); ++device) {
        if (open[device] != 0) {
            devices.push_back(static_cast<int>(device));
        }
    }
    return devices;
}

/// Classes for choosing: exact ones, or the first tolerant ones that are few enough.
Classes few_classes(const Problem& problem) {
    constexpr std::size_t kMost = 16;
    Classes classes = classes_under_terms(problem);
    if (classes.size() > kMost) {
        classes = exact_classes(problem.costs);
    }
    for (const double tolerance : {0.05, 0.12, 0.3, 0.7}) {
        if (classes.size() <= kMost) {
            break;
        }
        classes = tolerant_classes(problem.costs, tolerance);
    }
    return classes;
}

/// Leaves out the last devices of one class after another.
std::vector<int> without(const Classes& classes,
                         const std::vector<std::size_t>& order,
                         std::size_t spare) {
    std::vector<int> devices;
    for (const std::size_t k : order) {
        const std::vector<int>& members = classes.members[k];
        const std::size_t dropped = std::min(spare, members.size());
        spare -= dropped;
        devices.insert(
            devices.end(), members.begin(), members.end() - static_cast<std::ptrdiff_t>(dropped));
    }
    std::ranges::sort(devices);
    return devices;
}

/// Sets of devices to begin with: without those that are far from all others; without the smallest
/// classes; and, for every class, without it and then those that are farthest from the rest.
std::vector<std::vector<int>> candidates(const Problem& problem) {
    constexpr std::size_t kMostClasses = 64;
    std::vector<std::vector<int>> sets{nearest_devices(problem)};
    const Classes classes = few_classes(problem);
    if (classes.size() > kMostClasses) {
        return sets;
    }
    const std::size_t spare = problem.devices() - problem.shape.devices();
    const ClassCosts costs = class_costs(problem.costs, classes);
    std::vector<std::size_t> order(classes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t k) { return classes.members[k].size(); });
    sets.push_back(without(classes, order, spare));
    std::vector<double> far(classes.size(), 0);
    for (std::size_t a = 0; a < far.size(); ++a) {
        for (std::size_t b = 0; b < far.size(); ++b) {
            far[a] += static_cast<double>(classes.members[b].size()) *
                      (costs.pipeline(a, b) + costs.exchange(a, b));
        }
    }
    for (std::size_t first = 0; first < classes.size(); ++first) {
        std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t k) {
            return k == first ? std::numeric_limits<double>::infinity() : far[k];
        });
        sets.push_back(without(classes, order, spare));
    }
    return sets;
}

std::vector<int> outside(const Stages& stages, std::size_t devices) {
    std::vector<char> used(devices, 0);
    for (const std::vector<int>& group : stages) {
        for (const int device : group) {
            used[device] = 1;
        }
    }
    std::vector<int> others;
    for (std::size_t device = 0; device < devices; ++device) {
        if (used[device] == 0) {
            others.push_back(static_cast<int>(device));
        }
    }
    return others;
}

/// A device outside takes a place. Of devices that are alike and of places that are alike one each
/// stands for all.
struct Swap {
    std::size_t stage;
    std::size_t place;
    int device;
};

std::vector<Swap> swaps_of(const Stages& stages,
                           const std::vector<int>& others,
                           const Classes& classes) {
    std::vector<Swap> swaps;
    std::set<std::tuple<std::size_t, int, int>> known;
    for (const int device : others) {
        for (std::size_t s = 0; s < stages.size(); ++s) {
            for (std::size_t i = 0; i < stages[s].size(); ++i) {
                const int in = classes.of_device[device];
                const int out = classes.of_device[stages[s][i]];
                if (in != out && known.insert({s, in, out}).second) {
                    swaps.push_back({s, i, device});
                }
            }
        }
    }
    return swaps;
}

/// Score with the stages in their order and pairs within the bottleneck of every edge: at least
/// that of solve_inner, and cheap for any number of stages.
double score_in_order(const Problem& problem, Stages stages) {
    BottleneckSolver solver;
    for (std::size_t s = 1; s < stages.size(); ++s) {
        solver.solve(problem.costs.pipeline, stages[s - 1], stages[s]);
        const std::vector<int> group = stages[s];
        for (std::size_t i = 0; i < group.size(); ++i) {
            stages[s][i] = group[solver.partner()[i]];
        }
    }
    return score_as_mapped(problem, Placement::from_stages(stages, problem.devices())).total();
}

/// Positions in `devices`, which is sorted, instead of the devices themselves.
Stages numbered(const Stages& stages, const std::vector<int>& devices) {
    Stages positions = stages;
    for (std::vector<int>& group : positions) {
        for (int& device : group) {
            device = static_cast<int>(std::ranges::lower_bound(devices, device) - devices.begin());
        }
    }
    return positions;
}

class SpareSearch {
public:
    SpareSearch(const Problem& problem, SearchKind kind, const SearchOptions& options)
        : problem_(problem),
          kind_(kind),
          options_(options),
          classes_(classes_under_terms(problem)) {}

    SearchResult run(const SearchResult* known) && {
        if (known != nullptr) {
            best_ = *known;
            start(used_devices(), options_.budget / 8, &known->stages);
        }
        const std::vector<std::vector<int>> sets = candidates(problem_);
        const std::size_t tried =
            std::min<std::size_t>(sets.size(), kMinSets + options_.budget / kSetBudget);
        for (std::size_t i = 0; i < tried && !(stopped() && !best_.stages.empty()); ++i) {
            start(sets[i], options_.budget / 4 / tried);
        }
        for (int round = 0; round < kRounds && !stopped() && descend(); ++round) {
            start(used_devices(), options_.budget / 2 / kRounds);
        }
        return std::move(best_);
    }

private:
    [[nodiscard]] bool stopped() const { return options_.stop && options_.stop(); }

    [[nodiscard]] std::vector<int> used_devices() const {
        std::vector<int> devices;
        for (const std::vector<int>& group : best_.stages) {
            devices.insert(devices.end(), group.begin(), group.end());
        }
        std::ranges::sort(devices);
        return devices;
    }

    /// Places some devices, anew or from a placement of them; keeps the result when it is the best.
    void start(const std::vector<int>& devices,
               std::uint64_t budget,
               const Stages* from = nullptr) {
        SearchOptions options = options_;
        options.budget = std::max<std::uint64_t>(1, budget);
        options.run = options_.run * 64 + runs_++;
        const Problem part = restricted(problem_, devices);
        SearchResult found =
            from == nullptr
                ? find_anew(part, kind_, options)
                : anneal_terms(
                      part, numbered(*from, devices), options.budget, options.run, options);
        for (std::vector<int>& group : found.stages) {
            for (int& device : group) {
                device = devices[device];
            }
        }
        found.evaluations += best_.evaluations;
        if (best_.stages.empty() || found.score < best_.score) {
            best_ = std::move(found);
        } else {
            best_.evaluations = found.evaluations;
            best_.stopped_by = found.stopped_by;
        }
    }

    /// Takes the best exchange of a used and an unused device until none helps. True when the set
    /// of used devices has changed.
    bool descend() {
        bool changed = false;
        for (std::size_t tried = 0; tried < kMaxSwaps;) {
            const std::vector<Swap> swaps =
                swaps_of(best_.stages, outside(best_.stages, problem_.devices()), classes_);
            std::vector<double> scores(swaps.size());
            core::parallel_for(swaps.size(), options_.threads, [&](std::size_t i) {
                Stages stages = best_.stages;
                stages[swaps[i].stage][swaps[i].place] = swaps[i].device;
                scores[i] = score_in_order(problem_, std::move(stages));
            });
            tried += swaps.size();
            best_.evaluations += swaps.size();
            const auto least = std::ranges::min_element(scores);
            if (least == scores.end() || *least >= best_.score || stopped()) {
                return changed;
            }
            const Swap& swap = swaps[least - scores.begin()];
            best_.stages[swap.stage][swap.place] = swap.device;
            const Solved solved = solve_inner(problem_, best_.stages);
            best_.stages = in_order(best_.stages, solved.order);
            best_.score = solved.score.total();
            best_.origin = "exchange with a device that was left out";
            changed = true;
        }
        return changed;
    }

    const Problem& problem_;
    SearchKind kind_;
    const SearchOptions& options_;
    Classes classes_;
    SearchResult best_;
    std::uint64_t runs_ = 0;
};

}  // namespace

SearchResult find_with_spare(const Problem& problem,
                             SearchKind kind,
                             const SearchOptions& options,
                             const SearchResult* known) {
    LONGHAUL_ASSERT(problem.devices() > problem.shape.devices());
    if (kind == SearchKind::kHostOrder) {
        std::vector<int> first(problem.shape.devices());
        std::iota(first.begin(), first.end(), 0);
        return find(restricted(problem, first), kind, options);
    }
    return SpareSearch(problem, kind, options).run(known);
}

std::vector<LeftOut> left_out(const Problem& problem, const Stages& stages, int threads) {
    if (problem.devices() == problem.shape.devices()) {
        return {};
    }
    const Classes classes = classes_under_terms(problem);
    const std::vector<int> others = outside(stages, problem.devices());
    std::map<int, LeftOut> of_class;
    for (const int device : others) {
        of_class.try_emplace(classes.of_device[device],
                             LeftOut{device, std::numeric_limits<double>::infinity(), -1});
    }
    for (auto& [k, reason] : of_class) {
        // Devices that are alike cost the same in their places; the score then stays as it is.
        Stages same = stages;
        std::vector<Swap> swaps = swaps_of(stages, {reason.device}, classes);
        for (std::size_t s = 0; s < stages.size() && same == stages; ++s) {
            for (std::size_t i = 0; i < stages[s].size(); ++i) {
                if (classes.of_device[stages[s][i]] == k) {
                    swaps = {{s, i, reason.device}};
                    same.clear();
                    break;
                }
            }
        }
        std::vector<double> scores(swaps.size());
        core::parallel_for(swaps.size(), threads, [&](std::size_t i) {
            Stages changed = stages;
            changed[swaps[i].stage][swaps[i].place] = swaps[i].device;
            scores[i] = score_in_order(problem, std::move(changed));
        });
        const auto least = std::ranges::min_element(scores);
        const Swap& swap = swaps[least - scores.begin()];
        reason = {reason.device, *least, stages[swap.stage][swap.place]};
    }
    std::vector<LeftOut> reasons;
    for (const int device : others) {
        reasons.push_back(of_class.at(classes.of_device[device]));
        reasons.back().device = device;
    }
    return reasons;
}

}  // namespace longhaul::placement
