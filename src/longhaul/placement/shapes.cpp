#include "longhaul/placement/shapes.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace longhaul::placement {
namespace {

constexpr std::uint64_t kFirstShare = 200;
constexpr std::size_t kFinals = 3;

std::string reason_of(const core::Diagnostics& problems) {
    const core::Diagnostic& first = problems.front();
    return first.fix.empty() ? first.what : first.what + "; " + first.fix;
}

}  // namespace

std::vector<Shape> shapes_for(std::size_t cells, int pp, int dp, int tp, bool all_used) {
    std::vector<Shape> shapes;
    const auto most = static_cast<int>(cells);
    for (int stages = pp > 0 ? pp : 1; stages <= (pp > 0 ? pp : most); ++stages) {
        const int replicas = dp > 0 ? dp : most / stages;
        if (replicas >= 1 && stages <= most / replicas) {
            shapes.push_back({stages, replicas, tp});
        }
    }
    if (all_used && !shapes.empty()) {
        const std::size_t used = std::ranges::max(shapes, {}, &Shape::devices).devices();
        std::erase_if(shapes, [&](const Shape& shape) { return shape.devices() < used; });
    }
    return shapes;
}

core::Result<BestShape> solve_best_shape(
    std::span<const Shape> candidates,
    const std::function<core::Result<Problem>(Shape)>& problem_of,
    std::span<const int> host_of,
    const std::vector<std::string>& labels,
    const SolveOptions& options) {
    BestShape best;
    SolveOptions quick = options;
    quick.search.budget = std::max<std::uint64_t>(1, options.search.budget / kFirstShare);
    quick.proof.work = options.proof.work / kFirstShare;
    quick.baseline_samples = 0;
    std::vector<std::size_t> open;
    for (const Shape shape : candidates) {
        ShapeTrial trial{shape, "", {}, {}};
        const core::Result<Problem> problem = problem_of(shape);
        const core::Result<Plan> plan =
            problem ? solve(*problem, host_of, labels, quick) : tl::unexpected(problem.error());
        if (plan) {
            trial.score = plan->score;
            trial.bound = plan->bound;
            open.push_back(best.trials.size());
        } else {
            trial.reason = reason_of(plan.error());
        }
        best.trials.push_back(std::move(trial));
    }
    if (open.empty()) {
        core::Diagnostics problems;
        for (const ShapeTrial& trial : best.trials) {
            problems.push_back({"",
                                fmt::format("pp {} x dp {}", trial.shape.pp, trial.shape.dp),
                                trial.reason,
                                "no other shape fits either"});
        }
        if (problems.empty()) {
            problems.push_back(
                {"", "shape", "no shape fits the devices", "choose a smaller pp, dp or tp"});
        }
        return tl::unexpected(std::move(problems));
    }
    std::ranges::stable_sort(open, {}, [&](std::size_t i) { return best.trials[i].score.total(); });
    bool first = true;
    for (std::size_t i = 0; i < std::min(open.size(), kFinals); ++i) {
        ShapeTrial& trial = best.trials[open[i]];
        core::Result<Plan> plan = solve(*problem_of(trial.shape), host_of, labels, options);
        if (!plan) {
            return tl::unexpected(plan.error());
        }
        trial.score = plan->score;
        if (trial.bound.value > plan->bound.value) {
            plan->bound = trial.bound;  // the first attempt had more luck
            plan->bound.value = std::min(plan->bound.value, plan->score.total());
        }
        trial.bound = plan->bound;
        if (first || plan->score.total() < best.plan.score.total()) {
            best.plan = std::move(*plan);
        }
        first = false;
    }
    return best;
}

}  // namespace longhaul::placement
