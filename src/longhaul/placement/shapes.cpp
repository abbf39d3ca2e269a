#include "longhaul/placement/shapes.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "longhaul/placement/against_baselines.hpp"
#include "longhaul/placement/describe.hpp"
#include "longhaul/placement/tensor.hpp"

namespace longhaul::placement {
namespace {

constexpr std::uint64_t kFirstShare = 200;
constexpr std::size_t kFinals = 3;
constexpr double kFirstRoundEnds = 1.0 / 3;  // of the time
constexpr double kQuickRoundEnds = 2.0 / 3;
constexpr int kMostRepeats = 4;
constexpr double kShapeRounding = 1e-9;

std::string reason_of(const core::Diagnostics& problems) {
    const core::Diagnostic& first = problems.front();
    return first.fix.empty() ? first.what : first.what + "; " + first.fix;
}

bool proved(const ShapeTrial& trial) {
    return gap_between(trial.score.total(), trial.bound.value).optimal;
}

/// The rounds over the shapes. Plans are of devices, or of tensor groups as devices.
class ShapeRounds {
public:
    ShapeRounds(std::span<const Shape> candidates,
                const std::function<core::Result<Problem>(Shape)>& problem_of,
                TensorUnits units,
                const SolveOptions& options,
                const ShapeWatch& watch)
        : problem_of_(problem_of),
          units_(std::move(units)),
          options_(options),
          watch_(watch),
          trials_(candidates.size()),
          plans_(candidates.size()),
          finished_(candidates.size(), 0) {
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            trials_[i].shape = candidates[i];
        }
    }

    [[nodiscard]] std::vector<ShapeTrial>& trials() { return trials_; }

    /// Host order and a bound of every shape.
    void first_round() {
        SolveOptions first = options_;
        first.kind = SearchKind::kHostOrder;
        first.proof.work = 0;
        std::vector<std::size_t> order = all();
        std::ranges::stable_sort(
            order, std::greater<>(), [&](std::size_t i) { return trials_[i].shape.devices(); });
        for (std::size_t k = 0; k < order.size(); ++k) {
            ShapeTrial& trial = trials_[order[k]];
            begin("bounding", k, order.size());
            trial.cut = k > 0 && least_ < kNone && used() >= kFirstRoundEnds;
            if (!trial.cut) {
                work_on(order[k], first, 1);
                trial.tried = trial.reason.empty() && proved(trial);
                trial.cut = false;  // there is no more to it
            }
        }
    }

    /// A fraction of the effort for those that may win, until that share of the time. `again`: only
    /// for those that were cut short.
    void quick_round(double ends, bool again) {
        SolveOptions quick = options_;
        quick.search.budget = std::max<std::uint64_t>(1, options_.search.budget / kFirstShare);
        quick.proof.work = options_.proof.work / kFirstShare;
        std::vector<std::size_t> order = placed();
        std::erase_if(order, [&](std::size_t i) { return again && !trials_[i].cut; });
        std::ranges::stable_sort(order, {}, [&](std::size_t i) { return trials_[i].bound.value; });
        for (std::size_t k = 0; k < order.size(); ++k) {
            ShapeTrial& trial = trials_[order[k]];
            if (!may_win(trial)) {
                continue;
            }
            begin("searching", k, order.size());
            const double left = ends - used();
            trial.cut = left <= 0;
            if (!trial.cut) {
                const auto others =
                    std::count_if(order.begin() + static_cast<std::ptrdiff_t>(k),
                                  order.end(),
                                  [&](std::size_t i) { return may_win(trials_[i]); });
                work_on(order[k], quick, used() + left / static_cast<double>(others));
                trial.tried = true;
            }
        }
    }

    /// All of the effort for the best by score, once for each unless it was cut short.
    void final_round() {
        std::vector<std::size_t> order = by_score();
        order.resize(std::min(order.size(), kFinals));
        for (std::size_t k = 0; k < order.size(); ++k) {
            ShapeTrial& trial = trials_[order[k]];
            const bool done = finished_[order[k]] != 0 && !trial.cut;
            if (done || proved(trial) || (k > 0 && trial.bound.value >= least_)) {
                continue;
            }
            begin("searching and proving the best", k, order.size());
            const double left = 1 - used();
            trial.cut = left <= 0;
            if (!trial.cut) {
                trial.tried = true;
                finished_[order[k]] = 1;
                work_on(order[k], options_, k + 1 == order.size() ? 1 : 1 - left / 2);
            }
        }
    }

    /// Whether time is left, and a shape that could do with it.
    [[nodiscard]] bool more_to_do() const {
        constexpr double kWorthAsking = 0.95;
        return watch_.used && used() < kWorthAsking &&
               std::ranges::any_of(
                   placed(), [&](std::size_t i) { return trials_[i].cut && may_win(trials_[i]); });
    }

    /// The best of all, compared with its baselines; nullopt when no shape can run.
    std::optional<Plan> best() {
        const std::vector<std::size_t> order = by_score();
        if (order.empty()) {
            return std::nullopt;
        }
        for (ShapeTrial& other : trials_) {
            other.cut = other.cut && (may_win(other) || other.bound.value == 0);
        }
        ShapeTrial& trial = trials_[order.front()];
        Plan plan = std::move(*plans_[order.front()]);
        const core::Result<Problem> problem = problem_of_(trial.shape);
        const Problem unit = trial.shape.tp > 1 ? grouped(*problem, units_.groups) : *problem;
        compare_with_baselines(unit, units_.host_of, units_.labels, options_, plan);
        describe_placement(unit, nullptr, options_.search.threads, plan, options_.baseline_stop);
        plan.bound.value = std::min(plan.bound.value, plan.score.total());
        trial.score = plan.score;
        trial.bound = plan.bound;
        trial.tried = true;
        if (trial.shape.tp > 1) {
            plan.workload = problem->workload;
            name_members(*problem, units_.groups, plan);
        }
        return plan;
    }

private:
    static constexpr double kNone = std::numeric_limits<double>::infinity();

    [[nodiscard]] double used() const { return watch_.used ? watch_.used() : 0; }

    void begin(std::string_view what, std::size_t k, std::size_t of) const {
        if (watch_.begins) {
            watch_.begins(what, k + 1, of);
        }
    }

    [[nodiscard]] std::vector<std::size_t> all() const {
        std::vector<std::size_t> order(trials_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        return order;
    }

    /// Those that have a plan.
    [[nodiscard]] std::vector<std::size_t> placed() const {
        std::vector<std::size_t> order = all();
        std::erase_if(order, [&](std::size_t i) { return !plans_[i].has_value(); });
        return order;
    }

    [[nodiscard]] std::vector<std::size_t> by_score() const {
        std::vector<std::size_t> order = placed();
        std::ranges::stable_sort(
            order, {}, [&](std::size_t i) { return trials_[i].score.total(); });
        return order;
    }

    /// Whether more work on it may lead to a better plan.
    [[nodiscard]] bool may_win(const ShapeTrial& trial) const {
        return !proved(trial) && trial.bound.value < least_;
    }

    /// Solves a shape until that share of the time; keeps the better plan and the better bound.
    void work_on(std::size_t i, const SolveOptions& effort, double until) {
        ShapeTrial& trial = trials_[i];
        core::Result<Problem> problem = problem_of_(trial.shape);
        if (problem && trial.shape.tp > 1) {
            if (units_.groups.members.size() < trial.shape.cells()) {
                trial.reason = fmt::format("the hosts hold {} groups of {} devices",
                                           units_.groups.members.size(),
                                           trial.shape.tp);
                return;
            }
            problem = grouped(*problem, units_.groups);
        }
        if (!problem) {
            trial.reason = reason_of(problem.error());
            return;
        }
        std::atomic<bool> late = false;
        SolveOptions options = effort;
        options.baseline_samples = 0;
        options.describe = false;
        options.search.stop = [&] {
            if ((options_.search.stop && options_.search.stop()) || used() >= until) {
                late = true;
            }
            return late.load();
        };
        options.proof.stop = options.search.stop;
        core::Result<Plan> plan = solve(*problem, units_.host_of, units_.labels, options);
        if (!plan) {
            trial.reason = reason_of(plan.error());
            plans_[i].reset();
            return;
        }
        keep(i, std::move(*plan));
        trial.cut = late && !proved(trial);
    }

    void keep(std::size_t i, Plan plan) {
        ShapeTrial& trial = trials_[i];
        Bound bound = plan.bound;
        if (plans_[i]) {
            if (trial.bound.value > bound.value) {
                bound = trial.bound;  // the first attempt had more luck
            }
            plan.search.evaluations += plans_[i]->search.evaluations;
            if (trial.score.total() <= plan.score.total()) {
                SearchRecord record = plan.search;
                record.found_by = plans_[i]->search.found_by;
                plan = std::move(*plans_[i]);
                plan.search = std::move(record);
            }
        }
        bound.value = std::min(bound.value, plan.score.total());
        plan.bound = bound;
        trial.score = plan.score;
        trial.bound = bound;
        least_ = std::min(least_, trial.score.total());
        plans_[i] = std::move(plan);
    }

    const std::function<core::Result<Problem>(Shape)>& problem_of_;
    TensorUnits units_;
    const SolveOptions& options_;
    const ShapeWatch& watch_;
    std::vector<ShapeTrial> trials_;
    std::vector<std::optional<Plan>> plans_;
    double least_ = kNone;        ///< the best score so far
    std::vector<char> finished_;  ///< had all of the effort
};

/// Why no shape can run.
core::Diagnostics reasons_of(const std::vector<ShapeTrial>& trials) {
    core::Diagnostics problems;
    for (const ShapeTrial& trial : trials) {
        problems.push_back({"",
                            fmt::format("pp {} x dp {}", trial.shape.pp, trial.shape.dp),
                            trial.reason,
                            "no other shape fits either"});
    }
    if (problems.empty()) {
        problems.push_back(
            {"", "shape", "no shape fits the devices", "choose a smaller pp, dp or tp"});
    }
    return problems;
}

}  // namespace

std::vector<Shape> shapes_for(std::size_t cells, int pp, int dp, int tp, bool all_used) {
    std::vector<Shape> shapes;
    const auto most = static_cast<int>(cells);
    const auto add_all = [&](bool every_dp) {
        for (int stages = pp > 0 ? pp : 1; stages <= (pp > 0 ? pp : most); ++stages) {
            const int highest = dp > 0 ? dp : most / stages;
            const int lowest = dp > 0 || !every_dp ? highest : 1;
            for (int replicas = highest; replicas >= std::max(lowest, 1); --replicas) {
                if (stages <= most / replicas) {
                    shapes.push_back({stages, replicas, tp});
                }
            }
        }
    };
    add_all(!all_used);
    if (shapes.size() > kMaxShapes) {
        shapes.clear();
        add_all(false);
    }
    if (all_used && !shapes.empty()) {
        const std::size_t used = std::ranges::max(shapes, {}, &Shape::devices).devices();
        std::erase_if(shapes, [&](const Shape& shape) { return shape.devices() < used; });
    }
    return shapes;
}

bool best_of_all(std::span<const ShapeTrial> trials, Shape chosen, double score) {
    return std::ranges::all_of(trials, [&](const ShapeTrial& trial) {
        return !trial.reason.empty() || trial.shape == chosen ||
               trial.bound.value >= score * (1 - kShapeRounding);
    });
}

core::Result<BestShape> solve_best_shape(
    std::span<const Shape> candidates,
    const std::function<core::Result<Problem>(Shape)>& problem_of,
    std::span<const int> host_of,
    const std::vector<std::string>& labels,
    const SolveOptions& options,
    const ShapeWatch& watch) {
    TensorUnits units{{}, {host_of.begin(), host_of.end()}, labels};
    if (!candidates.empty() && candidates.front().tp > 1) {
        units =
            tensor_units_of(make_tensor_groups(host_of, candidates.front().tp), host_of, labels);
    }
    ShapeRounds rounds(candidates, problem_of, std::move(units), options, watch);
    rounds.first_round();
    rounds.quick_round(kQuickRoundEnds, false);
    rounds.final_round();
    for (int again = 0; again < kMostRepeats && rounds.more_to_do(); ++again) {
        const double now = watch.used();
        rounds.quick_round(now + (1 - now) * kQuickRoundEnds, true);
        rounds.final_round();
    }
    std::optional<Plan> best = rounds.best();
    if (!best) {
        return tl::unexpected(reasons_of(rounds.trials()));
    }
    return BestShape{std::move(*best), std::move(rounds.trials())};
}

}  // namespace longhaul::placement
