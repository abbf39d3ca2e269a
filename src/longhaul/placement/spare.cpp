#include "longhaul/placement/spare.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "longhaul/core/assert.hpp"
#include "longhaul/core/pool.hpp"
#include "longhaul/core/random.hpp"
#include "longhaul/placement/classes.hpp"
#include "longhaul/placement/find.hpp"
#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/ordered.hpp"
#include "longhaul/placement/search_terms.hpp"
#include "longhaul/placement/spare_sets.hpp"

namespace longhaul::placement {
namespace {

constexpr int kRounds = 6;
constexpr std::size_t kMinSets = 3;
constexpr std::uint64_t kSetBudget = 2'000;  // evaluations that a set is worth trying with
constexpr std::size_t kMaxSwaps = 4'000;     // scored in one descent
constexpr std::size_t kMostWalks = 4;
constexpr double kSolvingWork = 5e8;   // of left_out, steps of about a nanosecond
constexpr double kMatchingSteps = 50;  // of a pair of devices
constexpr std::uint64_t kSwapStream = std::uint64_t{5} << 40U;

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

/// Scores after each of some swaps, see score_in_order; infinite for those after `stop`.
std::vector<double> scores_after(const Problem& problem,
                                 const Stages& stages,
                                 const std::vector<Swap>& swaps,
                                 int threads,
                                 const std::function<bool()>& stop) {
    constexpr std::size_t kChunk = 256;
    std::vector<double> scores(swaps.size(), std::numeric_limits<double>::infinity());
    const bool parts = problem.terms.objective == Objective::kAdditive && problem.shared.empty();
    core::parallel_for((swaps.size() + kChunk - 1) / kChunk, threads, [&](std::size_t chunk) {
        Stages changed = stages;
        OrderedScore score(problem, stages);
        for (std::size_t i = chunk * kChunk; i < std::min(swaps.size(), (chunk + 1) * kChunk);
             ++i) {
            if (stop && stop()) {
                return;
            }
            int& place = changed[swaps[i].stage][swaps[i].place];
            const int before = std::exchange(place, swaps[i].device);
            if (parts) {
                score.update(changed, swaps[i].stage, swaps[i].stage);
                scores[i] = score.total();
                score.restore();
            } else {
                scores[i] = score_in_order(problem, changed);
            }
            place = before;
        }
    });
    return scores;
}

/// How many swaps of each class are solved with the best order of stages: an order takes Held-Karp
/// pp^2 2^pp steps, pairs pp^2 matchings. None above kMaxExactStages, where each takes long.
std::size_t solved_swaps(const Problem& problem, std::size_t classes) {
    const auto pp = static_cast<double>(problem.shape.pp);
    const auto dp = static_cast<double>(problem.shape.dp);
    if (problem.shape.pp > kMaxExactStages) {
        return 0;
    }
    const double steps = pp * pp * (std::exp2(pp) + dp * dp * kMatchingSteps) *
                         static_cast<double>(evaluation_cost(problem));
    return 1 + static_cast<std::size_t>(kSolvingWork / steps / static_cast<double>(classes));
}

/// Scores of the best swaps with the best pairs and order of stages: those with the order kept may
/// be more, or not fit the memory.
void solve_best(const Problem& problem,
                const Stages& stages,
                const std::vector<Swap>& swaps,
                std::size_t solved,
                int threads,
                const std::function<bool()>& stop,
                std::vector<double>& scores) {
    std::vector<std::size_t> order(swaps.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return scores[i]; });
    order.resize(std::min(order.size(), solved));
    core::parallel_for(order.size(), threads, [&](std::size_t i) {
        if (stop && stop()) {
            return;
        }
        const Swap& swap = swaps[order[i]];
        Stages changed = stages;
        changed[swap.stage][swap.place] = swap.device;
        const Score score = solve_inner(problem, changed).score;
        scores[order[i]] = score.compute >= kDoesNotFit ? std::numeric_limits<double>::infinity()
                                                        : std::min(scores[order[i]], score.total());
    });
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
            anneal(options_.budget / 8);
        }
        const std::vector<std::vector<int>> sets = device_sets(problem_);
        const std::size_t tried =
            std::min<std::size_t>(sets.size(), kMinSets + options_.budget / kSetBudget);
        for (std::size_t i = 0; i < tried && !(stopped() && !best_.stages.empty()); ++i) {
            start(sets[i], options_.budget / 4 / tried);
        }
        if (!stopped()) {
            anneal(options_.budget / 4);
        }
        for (int round = 0; round < kRounds && !stopped() && descend(); ++round) {
            start(used_devices(), options_.budget / 2 / kRounds);
        }
        if (stopped()) {
            best_.stopped_by = "time limit";
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

    void keep(SearchResult&& found) {
        found.evaluations += best_.evaluations;
        if (best_.stages.empty() || found.score < best_.score) {
            best_ = std::move(found);
        } else {
            best_.evaluations = found.evaluations;
            best_.stopped_by = found.stopped_by;
        }
    }

    /// Places some devices anew; keeps the result when it is the best.
    void start(const std::vector<int>& devices, std::uint64_t budget) {
        SearchOptions options = options_;
        options.budget = std::max<std::uint64_t>(1, budget);
        options.run = options_.run * 64 + runs_++;
        SearchResult found = find_anew(restricted(problem_, devices), kind_, options);
        for (std::vector<int>& group : found.stages) {
            for (int& device : group) {
                device = devices[device];
            }
        }
        std::optional<SearchResult> fit = fitted(problem_, found);
        keep(std::move(found));
        if (fit) {  // with other devices
            fit->evaluations = 1;
            keep(std::move(*fit));
        }
    }

    /// Walks from the best placement, over its devices and those that are left out.
    void anneal(std::uint64_t budget) {
        const std::size_t walks =
            std::clamp<std::size_t>(static_cast<std::size_t>(options_.restarts), 1, kMostWalks);
        std::vector<SearchResult> found(walks);
        core::parallel_for(walks, options_.threads, [&](std::size_t i) {
            found[i] = anneal_terms(problem_,
                                    best_.stages,
                                    budget / walks,
                                    (options_.run * 64 + runs_) * kMostWalks + i,
                                    options_,
                                    i % 2 == 0 ? kColdStart : kHotStart,
                                    best_.score);
        });
        ++runs_;
        for (SearchResult& one : found) {
            keep(std::move(one));
        }
    }

    /// Takes the best exchange of a used and an unused device until none helps. True when the set
    /// of used devices has changed.
    bool descend() {
        bool changed = false;
        for (std::size_t tried = 0; tried < kMaxSwaps;) {
            std::vector<Swap> swaps =
                swaps_of(best_.stages, left_out_of(best_.stages, problem_.devices()), classes_);
            if (swaps.size() > kMaxSwaps) {  // some of them
                core::Random(options_.seed, kSwapStream + options_.run * 64 + runs_++)
                    .shuffle(std::span<Swap>(swaps));
                swaps.resize(kMaxSwaps);
            }
            const std::vector<double> scores =
                scores_after(problem_, best_.stages, swaps, options_.threads, options_.stop);
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

std::vector<LeftOut> left_out(const Problem& problem,
                              const Stages& stages,
                              int threads,
                              const std::function<bool()>& stop) {
    if (problem.devices() == problem.shape.devices()) {
        return {};
    }
    const Classes classes = classes_under_terms(problem);
    const std::vector<int> others = left_out_of(stages, problem.devices());
    std::map<int, LeftOut> of_class;
    for (const int device : others) {
        of_class.try_emplace(classes.of_device[device],
                             LeftOut{device, std::numeric_limits<double>::infinity(), -1});
    }
    std::set<int> done;  // classes
    const std::size_t solved = solved_swaps(problem, of_class.size());
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
        std::vector<double> scores = scores_after(problem, stages, swaps, threads, stop);
        solve_best(problem, stages, swaps, solved, threads, stop, scores);
        if (stop && stop()) {
            break;  // some scores may be missing
        }
        done.insert(k);
        const auto least = std::ranges::min_element(scores);
        const Swap& swap = swaps[least - scores.begin()];
        reason.score = *least;
        reason.instead_of =
            *least < kDoesNotFit ? stages[swap.stage][swap.place] : reason.instead_of;
    }
    std::vector<LeftOut> reasons;
    for (const int device : others) {
        if (done.contains(classes.of_device[device])) {
            reasons.push_back(of_class.at(classes.of_device[device]));
            reasons.back().device = device;
        }
    }
    return reasons;
}

}  // namespace longhaul::placement
