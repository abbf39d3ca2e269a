// schedule run: a schedule between emulated hosts of this machine, against its times.
#include <optional>

#include "longhaul/command.hpp"
#include "longhaul/runtime/run.hpp"
#include "longhaul/runtime/wire.hpp"
#include "longhaul/schedule/schedule_file.hpp"
#include "longhaul/schedule/score.hpp"
#include "longhaul/schedule/streamed.hpp"
#include "longhaul/schedule_commands.hpp"
#include "longhaul/schedule_inputs.hpp"

namespace longhaul::app {
namespace {

constexpr double kMostPayloadMb = 64;
constexpr double kLargestMs = 1e5;
constexpr int kMostRepetitions = 1000;
constexpr int kMostTries = 20;
constexpr std::size_t kMostSessionRounds = 10000;
constexpr int kSignalled = 128;  // exit codes above: of signals

struct RunOptions {
    ScheduleInputs inputs;
    std::string schedule;
    runtime::SessionOptions session;
    std::string kill;
    double tolerance = 0.05;
    bool check = false;
    bool json = false;
    std::string output;
};

/// A schedule of the network or rounds of a file, with the times of the linear program.
core::Result<schedule::TimedSchedule> time_rounds(const LoadedIslands& loaded,
                                                  const RunOptions& options) {
    const auto named = load_rounds(options.schedule, loaded);
    if (!named) {
        return tl::unexpected(named.error());
    }
    schedule::RoundTimes times(loaded.islands, loaded.can);
    for (std::size_t k = 0; k < named->schedule.rounds.size(); ++k) {
        if (!times.timed(named->schedule.rounds[k])) {
            return core::fail({options.inputs.network,
                               fmt::format("{}, round {}", named->name, k + 1),
                               times.reason(named->schedule.rounds[k]),
                               "more memory (--memory-gb), or another schedule"});
        }
    }
    if (loaded.pace == schedule::Pace::kStreamed) {
        std::string reason;
        auto streamed = schedule::stream_schedule(named->schedule, times, loaded.mixing, &reason);
        if (!streamed) {
            return core::fail({options.inputs.network, named->name, reason, "another schedule"});
        }
        return std::move(streamed->schedule);
    }
    return schedule::timed_schedule(named->schedule, times, loaded.pace);
}

/// What --schedule names: with a "format" a file that says when everything happens.
core::Result<schedule::TimedSchedule> load_timed(const LoadedIslands& loaded,
                                                 const RunOptions& options) {
    if (loaded.islands.schedule(options.schedule) == nullptr && options.schedule != "-") {
        const auto text = read_file(options.schedule);
        const auto document = text ? core::parse_document(*text, options.schedule)
                                   : core::Result<core::Document>(tl::unexpected(text.error()));
        if (document && document->root.find("format") != nullptr) {
            return schedule::read_schedule(*document, loaded.islands, {loaded.sha256, false});
        }
    }
    return time_rounds(loaded, options);
}

/// "NAME@ROUND" of --kill; rounds of the session count from 1.
core::Result<std::optional<runtime::Kill>> kill_of(const RunOptions& options,
                                                   const schedule::Islands& islands,
                                                   std::size_t rounds) {
    if (options.kill.empty()) {
        return std::nullopt;
    }
    const std::size_t at = options.kill.rfind('@');
    const auto island = islands.find(options.kill.substr(0, at));
    const std::string digits = at != std::string::npos ? options.kill.substr(at + 1) : "";
    int round = 0;
    const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), round);
    if (!island || error != std::errc() || rest != digits.data() + digits.size() || round < 1 ||
        static_cast<std::size_t>(round) > rounds) {
        return core::fail({"",
                           "--kill",
                           "found " + core::shown(options.kill),
                           fmt::format("ISLAND@ROUND, such as {}@1; there are {} rounds",
                                       islands.islands.front().name,
                                       rounds)});
    }
    return runtime::Kill{*island, static_cast<std::uint32_t>(round - 1)};
}

core::Result<runtime::Session> load_session(const RunOptions& options) {
    if (const auto once = read_once({options.inputs.network, options.schedule}); !once) {
        return tl::unexpected(once.error());
    }
    const auto loaded = load_islands(options.inputs);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
    const auto timed = load_timed(*loaded, options);
    if (!timed) {
        return tl::unexpected(timed.error());
    }
    runtime::SessionOptions session = options.session;
    const std::size_t rounds = timed->rounds.size() * static_cast<std::size_t>(session.repetitions);
    if (rounds > kMostSessionRounds) {
        return core::fail({"",
                           "--repeat",
                           fmt::format("{} rounds in all", rounds),
                           fmt::format("at most {}", kMostSessionRounds)});
    }
    const auto kill = kill_of(options, loaded->islands, rounds);
    if (!kill) {
        return tl::unexpected(kill.error());
    }
    session.kill = *kill;
    if (session.kill) {
        const auto& phase = timed->rounds[session.kill->round % timed->rounds.size()];
        for (const schedule::TimedClique& clique : phase.cliques) {
            if (clique.members == schedule::Clique{1} << session.kill->island) {
                return core::fail({"",
                                   "--kill",
                                   fmt::format("{} is alone in that round, so nobody would miss it",
                                               options.kill.substr(0, options.kill.rfind('@'))),
                                   "a round in which it exchanges with others"});
            }
        }
    }
    auto made = runtime::make_session(loaded->islands, *timed, session);
    if (!made) {
        core::Diagnostics problems = made.error();
        for (core::Diagnostic& problem : problems) {
            problem.file = options.schedule;
        }
        return tl::unexpected(std::move(problems));
    }
    return made;
}

double lost_packets(const runtime::TrialRun& run) {
    double packets = 0;
    for (const emulate::Counters& each : run.counters) {
        packets += static_cast<double>(each.lost);
    }
    return packets;
}

double dropped_packets(const runtime::TrialRun& run) {
    double packets = 0;
    for (const emulate::Counters& each : run.counters) {
        packets += static_cast<double>(each.dropped);
    }
    return packets;
}

int outcome_of(const RunOptions& options,
               const runtime::Session& session,
               const runtime::TrialRun& run) {
    const runtime::Trial& trial = run.trial;
    if (run.exit_code != 0) {
        warn(run.exit_code > kSignalled
                 ? fmt::format(
                       "schedule run: signal {} ended the run before its last round, so that "
                       "there is no result; nothing of it is left",
                       run.exit_code - kSignalled)
                 : "schedule run: the coordinator ended before the last round, so that there is no "
                   "result; nothing of the run is left");
        return run.exit_code;
    }
    if (!trial.problem.empty()) {
        return report({{"",
                        "schedule run",
                        trial.problem,
                        "try again; where the machine is too slow, with a smaller --payload-mb"}});
    }
    core::Value value = runtime::trial_value(session, trial, options.tolerance);
    value.set("network_late_max_ms", run.traffic.late_max_ns / 1e6)
        .set("network_real_time", run.traffic.real_time)
        .set("network_lost", lost_packets(run))
        .set("network_dropped", dropped_packets(run));
    const std::string json = core::write_json(value);
    if (!options.output.empty()) {
        if (const auto written = write_file(options.output, json); !written) {
            return report(written.error());
        }
    }
    if (options.output != "-") {
        print(options.json ? json : runtime::trial_text(session, trial, options.tolerance));
    }
    return runtime::verdict_of(session, trial, options.tolerance).passed ? kDone : kNo;
}

int run_schedule(const RunOptions& options) {
    if (const auto apart =
            check_apart({options.output}, {options.inputs.network, options.schedule});
        !apart) {
        return report(apart.error());
    }
    const auto session = load_session(options);
    if (!session) {
        return report(session.error());
    }
    if (options.check) {
        print(runtime::session_text(*session) + runtime::rounds_text(*session));
        return kDone;
    }
    if (const auto writable = check_writable(options.output);
        !options.output.empty() && !writable) {
        return report(writable.error());
    }
    const auto run = runtime::run_trial(*session, [](const std::string& text) { warn(text); });
    return run ? outcome_of(options, *session, *run) : report(run.error());
}

void add_faults(CLI::App& command, RunOptions& options) {
    runtime::SessionOptions& session = options.session;
    command.add_option("--loss", session.loss, "share of packets that every link loses")
        ->check(finite_number(0, 0.5))
        ->type_name("SHARE")
        ->group("Faults");
    command.add_option("--duplicates", session.duplicates, "share of blocks that are sent twice")
        ->check(finite_number(0, 1))
        ->type_name("SHARE")
        ->group("Faults");
    command
        .add_option("--clock-error-ms",
                    session.clock_error_ms,
                    "clocks of the hosts are wrong by up to that")
        ->check(finite_number(0, kLargestMs))
        ->type_name("MS")
        ->group("Faults");
    command.add_option("--kill", options.kill, "kill an island in the middle of a round, from 1")
        ->type_name("ISLAND@ROUND")
        ->group("Faults");
}

void add_scale(CLI::App& command, runtime::SessionOptions& session) {
    command
        .add_option("--payload-mb",
                    session.payload_mb,
                    "what an island sends here, MB; links are slowed down along with it")
        ->check(finite_number(1e-3, kMostPayloadMb))
        ->capture_default_str()
        ->type_name("MB");
    command.add_option("--time-scale", session.time_scale, "factor for all times")
        ->check(finite_number(0.1, 100))
        ->capture_default_str()
        ->type_name("NUMBER");
    command
        .add_option("--block-elements", session.block_elements, "elements of 4 bytes in a datagram")
        ->check(CLI::Range(1, runtime::kMostElements))
        ->capture_default_str()
        ->type_name("N");
    command.add_option("--repeat", session.repetitions, "how often the schedule runs")
        ->check(CLI::Range(1, kMostRepetitions))
        ->capture_default_str()
        ->type_name("N");
    command
        .add_option("--spare-ms",
                    session.spare_ms,
                    "spread of arrivals that aggregators have slots for besides their memory")
        ->check(finite_number(0, kLargestMs))
        ->capture_default_str()
        ->type_name("MS");
    command.add_option("--gap-ms", session.gap_ms, "between rounds that do not overlap")
        ->check(finite_number(0, kLargestMs))
        ->capture_default_str()
        ->type_name("MS");
    command
        .add_option(
            "--patience-ms",
            session.patience_ms,
            "after the end of a round, until what is missing is left out; default 1000, and "
            "--recovery-ms")
        ->check(finite_number(0, kLargestMs))
        ->type_name("MS");
    command
        .add_option("--recovery-ms",
                    session.recovery_ms,
                    "between rounds, for what is sent again; default: what --loss needs")
        ->check(finite_number(0, kLargestMs))
        ->type_name("MS");
    command
        .add_option("--tries", session.tries, "most requests for the same block of the same island")
        ->check(CLI::Range(0, kMostTries))
        ->capture_default_str()
        ->type_name("N");
    command.add_option("--seed", session.seed, "of payloads, faults and clocks")
        ->check(whole_number())
        ->capture_default_str()
        ->type_name("N");
}

void add_outputs(CLI::App& command, RunOptions& options) {
    command
        .add_option(
            "--tolerance", options.tolerance, "share of the predicted time that a round may be off")
        ->check(finite_number(0, 100))
        ->capture_default_str()
        ->type_name("SHARE");
    command.add_flag("--check", options.check, "show what would run, build nothing");
    command.add_flag("--json", options.json, "print one JSON object");
    command.add_option("-o,--output", options.output, "write that JSON object to a file")
        ->type_name("FILE");
}

}  // namespace

void add_schedule_run(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand(
        "run",
        "Runs a schedule between emulated hosts of this machine, against its times and sums");
    example(*command,
            "longhaul schedule run --network islands/nine-city.json --schedule triangles "
            "--memory-gb 0");
    const auto options = std::make_shared<RunOptions>();
    add_network_inputs(*command, options->inputs);
    add_schedule_choice(*command, options->schedule);
    add_model_inputs(*command, options->inputs);
    add_scale(*command, options->session);
    add_faults(*command, *options);
    add_outputs(*command, *options);
    command->callback(
        [&session, options] { session.run = [options] { return run_schedule(*options); }; });
}

}  // namespace longhaul::app
