#include "longhaul/advise_inputs.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "longhaul/command.hpp"
#include "longhaul/fabric/subset.hpp"
#include "longhaul/inputs.hpp"
#include "longhaul/schedule/timed_score.hpp"
#include "longhaul/schedule_inputs.hpp"

namespace longhaul::app {
namespace {

/// Rates of links, relative to the fabric's, for which the job is placed as well, quickly: in host
/// order with the best pairs and order of stages, over all shapes.
constexpr double kAnchors[] = {0.1, 10};

tl::unexpected<core::Diagnostics> missing(std::string option, std::string fix) {
    return core::fail({"", std::move(option), "is missing", std::move(fix)});
}

core::Result<std::optional<workload::Job>> load_job(const AdviseInputs& inputs) {
    if (inputs.job.empty()) {
        return std::nullopt;
    }
    const core::Result<std::string> text = read_file(inputs.job);
    if (!text) {
        return tl::unexpected(text.error());
    }
    core::Result<workload::Job> job = workload::read_job(*text, input_name(inputs.job));
    if (!job) {
        return tl::unexpected(job.error());
    }
    return std::move(*job);
}

/// What islands exchange: as typed, else the parameters of the job, else nothing.
std::optional<double> payload_of(const AdviseInputs& inputs,
                                 const std::optional<workload::Job>& job) {
    if (inputs.payload_gb || !job) {
        return inputs.payload_gb;
    }
    return workload::total_parameters(job->model) * workload::bytes_of(job->parameters) / 1e9;
}

core::Result<schedule::Islands> load_network(const AdviseInputs& inputs,
                                             std::optional<double> payload_gb) {
    ScheduleInputs network;
    network.network = inputs.network;
    network.payload_gb = payload_gb;
    network.access_gbps = inputs.access_gbps;
    network.memory_gb = inputs.memory_gb;
    core::Result<LoadedIslands> loaded = load_islands(network, 1);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
    return std::move(loaded->islands);
}

/// What the network can do, and what else was typed.
void apply(const AdviseInputs& inputs, AdviseCase& made) {
    study::WaysProblem& problem = made.problem;
    problem.can = schedule::capabilities_of(problem.islands);
    problem.gradient_gb = problem.can.payload_gb;
    problem.multicast =
        inputs.multicast.empty() ? !inputs.network.empty() : inputs.multicast == "yes";
    problem.overhead = inputs.overhead;
    problem.pace = pace_of(inputs.rounds);
}

/// A schedule of the network or a file, with the weights that it states, to be timed anew.
core::Result<std::optional<study::ScheduleChoice>> load_given(const AdviseInputs& inputs,
                                                              const study::WaysProblem& problem) {
    if (inputs.schedule.empty()) {
        return std::nullopt;
    }
    LoadedIslands loaded;
    loaded.islands = problem.islands;
    auto named =
        load_rounds(inputs.schedule, loaded, {.network_sha256 = "", .other_network = true});
    if (!named) {
        return tl::unexpected(std::move(named.error()));
    }
    const int n = static_cast<int>(problem.islands.size());
    const bool large = std::ranges::any_of(named->schedule.rounds, [](const auto& round) {
        return std::ranges::any_of(round.cliques, [](schedule::Clique clique) {
            return schedule::clique_size(clique) > 2;
        });
    });
    if (!problem.multicast && large) {
        return core::fail({named->name,
                           "--schedule",
                           "has cliques of three or more, and --multicast is no",
                           "rounds of pairs, or --multicast yes"});
    }
    const schedule::MixingOptions mixing = schedule::with_targets({}, problem.islands);
    study::ScheduleChoice choice{named->name, named->schedule, {}};
    if (named->timed) {
        std::vector<schedule::MixingMatrix> period;
        for (const schedule::TimedRound& round : named->timed->rounds) {
            period.push_back(schedule::mixing_matrix(round, n));
        }
        choice.mixing = schedule::survival(period, mixing);
    } else {
        choice.mixing = schedule::survival(named->schedule, n, mixing);
    }
    return choice;
}

core::Result<study::StepJob> step_job(const AdviseInputs& inputs, workload::Job job) {
    study::StepJob step;
    step.job = std::move(job);
    if (!inputs.sequence_seconds && !inputs.tflops) {
        return missing("--sequence-seconds",
                       "the job does not say how long computing takes: give the seconds of a "
                       "sequence on a reference device, or --tflops that a device sustains");
    }
    step.sequence_seconds = inputs.sequence_seconds
                                ? *inputs.sequence_seconds
                                : study::sequence_seconds_at(step.job, *inputs.tflops);
    step.microbatches = inputs.microbatches;
    step.terms.objective = *placement::objective_of_name(inputs.objective);
    step.terms.exchange = *placement::exchange_of_name(inputs.exchange);
    step.pp = inputs.pp.value_or(0);
    step.dp = inputs.dp.value_or(0);
    return step;
}

core::Result<void> same_islands(const schedule::Islands& islands,
                                const std::vector<study::IslandGroup>& groups,
                                const AdviseInputs& inputs) {
    std::set<std::string> of_fabric;
    for (const study::IslandGroup& group : groups) {
        of_fabric.insert(group.name);
    }
    for (const schedule::Island& island : islands.islands) {
        if (of_fabric.erase(island.name) == 0) {
            return core::fail({input_name(inputs.network),
                               "",
                               fmt::format("island {} is no {} of the fabric",
                                           core::shown(island.name),
                                           inputs.island_by),
                               "the islands of both files must have the same names"});
        }
    }
    if (!of_fabric.empty()) {
        return core::fail({input_name(inputs.network),
                           "",
                           fmt::format("there is no island {}", core::shown(*of_fabric.begin())),
                           "the islands of both files must have the same names"});
    }
    return {};
}

/// A job placed inside one island.
struct InnerPlan {
    fabric::Fabric fabric;
    study::StepJob job;
    placement::Placement placement;
};

/// How long a step of the slowest island takes, or why an island has none.
core::Result<void> place_islands(const fabric::Fabric& fabric,
                                 const std::vector<study::IslandGroup>& groups,
                                 const study::StepJob& job,
                                 const AdviseInputs& inputs,
                                 study::WaysProblem& problem) {
    auto plans = std::make_shared<std::vector<InnerPlan>>();
    for (const study::IslandGroup& group : groups) {
        fabric::Fabric inside = fabric::subset(fabric, group.devices, "");
        study::StepJob part = study::share_of(job, fabric, group.devices);
        auto placed = study::best_step_plan(inside, input_name(inputs.fabric), part, inputs.solve);
        if (!placed) {
            problem.no_islands = fmt::format("{} cannot train by itself: {}",
                                             core::shown(group.name),
                                             placed.error().front().what);
            return {};
        }
        plans->push_back({std::move(inside), std::move(part), std::move(*placed)});
    }
    problem.local_step_s = [plans](double computing) {
        double slowest = 0;
        for (const InnerPlan& plan : *plans) {
            study::StepJob scaled = plan.job;
            scaled.sequence_seconds *= computing;
            slowest =
                std::max(slowest, study::step_seconds_on(plan.fabric, scaled, plan.placement));
        }
        return slowest;
    };
    return {};
}

/// The placed job, at its best of the plans that are known.
core::Result<void> place_all(const fabric::Fabric& fabric,
                             const std::vector<study::IslandGroup>& groups,
                             const study::StepJob& job,
                             const AdviseInputs& inputs,
                             AdviseCase& made) {
    auto placed = study::place_step(fabric, input_name(inputs.fabric), job, inputs.solve);
    if (!placed) {
        return tl::unexpected(placed.error());
    }
    auto plans = std::make_shared<std::vector<placement::Placement>>();
    plans->push_back(placed->placement);
    placement::SolveOptions quick = inputs.solve;
    quick.kind = placement::SearchKind::kHostOrder;
    quick.proof.work = 0;
    for (const double factor : kAnchors) {
        if (!inputs.advise.crossings) {
            break;
        }
        const fabric::Fabric other = study::with_faster_links(fabric, groups, factor);
        auto plan = study::best_step_plan(other, input_name(inputs.fabric), job, quick);
        if (plan) {
            plans->push_back(std::move(*plan));
        }
    }
    made.problem.placed_shape = fmt::format("pp {} x dp {}", placed->shape.pp, placed->shape.dp);
    made.problem.placed_step_s = [fabric, groups, job, plans](study::Scales scales) {
        const fabric::Fabric there = study::with_faster_links(fabric, groups, scales.links);
        study::StepJob scaled = job;
        scaled.sequence_seconds *= scales.computing;
        double least = std::numeric_limits<double>::infinity();
        for (const placement::Placement& plan : *plans) {
            least = std::min(least, study::step_seconds_on(there, scaled, plan));
        }
        return least;
    };
    made.placed = std::move(*placed);
    return {};
}

study::IslandBy island_by(const std::string& name) {
    return name == "host"    ? study::IslandBy::kHost
           : name == "group" ? study::IslandBy::kGroup
                             : study::IslandBy::kLabel;
}

core::Result<void> load_placed(const AdviseInputs& inputs,
                               const workload::Job& job,
                               std::optional<double> payload_gb,
                               AdviseCase& made) {
    const core::Result<study::StepJob> step = step_job(inputs, job);
    if (!step) {
        return tl::unexpected(step.error());
    }
    const core::Result<LoadedFabric> loaded = load_fabric(inputs.fabric);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
    const std::string file = input_name(inputs.fabric);
    const auto groups = study::island_groups(loaded->fabric, island_by(inputs.island_by), file);
    if (!groups) {
        return tl::unexpected(groups.error());
    }
    if (inputs.network.empty()) {
        made.problem.islands = study::islands_of_fabric(loaded->fabric,
                                                        *groups,
                                                        {payload_gb.value_or(1),
                                                         inputs.memory_gb.value_or(0),
                                                         inputs.access_gbps,
                                                         inputs.parallel},
                                                        file);
    } else if (auto same = same_islands(made.problem.islands, *groups, inputs); !same) {
        return same;
    }
    apply(inputs, made);
    made.problem.tokens = inputs.tokens.value_or(step->tokens());
    made.problem.compute_s = study::compute_window_s(loaded->fabric, *step);
    made.problem.gradient_gb = inputs.gradient_gb.value_or(workload::total_parameters(job.model) *
                                                           workload::bytes_of(job.gradients) / 1e9);
    if (auto placed = place_islands(loaded->fabric, *groups, *step, inputs, made.problem);
        !placed) {
        return placed;
    }
    return place_all(loaded->fabric, *groups, *step, inputs, made);
}

core::Result<void> check_given(const AdviseInputs& inputs) {
    if (inputs.fabric.empty() && inputs.network.empty()) {
        return missing("--fabric", "give --fabric and --job, or --network and --step-seconds");
    }
    if (!inputs.fabric.empty() && inputs.job.empty()) {
        return missing("--job", "the job that --fabric is to train");
    }
    if (inputs.fabric.empty() && (inputs.tflops || inputs.sequence_seconds)) {
        return core::fail(
            {"",
             inputs.tflops ? "--tflops" : "--sequence-seconds",
             "is of the devices of a fabric, and there is no --fabric",
             "with --network alone, --step-seconds: what a step of an island computes"});
    }
    if (inputs.fabric.empty() && !inputs.step_seconds) {
        return missing("--step-seconds", "the seconds that a step of an island computes");
    }
    return read_once({inputs.fabric, inputs.network, inputs.job, inputs.schedule});
}

core::Result<AdviseCase> load_case(const AdviseInputs& inputs) {
    if (auto given = check_given(inputs); !given) {
        return tl::unexpected(given.error());
    }
    const auto job = load_job(inputs);
    if (!job) {
        return tl::unexpected(job.error());
    }
    const std::optional<double> payload_gb = payload_of(inputs, *job);
    AdviseCase made;
    if (!inputs.network.empty()) {
        auto islands = load_network(inputs, payload_gb);
        if (!islands) {
            return tl::unexpected(islands.error());
        }
        made.problem.islands = std::move(*islands);
    }
    if (!inputs.fabric.empty()) {
        if (auto placed = load_placed(inputs, **job, payload_gb, made); !placed) {
            return tl::unexpected(placed.error());
        }
        return made;
    }
    apply(inputs, made);
    made.problem.gradient_gb =
        inputs.gradient_gb.value_or(*job ? workload::total_parameters((*job)->model) *
                                               workload::bytes_of((*job)->gradients) / 1e9
                                         : made.problem.can.payload_gb);
    made.problem.compute_s = *inputs.step_seconds;
    made.counts_tokens = inputs.tokens.has_value() || job->has_value();
    made.problem.tokens = inputs.tokens.value_or(
        *job ? (*job)->sequences_per_replica * (*job)->dp * (*job)->model.sequence_length : 1);
    return made;
}

}  // namespace

core::Result<AdviseCase> load_advise(const AdviseInputs& inputs) {
    auto made = load_case(inputs);
    if (!made) {
        return made;
    }
    auto given = load_given(inputs, made->problem);
    if (!given) {
        return tl::unexpected(std::move(given.error()));
    }
    made->given = std::move(*given);
    return made;
}

}  // namespace longhaul::app
