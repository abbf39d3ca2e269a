#include "longhaul/placement/replay_compute.hpp"

#include <algorithm>
#include <limits>

namespace longhaul::placement {
int replay_messages(const Problem& problem, bool forward) {
    const workload::Workload& workload = problem.workload;
    const int given = forward ? workload.pp_messages
                              : workload.pp_backward_messages.value_or(workload.pp_messages);
    return std::min(given, workload.microbatches.value_or(std::numeric_limits<int>::max()));
}

ReplayCompute replay_one_message(const Problem& problem, double all, double slowest) {
    const double share = problem.terms.forward_share;
    const double forward = share / replay_messages(problem, true);
    const double backward = (1 - share) / replay_messages(problem, false);
    return {all * (forward + backward), slowest * forward, slowest * backward};
}

ReplayCompute replay_compute(const Problem& problem, std::vector<double> speeds) {
    std::ranges::sort(speeds, std::greater<>());
    const workload::Workload& workload = problem.workload;
    if (!workload.layers.empty()) {
        double work = 0;
        double longest = 0;
        for (const workload::Layer& layer : workload.layers) {
            work += layer.seconds;
            longest = std::max(longest, layer.seconds);
        }
        double together = 0;
        for (const double speed : speeds) {
            together += speed;
        }
        return replay_one_message(
            problem, work / speeds.front(), std::max(work / together, longest / speeds.front()));
    }
    if (workload.stage_seconds.empty()) {
        return {};
    }
    double all = 0;
    double slowest = 0;
    const bool by_place = problem.speed.empty() && workload.stage_seconds.size() > 1;
    for (std::size_t s = 0; s < speeds.size(); ++s) {
        const double work =
            by_place ? workload.stage_seconds[s] : std::ranges::min(workload.stage_seconds);
        all += work / speeds[s];
        slowest = std::max(slowest, work / speeds[s]);
    }
    return replay_one_message(problem, all, slowest);
}

ReplayCompute replay_compute(const Problem& problem) {
    std::vector<double> devices = problem.speed;
    devices.resize(problem.devices(), 1);
    std::ranges::sort(devices, std::greater<>());
    std::vector<double> stages;
    for (int s = 1; s <= problem.shape.pp; ++s) {
        stages.push_back(devices[static_cast<std::size_t>(s * problem.shape.dp - 1)]);
    }
    return replay_compute(problem, std::move(stages));
}

double replay_step_of_layers(const Problem& problem, std::vector<double> speeds) {
    std::ranges::sort(speeds, std::greater<>());
    const ReplayCompute one = replay_one_message(problem, 1, 1);
    const double repeated = (replay_messages(problem, true) - 1) * one.forward +
                            (replay_messages(problem, false) - 1) * one.backward;
    double work = 0;
    double longest = 0;
    for (const workload::Layer& layer : problem.workload.layers) {
        work += layer.seconds;
        longest = std::max(longest, layer.seconds);
    }
    double best = std::numeric_limits<double>::infinity();
    double full = 0;  // speeds of the stages that are full
    for (const double speed : speeds) {
        full += speed;
        const double limit = std::max(longest / speeds.front(), work / full);
        double left = work;
        double sum = 0;
        for (const double other : speeds) {
            const double seconds = std::min(limit, left / other);
            sum += seconds;
            left -= seconds * other;
        }
        best = std::min(best, sum * one.sum + limit * repeated);
    }
    return best;
}

double replay_repeats(const Problem& problem, const ReplayCompute& compute, double slowness) {
    const workload::Workload& workload = problem.workload;
    const int forward = replay_messages(problem, true);
    const int backward = replay_messages(problem, false);
    const double there = workload.c_pp.value() / forward * slowness;
    const double back =
        workload.c_pp_backward.value_or(workload.c_pp).value() / backward * slowness;
    return (forward - 1) * std::max(there, compute.forward) +
           (backward - 1) * std::max(back, compute.backward);
}

}  // namespace longhaul::placement
