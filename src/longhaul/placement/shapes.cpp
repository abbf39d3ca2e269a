#include "longhaul/placement/shapes.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "longhaul/placement/prove.hpp"
#include "longhaul/placement/tensor.hpp"

namespace longhaul::placement {
namespace {

constexpr std::uint64_t kFirstShare = 200;
constexpr std::size_t kFinals = 3;
constexpr double kHighIncumbent = 1e30;  // seconds; above any score

std::string reason_of(const core::Diagnostics& problems) {
    const core::Diagnostic& first = problems.front();
    return first.fix.empty() ? first.what : first.what + "; " + first.fix;
}

/// A bound without branching, or why the shape cannot run.
ShapeTrial bounded(Shape shape,
                   const std::function<core::Result<Problem>(Shape)>& problem_of,
                   std::span<const int> host_of) {
    ShapeTrial trial;
    trial.shape = shape;
    core::Result<Problem> problem = problem_of(shape);
    if (!problem) {
        trial.reason = reason_of(problem.error());
        return trial;
    }
    if (shape.tp > 1) {
        problem = grouped(*problem, make_tensor_groups(host_of, shape.tp));
    }
    ProofOptions none;
    none.work = 0;
    trial.bound = prove(*problem, kHighIncumbent, none).bound;
    return trial;
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

core::Result<BestShape> solve_best_shape(
    std::span<const Shape> candidates,
    const std::function<core::Result<Problem>(Shape)>& problem_of,
    std::span<const int> host_of,
    const std::vector<std::string>& labels,
    const SolveOptions& options) {
    BestShape best;
    for (const Shape shape : candidates) {
        best.trials.push_back(bounded(shape, problem_of, host_of));
    }
    std::vector<std::size_t> order(candidates.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return best.trials[i].bound.value; });
    SolveOptions quick = options;
    quick.search.budget = std::max<std::uint64_t>(1, options.search.budget / kFirstShare);
    quick.proof.work = options.proof.work / kFirstShare;
    quick.baseline_samples = 0;
    std::vector<std::size_t> open;
    double least = std::numeric_limits<double>::infinity();
    for (const std::size_t i : order) {
        ShapeTrial& trial = best.trials[i];
        if (!trial.reason.empty() || trial.bound.value >= least) {
            continue;
        }
        const core::Result<Plan> plan = solve(*problem_of(trial.shape), host_of, labels, quick);
        if (!plan) {
            trial.reason = reason_of(plan.error());
            continue;
        }
        trial.tried = true;
        trial.score = plan->score;
        trial.bound = plan->bound;
        least = std::min(least, trial.score.total());
        open.push_back(i);
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
