#include "longhaul/study/per_step.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "longhaul/core/assert.hpp"
#include "longhaul/study/build_step.hpp"
#include "longhaul/study/replay.hpp"
#include "longhaul/study/step_report.hpp"
#include "longhaul/workload/reshape.hpp"
#include "longhaul/workload/size.hpp"

namespace longhaul::study {
namespace {

constexpr double kMostTasks = 2e5;  // of a step that is replayed: below a second

double speed_of(const fabric::Fabric& fabric, std::size_t device) {
    const std::vector<fabric::Device>& devices = fabric.parts().devices;
    return devices.empty() ? 1 : devices[device].speed;
}

double speed_of_all(const fabric::Fabric& fabric) {
    double sum = 0;
    for (std::size_t i = 0; i < fabric.size(); ++i) {
        sum += speed_of(fabric, i);
    }
    return sum;
}

/// The least bound over the shapes that can run.
StepBound least_bound(const std::vector<placement::ShapeTrial>& trials) {
    StepBound least;
    least.seconds = std::numeric_limits<double>::infinity();
    for (const placement::ShapeTrial& trial : trials) {
        if (trial.reason.empty() && trial.bound.value < least.seconds) {
            least = {trial.bound.value, trial.shape, trial.bound.method};
        }
    }
    return least;
}

core::Result<placement::BestShape> best_shape(const fabric::Fabric& fabric,
                                              const std::string& file,
                                              const StepJob& job,
                                              bool compute,
                                              const placement::SolveOptions& options) {
    const auto problem_of = [&](placement::Shape shape) {
        return step_problem(fabric, file, job, shape, compute);
    };
    for (const bool all_used : {true, false}) {
        auto best = placement::solve_best_shape(
            placement::shapes_for(fabric.size(), job.pp, job.dp, 1, all_used),
            problem_of,
            fabric.host_of_device(),
            fabric.labels(),
            options);
        if (best || !all_used) {
            return best;
        }
    }
    return core::fail({file, "", "no shape", ""});  // not reached
}

std::optional<double> replayed(const fabric::Fabric& fabric,
                               const StepJob& job,
                               const placement::Placement& placement) {
    const auto problem = step_problem(fabric, "", job, placement.shape(), true);
    LONGHAUL_ASSERT(problem.has_value());
    const placement::Shape shape = placement.shape();
    const double tasks =
        4.0 * micro_batches_of(problem->workload) * static_cast<double>(shape.devices()) +
        2.0 * shape.pp * shape.dp * shape.dp;
    if (tasks > kMostTasks) {
        return std::nullopt;
    }
    const auto graph = build_step(*problem, fabric, placement, {});
    if (!graph) {
        return std::nullopt;
    }
    const Connections connections = connections_of(*graph);
    const auto played =
        replay(*graph, connections, network_of_fabric(fabric, connections.list, true));
    return played ? std::optional(step_seconds(*graph, played->times)) : std::nullopt;
}

}  // namespace

double sequence_seconds_at(const workload::Job& job, double tflops) {
    const double operations = job.activation_checkpointing ? 8 : 6;
    return operations * workload::total_parameters(job.model) * job.model.sequence_length /
           (tflops * 1e12);
}

double compute_window_s(const fabric::Fabric& fabric, const StepJob& job) {
    return job.sequences() * job.sequence_seconds / speed_of_all(fabric);
}

core::Result<placement::Problem> step_problem(const fabric::Fabric& fabric,
                                              const std::string& file,
                                              const StepJob& job,
                                              placement::Shape shape,
                                              bool compute) {
    const core::Result<workload::Job> shaped =
        workload::reshaped(job.job, shape.pp, shape.dp, shape.tp);
    if (!shaped) {
        return tl::unexpected(shaped.error());
    }
    workload::Workload workload = workload::size(*shaped).workload;
    if (job.microbatches) {
        workload.microbatches = job.microbatches;
    }
    for (std::size_t i = 0; compute && i < shaped->stage_layers.size(); ++i) {
        workload.stage_seconds.push_back(job.sequence_seconds * shaped->sequences_per_replica *
                                         shaped->stage_layers[i] / shaped->model.layers);
    }
    return placement::make_problem(fabric, file, workload, shape, job.terms);
}

core::Result<PlacedStep> place_step(const fabric::Fabric& fabric,
                                    const std::string& file,
                                    const StepJob& job,
                                    const placement::SolveOptions& options) {
    auto best = best_shape(fabric, file, job, true, options);
    if (!best) {
        return tl::unexpected(best.error());
    }
    const auto transfers = best_shape(fabric, file, job, false, options);
    if (!transfers) {
        return tl::unexpected(transfers.error());
    }
    PlacedStep placed;
    placed.shape = best->plan.placement.shape();
    placed.placement = best->plan.placement;
    placed.seconds = best->plan.score.total();
    placed.bound = least_bound(best->trials);
    placed.exchange = least_bound(transfers->trials);
    placed.tried = std::move(best->trials);
    placed.replayed_s = replayed(fabric, job, placed.placement);
    return placed;
}

core::Result<placement::Placement> best_step_plan(const fabric::Fabric& fabric,
                                                  const std::string& file,
                                                  const StepJob& job,
                                                  const placement::SolveOptions& options) {
    auto best = best_shape(fabric, file, job, true, options);
    if (!best) {
        return tl::unexpected(best.error());
    }
    return std::move(best->plan.placement);
}

double step_seconds_on(const fabric::Fabric& fabric,
                       const StepJob& job,
                       const placement::Placement& placement) {
    const auto problem = step_problem(fabric, "", job, placement.shape(), true);
    LONGHAUL_ASSERT(problem.has_value());
    return placement::score_as_mapped(*problem, placement).total();
}

StepJob share_of(const StepJob& job, const fabric::Fabric& all, const std::vector<int>& devices) {
    StepJob part = job;
    double speed = 0;
    for (const int device : devices) {
        const auto at = static_cast<std::size_t>(device);
        speed += speed_of(all, at);
        const auto& known = all.parts().devices;
        if (!known.empty() && known[at].memory_gb) {
            part.job = workload::limited(std::move(part.job), known[at].memory_gb);
        }
    }
    part.job.sequences_per_replica *= speed / speed_of_all(all);
    part.pp = 0;
    part.dp = 0;
    return part;
}

}  // namespace longhaul::study
