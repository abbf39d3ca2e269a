#include "longhaul/placement/least_compute.hpp"

#include <algorithm>
#include <numeric>

namespace longhaul::placement {
namespace {

/// All layers on the fastest stage, and the slowest stage as if they could be cut anywhere.
StageCompute least_compute_of_layers(const Problem& problem) {
    std::vector<double> speeds(problem.devices(), 1);
    if (!problem.speed.empty()) {
        speeds = problem.speed;
    }
    std::ranges::sort(speeds, std::greater<>());
    double together = 0;
    for (int s = 1; s <= problem.shape.pp; ++s) {
        together += speeds[s * problem.shape.dp - 1];
    }
    const double fastest = speeds[problem.shape.dp - 1];
    double work = 0;
    double slowest = 0;
    for (const Layer& layer : problem.workload.layers) {
        work += layer.seconds;
        slowest = std::max(slowest, layer.seconds);
    }
    const double most = std::max(work / together, slowest / fastest);
    const Passes passes = passes_of(problem.workload, problem.terms);
    const double forward = passes.forward_share / passes.forward_units;
    const double backward = (1 - passes.forward_share) / passes.backward_units;
    return {work / fastest * (forward + backward), most * forward, most * backward};
}

}  // namespace

StageCompute least_compute(const Problem& problem) {
    if (!problem.workload.layers.empty()) {
        return least_compute_of_layers(problem);
    }
    Problem best = problem;
    std::vector<double> seconds = problem.workload.stage_seconds;
    if (seconds.size() > 1) {
        // Any stage may get any group; the sum and the largest are bounded with the least seconds.
        std::ranges::fill(seconds, *std::ranges::min_element(seconds));
        if (problem.speed.empty()) {
            seconds = problem.workload.stage_seconds;
        }
    }
    best.workload.stage_seconds = seconds;
    std::vector<int> devices(problem.devices());
    std::iota(devices.begin(), devices.end(), 0);
    if (!problem.speed.empty()) {
        std::ranges::stable_sort(
            devices, std::greater<>(), [&](int d) { return problem.speed[d]; });
    }
    Stages stages(problem.shape.pp);
    for (std::size_t i = 0; i < problem.shape.devices(); ++i) {
        stages[i / static_cast<std::size_t>(problem.shape.dp)].push_back(devices[i]);
    }
    return stage_compute(best, stages);
}

double least_compute_seconds(const Problem& problem) {
    const StageCompute compute = least_compute(problem);
    return compute.sum + repeats(passes_of(problem.workload, problem.terms), compute, 0);
}

Problem additive_part(const Problem& problem) {
    Problem part = problem;
    part.terms.objective = Objective::kAdditive;
    part.workload.stage_seconds.clear();
    part.workload.layers.clear();
    part.speed.clear();
    part.memory_gb.clear();
    return part;
}

}  // namespace longhaul::placement
