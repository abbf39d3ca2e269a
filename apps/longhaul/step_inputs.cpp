#include "longhaul/step_inputs.hpp"

#include "longhaul/fabric/names.hpp"
#include "longhaul/options.hpp"
#include "longhaul/placement/evaluate.hpp"
#include "longhaul/route_commands.hpp"

namespace longhaul::app {
namespace {

constexpr int kMaxChunks = 1'000;
constexpr int kMaxMicrobatches = 100'000;
constexpr int kMaxCores = 100'000;
constexpr int kMaxSteps = 1'000;
constexpr double kMaxSeconds = 1e6;
constexpr double kMostTasks = 1e7;  // two gigabytes

/// The terms and the workload of the plan with what was typed in their place.
core::Result<void> apply(const StepInputs& inputs, LoadedPlan& read) {
    placement::Problem& problem = read.loaded.problem;
    workload::Workload& workload = problem.workload;
    if (inputs.microbatches) {
        workload.microbatches = inputs.microbatches;
    }
    if (inputs.forward_share) {
        problem.terms.forward_share = *inputs.forward_share;
    }
    if (inputs.stage_seconds.empty()) {
        return {};
    }
    const auto stages = static_cast<std::size_t>(problem.shape.pp);
    if (inputs.stage_seconds.size() != 1 && inputs.stage_seconds.size() != stages) {
        return core::fail({"",
                           "--stage-seconds",
                           fmt::format("holds {} numbers", inputs.stage_seconds.size()),
                           fmt::format("give one, or {}: one a stage", stages)});
    }
    workload.layers.clear();
    workload.stage_seconds = inputs.stage_seconds;
    workload.stage_seconds.resize(stages, inputs.stage_seconds.front());
    return {};
}

study::StepOptions options_of(const StepInputs& inputs, const placement::Terms& terms) {
    study::StepOptions options;
    const std::string name =
        inputs.schedule.empty() ? std::string(placement::name_of(terms.schedule)) : inputs.schedule;
    options.order = *study::pipeline_order_of_name(name);
    options.chunks = inputs.chunks;
    options.overlap = !inputs.no_overlap;
    options.one_peer_at_a_time = inputs.one_peer_at_a_time;
    options.update_seconds = inputs.update_seconds;
    options.steps = inputs.steps;
    return options;
}

core::Result<void> check_size(const placement::Problem& problem, const StepInputs& inputs) {
    const double passes = 4.0 * static_cast<double>(problem.shape.devices()) * inputs.chunks *
                          inputs.steps * study::micro_batches_of(problem.workload);
    if (passes <= kMostTasks) {
        return {};
    }
    return core::fail({"",
                       inputs.microbatches ? "--microbatches" : "micro-batches of the plan",
                       fmt::format("{} micro-batches make {:.3g} tasks",
                                   study::micro_batches_of(problem.workload),
                                   passes),
                       fmt::format("at most {:.3g} are replayed; {}",
                                   kMostTasks,
                                   "replay fewer with --microbatches, and scale the result")});
}

core::Result<study::StepNetwork> network_of(const LoadedProblem& loaded,
                                            const study::Connections& connections,
                                            const StepInputs& inputs,
                                            const std::optional<topology::Routes>& routes) {
    if (routes) {
        return study::network_of_routes(
            *routes, fabric::device_names(loaded.fabric), connections.list);
    }
    return study::network_of_fabric(loaded.fabric,
                                    connections.list,
                                    loaded.problem.terms.count_shared && !inputs.ignore_shared);
}

}  // namespace

void add_step_options(CLI::App& command, StepInputs& inputs) {
    command
        .add_option("--fabric", inputs.fabric, "fabric to replay on; default: the one of the plan")
        ->type_name("FILE");
    auto* schedule =
        command
            .add_option("--schedule",
                        inputs.schedule,
                        "order of micro-batches: gpipe, 1f1b, interleaved; default: the plan's")
            ->type_name("NAME")
            ->check(CLI::IsMember({"gpipe", "1f1b", "interleaved"}));
    command
        .add_option("--chunks", inputs.chunks, "parts of the model on each stage, for interleaved")
        ->check(CLI::Range(1, kMaxChunks))
        ->capture_default_str()
        ->needs(schedule);
    command
        .add_option("--microbatches",
                    inputs.microbatches,
                    "micro-batches of a replica and step; default: the plan's")
        ->check(CLI::Range(1, kMaxMicrobatches));
    command
        .add_option("--stage-seconds",
                    inputs.stage_seconds,
                    "compute seconds of a stage and step: one for all stages, or one each, "
                    "separated by commas; default: the plan's")
        ->delimiter(',')
        ->check(finite_number(0, kMaxSeconds));
    command
        .add_option("--forward-share",
                    inputs.forward_share,
                    "forward part of stage-seconds; default: the plan's")
        ->check(finite_number(0, 1));
    command
        .add_option(
            "--update-seconds", inputs.update_seconds, "compute seconds of the optimiser a step")
        ->check(finite_number(0, kMaxSeconds))
        ->capture_default_str();
    command
        .add_option("--steps",
                    inputs.steps,
                    "steps in a row; the step time is the mean of all but the first")
        ->check(CLI::Range(1, kMaxSteps))
        ->capture_default_str();
    command.add_flag(
        "--no-overlap", inputs.no_overlap, "a stage does not compute while it sends to a stage");
    command.add_flag("--one-peer-at-a-time",
                     inputs.one_peer_at_a_time,
                     "exchanges talk to one peer after another, as the additive score assumes");
    auto* ignore_shared =
        command.add_flag("--ignore-shared",
                         inputs.ignore_shared,
                         "as if every pair had its link to itself, whatever the fabric states");
    command
        .add_option("--topology",
                    inputs.topology,
                    "topology or routes file: messages take its routes and share its links, "
                    "instead of the pairs of the fabric")
        ->type_name("FILE")
        ->excludes(ignore_shared);
    command
        .add_option("--cores",
                    inputs.cores,
                    "cores of one machine that all devices compute on, as under emulate; 0: each "
                    "device computes for itself")
        ->check(CLI::Range(0, kMaxCores))
        ->capture_default_str();
    auto* sharing = command
                        .add_option("--sharing",
                                    inputs.sharing,
                                    "how messages share a link: fair (at once, max-min fairly) or "
                                    "queue (one after the other, first come, first served)")
                        ->type_name("NAME")
                        ->check(CLI::IsMember({"fair", "queue"}))
                        ->capture_default_str();
    command
        .add_flag("--cold", inputs.cold, "connections begin the step idle: their windows grow anew")
        ->excludes(sharing);
}

core::Result<std::optional<topology::Routes>> load_step_routes(const StepInputs& inputs) {
    if (inputs.topology.empty()) {
        return std::nullopt;
    }
    core::Result<topology::Routes> routes = load_routes(inputs.topology);
    if (!routes) {
        return tl::unexpected(routes.error());
    }
    return std::move(*routes);
}

core::Result<PlayedPlan> play_plan(std::string_view text,
                                   const std::string& name,
                                   const StepInputs& inputs,
                                   const std::optional<topology::Routes>& routes) {
    core::Result<LoadedPlan> read = load_plan(inputs.fabric, text, name);
    if (!read) {
        return tl::unexpected(read.error());
    }
    const placement::Problem& problem = read->loaded.problem;
    const double score = placement::score_as_mapped(problem, read->plan.placement).total();
    if (core::Result<void> applied = apply(inputs, *read); !applied) {
        return tl::unexpected(applied.error());
    }
    if (inputs.chunks > 1 && inputs.schedule != "interleaved") {
        return core::fail({"",
                           "--chunks",
                           "is given without an interleaved schedule",
                           "add --schedule interleaved"});
    }
    if (core::Result<void> checked = check_size(problem, inputs); !checked) {
        return tl::unexpected(checked.error());
    }
    const study::StepOptions options = options_of(inputs, problem.terms);
    core::Result<study::StepGraph> graph =
        study::build_step(problem, read->loaded.fabric, read->plan.placement, options);
    if (!graph) {
        return tl::unexpected(graph.error());
    }
    const study::Connections connections = study::connections_of(*graph);
    core::Result<study::StepNetwork> network =
        network_of(read->loaded, connections, inputs, routes);
    if (!network) {
        return tl::unexpected(network.error());
    }
    core::Result<study::Replay> replay = study::replay(
        *graph, connections, *network, {inputs.cold, {}, inputs.sharing == "queue", inputs.cores});
    if (!replay) {
        core::Diagnostics problems = replay.error();
        for (core::Diagnostic& found : problems) {
            found.file = name;
        }
        return tl::unexpected(std::move(problems));
    }
    return PlayedPlan{std::move(*read),
                      score,
                      options,
                      std::move(*graph),
                      std::move(*network),
                      std::move(*replay)};
}

}  // namespace longhaul::app
