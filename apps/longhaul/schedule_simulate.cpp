// schedule simulate: what happens when a schedule is run, block by block.
#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/ranges.h>

#include "longhaul/schedule/score.hpp"
#include "longhaul/schedule/streamed.hpp"
#include "longhaul/schedule_commands.hpp"
#include "longhaul/schedule_disturbances.hpp"
#include "longhaul/schedule_pictures.hpp"
#include "longhaul/schedule_simulated.hpp"
#include "longhaul/schedule_text.hpp"

namespace longhaul::app {
namespace {

constexpr double kLongestMs = 1e9;
constexpr double kMostChance = 0.999;

struct SimulateOptions {
    ScheduleInputs inputs;
    std::string schedule;
    bool other_network = false;
    std::vector<std::string> planning;  ///< options given that a schedule file has no use for
    schedule::SimulationOptions run;
    std::string index = "ring";
    std::string missing = "renormalise";
    Disturbances disturbances;
    std::string picture;
    int picture_rounds = 0;
    bool check = false;
    bool json = false;
};

/// The schedule of a file as it stands there, with the memory of the command line, if any.
core::Result<schedule::TimedSchedule> timed_file(const SimulateOptions& options,
                                                 const NamedRounds& named) {
    if (!options.planning.empty()) {
        return core::fail({named.name,
                           options.planning.front(),
                           "a schedule file says that itself",
                           "leave it out, or name rounds to plan anew"});
    }
    schedule::TimedSchedule timed = *named.timed;
    if (options.inputs.memory_gb) {
        std::ranges::fill(timed.memory_gb, *options.inputs.memory_gb);
    }
    return timed;
}

/// Rounds with times of their own making; nothing, with a reason, when they cannot be run.
std::optional<schedule::TimedSchedule> timed_rounds(const LoadedIslands& loaded,
                                                    const NamedRounds& named,
                                                    std::string& reason) {
    schedule::RoundTimes times(loaded.islands, loaded.can);
    if (loaded.pace == schedule::Pace::kStreamed) {
        auto streamed = schedule::stream_schedule(named.schedule, times, loaded.mixing, &reason);
        return streamed ? std::optional(ready_to_run(std::move(streamed->schedule), loaded))
                        : std::nullopt;
    }
    const auto score = schedule::score_schedule(named.schedule, times, loaded.pace, loaded.mixing);
    reason = score.reason;
    const bool idle = score.feasible &&
                      (loaded.pace == schedule::Pace::kOwn ? std::ranges::min(score.round_ms)
                                                           : std::ranges::max(score.round_ms)) == 0;
    if (idle) {
        reason = "rounds in which nobody exchanges anything take no time: nothing to run";
    }
    return score.feasible && !idle
               ? std::optional(ready_to_run(
                     schedule::timed_schedule(named.schedule, times, loaded.pace), loaded))
               : std::nullopt;
}

/// Problems of a run at the options that were typed.
core::Diagnostics as_typed(core::Diagnostics problems, const schedule::SimulationOptions& run) {
    for (core::Diagnostic& problem : problems) {
        if (problem.where == "rounds") {
            problem.where = "--rounds-to-run";
        }
        for (std::size_t i = 0; i < run.changes.size(); ++i) {
            if (problem.where == fmt::format("changes[{}]", i)) {
                problem.where = run.changes[i].joins ? "--join" : "--leave";
            }
        }
    }
    return problems;
}

int refuse(const SimulateOptions& options, const LoadedIslands& loaded, const std::string& reason) {
    print(options.json
              ? core::write_json(core::Value::object().set("feasible", false).set("reason", reason))
              : network_line(loaded) + "schedule   none: " + reason + "\n");
    return kNo;
}

/// The files that the command reads and writes.
core::Result<void> check_files(const SimulateOptions& options) {
    if (auto once = read_once({options.inputs.network, options.schedule}); !once) {
        return once;
    }
    return check_outputs(
        options.picture, {}, {options.inputs.network, options.schedule}, options.json);
}

core::Result<schedule::SimulationOptions> run_options(const SimulateOptions& options,
                                                      const LoadedIslands& loaded,
                                                      std::size_t period) {
    schedule::SimulationOptions run = options.run;
    run.index = options.index == "hash" ? schedule::SlotIndex::kHash : schedule::SlotIndex::kRing;
    run.missing =
        options.missing == "own" ? schedule::Missing::kOwn : schedule::Missing::kRenormalise;
    if (!options.picture.empty()) {
        const int rounds =
            options.picture_rounds > 0
                ? options.picture_rounds
                : static_cast<int>(std::min<std::size_t>(period, schedule::kMaxIslands));
        run.log_rounds = std::min(rounds, run.rounds);
    }
    if (auto added = add_disturbances(options.disturbances, loaded.islands, run); !added) {
        return tl::unexpected(std::move(added.error()));
    }
    return run;
}

/// Prints what happened; the exit code.
int tell(const SimulateOptions& options,
         const LoadedIslands& loaded,
         const SimulatedSchedule& simulated) {
    const std::vector<std::string> wrong = disagreements(simulated, loaded.islands);
    if (options.json) {
        print(core::write_json(simulated_value(simulated, loaded)));
    } else if (options.picture != "-") {
        std::string text = simulated_text(simulated, loaded);
        if (options.check) {
            text += fmt::format(
                "check      {}\n",
                wrong.empty() ? "passed" : fmt::format("failed: {}", fmt::join(wrong, "; ")));
        }
        print(text);
    }
    return options.check && !wrong.empty() ? kNo : kDone;
}

core::Result<int> simulate(const SimulateOptions& options) {
    if (auto files = check_files(options); !files) {
        return tl::unexpected(std::move(files.error()));
    }
    auto loaded = load_islands(options.inputs);
    if (!loaded) {
        return tl::unexpected(std::move(loaded.error()));
    }
    auto named =
        load_rounds(options.schedule,
                    *loaded,
                    {.network_sha256 = loaded->sha256, .other_network = options.other_network});
    if (!named) {
        return tl::unexpected(std::move(named.error()));
    }
    auto run = run_options(options, *loaded, named->schedule.rounds.size());
    if (!run) {
        return tl::unexpected(std::move(run.error()));
    }
    SimulatedSchedule simulated;
    simulated.name = named->name;
    simulated.options = std::move(*run);
    if (named->timed) {
        auto timed = timed_file(options, *named);
        if (!timed) {
            return tl::unexpected(std::move(timed.error()));
        }
        simulated.timed = std::move(*timed);
        loaded->can.memory_gb = simulated.timed.memory_gb;
        loaded->can.guard_ms = simulated.timed.guard_ms;
        loaded->islands.payload_gb = simulated.timed.payload_gb;
    } else {
        std::string reason;
        auto timed = timed_rounds(*loaded, *named, reason);
        if (!timed) {
            return refuse(options, *loaded, reason);
        }
        simulated.timed = std::move(*timed);
    }
    simulated.computed = computed_scores(simulated.timed, loaded->islands, simulated.options);
    auto ran = schedule::simulate(simulated.timed, loaded->islands, simulated.options);
    if (!ran) {
        return tl::unexpected(as_typed(std::move(ran.error()), simulated.options));
    }
    simulated.run = std::move(*ran);
    if (!options.picture.empty()) {
        if (auto written =
                write_file(options.picture, simulated_picture(simulated, loaded->islands));
            !written) {
            return tl::unexpected(std::move(written.error()));
        }
    }
    return tell(options, *loaded, simulated);
}

void add_run(CLI::App& command, SimulateOptions& options) {
    schedule::SimulationOptions& run = options.run;
    command.add_option("--rounds-to-run", run.rounds, "rounds that are run, period after period")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    command.add_option("--blocks", run.blocks, "parts of the payload; a slot holds one")
        ->check(CLI::Range(1, 100000000))
        ->capture_default_str();
    command.add_option("--births", run.births, "updates that are followed; 0: no score")
        ->check(CLI::Range(0, 100000000))
        ->capture_default_str();
    command.add_option("--seed", run.seed, "of all chance")
        ->check(whole_number())
        ->capture_default_str();
    command
        .add_option(
            "--slots", options.index, "ring: the slot of a block is its number; hash: a random one")
        ->check(CLI::IsMember({"ring", "hash"}))
        ->capture_default_str();
}

void add_noise(CLI::App& command, SimulateOptions& options) {
    schedule::SimulationOptions& run = options.run;
    command
        .add_option("--jitter-ms",
                    run.jitter_ms,
                    "standard deviation of the latency of every link; default: that of the file")
        ->check(finite_number(0, 1e6));
    command.add_option("--loss", run.loss, "chance that a link loses a block")
        ->check(finite_number(0, kMostChance))
        ->capture_default_str();
    command.add_option("--duplication", run.duplication, "chance that a block arrives twice")
        ->check(finite_number(0, kMostChance))
        ->capture_default_str();
    command.add_option("--tries", run.tries, "how often a missing block is asked for")
        ->check(CLI::Range(0, 1000))
        ->capture_default_str();
    command
        .add_option("--patience-ms",
                    run.patience_ms,
                    "from when a block should have come until it is asked for")
        ->check(finite_number(0, kLongestMs))
        ->capture_default_str();
    command
        .add_option(
            "--grace-ms", run.grace_ms, "from the planned end until an island mixes what it has")
        ->check(finite_number(0, kLongestMs))
        ->capture_default_str();
    command
        .add_option("--missing",
                    options.missing,
                    "renormalise: weights of what came are scaled to 1; own: the island's own "
                    "parameters take the rest")
        ->check(CLI::IsMember({"renormalise", "own"}))
        ->capture_default_str();
    command
        .add_option("--outage",
                    options.disturbances.outages,
                    "link:A>B:FROM:TO (A<>B: both directions), island:A:FROM:TO, "
                    "aggregator-closed:A:FROM:TO or aggregator-open:A:FROM:TO, in ms, TO may be "
                    "end; repeatable")
        ->type_name("KIND:WHAT:FROM:TO")
        ->allow_extra_args(false);
    command
        .add_option("--join",
                    options.disturbances.joins,
                    "an island that joins at the start of a round; the first is 1; repeatable")
        ->type_name("ISLAND@ROUND")
        ->allow_extra_args(false);
    command
        .add_option("--leave",
                    options.disturbances.leaves,
                    "an island that leaves at the start of a round; repeatable")
        ->type_name("ISLAND@ROUND")
        ->allow_extra_args(false);
}

}  // namespace

void add_schedule_simulate(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand(
        "simulate", "Run a schedule block by block, with noise, losses and failures");
    example(*command,
            "longhaul schedule simulate triangles --network islands/nine-city.json --outage "
            "island:SIN:3000:5000");
    auto options = std::make_shared<SimulateOptions>();
    command
        ->add_option("schedule",
                     options->schedule,
                     "a schedule file, the name of a schedule in the network file, or a file with "
                     "rounds")
        ->type_name("NAME|FILE")
        ->required();
    add_network_inputs(*command, options->inputs);
    command->add_flag("--other-network",
                      options->other_network,
                      "run a schedule that was made for another network with the same islands");
    add_timing_inputs(*command, options->inputs);
    add_run(*command, *options);
    add_noise(*command, *options);
    command
        ->add_option("--picture-timeline", options->picture, "who sent and received when, to write")
        ->type_name("FILE.svg");
    command
        ->add_option(
            "--picture-rounds", options->picture_rounds, "rounds of the picture; 0: one period")
        ->check(CLI::Range(0, 100))
        ->capture_default_str();
    command->add_flag("--check",
                      options->check,
                      "end with 1 when the score is not the computed one, a sum is wrong or a link "
                      "too full");
    command->add_flag("--json", options->json, "print one JSON object");
    command->callback([command, options, &session] {
        for (const char* name :
             {"--payload-gb", "--guard-ms", "--trees", "--sharing", "--rounds"}) {
            if (command->count(name) > 0) {
                options->planning.emplace_back(name);
            }
        }
        session.run = [options] {
            const core::Result<int> done = simulate(*options);
            return done ? *done : report(done.error());
        };
    });
}

}  // namespace longhaul::app
