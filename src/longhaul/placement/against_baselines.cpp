#include "longhaul/placement/against_baselines.hpp"

#include <numeric>

namespace longhaul::placement {
namespace {

/// Host order alone, as baselines without samples.
Baselines host_order_alone(const Problem& problem) {
    std::vector<int> devices(problem.shape.devices());
    std::iota(devices.begin(), devices.end(), 0);
    const Placement host(problem.shape, std::move(devices), problem.devices());
    Baselines baselines;
    baselines.host_order = score_as_mapped(problem, host);
    baselines.host_order_solved = solve_inner(problem, host.stages()).score.total();
    baselines.label_per_stage = baselines.host_order;
    return baselines;
}

}  // namespace

void compare_with_baselines(const Problem& problem,
                            std::span<const int> host_of,
                            const std::vector<std::string>& labels,
                            const SolveOptions& options,
                            Plan& plan) {
    const int samples = options.baseline_samples.value_or(usual_samples(problem));
    Baselines baselines;
    if (samples > 0) {
        baselines = make_baselines(problem,
                                   labels,
                                   samples,
                                   options.search.seed,
                                   options.search.threads,
                                   options.baseline_stop);
        plan.baselines = baselines;
    } else {
        baselines = host_order_alone(problem);
    }
    const auto better = better_baseline(problem, labels, baselines, samples, plan.score.total());
    if (!better) {
        return;
    }
    if (better->stages.empty()) {
        plan.placement = better->map;
    } else {
        const Solved solved = solve_inner(problem, better->stages);
        plan.placement = composed(problem, in_order(better->stages, solved.order), host_of);
    }
    plan.score = score_as_mapped(problem, plan.placement);
    describe_placement(problem, nullptr, options.search.threads, plan);
    plan.search.found_by = "baseline: " + better->name;
}

}  // namespace longhaul::placement
