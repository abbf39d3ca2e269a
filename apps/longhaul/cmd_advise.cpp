// advise: per-step placement, local steps or a schedule, for one fabric and job.
#include <chrono>
#include <functional>
#include <memory>

#include "longhaul/advise_inputs.hpp"
#include "longhaul/advise_text.hpp"
#include "longhaul/command.hpp"
#include "longhaul/inputs.hpp"
#include "longhaul/options.hpp"
#include "longhaul/schedule_inputs.hpp"

namespace longhaul::app {
namespace {

constexpr double kMaxSeconds = 1e9;
constexpr double kMaxGb = 1e6;
constexpr double kMaxGbps = 1e6;
constexpr double kSmallest = 1e-9;
constexpr std::size_t kManyIslands = 32;           // beyond, a search would take minutes
constexpr std::uint64_t kManyEvaluated = 100'000;  // about ten seconds of 64 islands
constexpr std::uint64_t kMostWork = 1'000'000'000'000;

struct Typed {
    AdviseInputs inputs;
    bool json = false;
    bool no_crossings = false;
};

/// True from so many seconds on.
std::function<bool()> stop_after(double seconds) {
    const auto begin = std::chrono::steady_clock::now();
    return [begin, seconds] {
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
        return passed.count() > seconds;
    };
}

int run_advise(Typed typed) {
    typed.inputs.advise.crossings = !typed.no_crossings;
    const double typed_limit = typed.inputs.time_limit_s.value_or(0);
    if (typed_limit > 0) {
        const auto stop = stop_after(typed_limit);
        typed.inputs.solve.search.stop = stop;
        typed.inputs.solve.proof.stop = stop;
        typed.inputs.advise.optimiser.stop = stop;
    }
    core::Result<AdviseCase> made = load_advise(typed.inputs);
    if (!made) {
        return report(made.error());
    }
    typed.inputs.advise.given = made->given;
    if (!typed.inputs.effort && made->problem.islands.size() > kManyIslands) {
        typed.inputs.advise.optimiser.most_evaluated = kManyEvaluated;
    }
    typed.inputs.advise.optimiser.effort =
        typed.inputs.effort.value_or(study::default_effort(made->problem.islands.size()));
    const study::PlacedStep* placed = made->placed ? &*made->placed : nullptr;
    const study::Advice advice = study::advise(made->problem, placed, typed.inputs.advise);
    print(typed.json ? core::write_json(study::to_value(advice, made->problem, placed))
                     : advise_text(advice, *made, typed.inputs));
    return kDone;
}

void add_files(CLI::App& command, AdviseInputs& inputs) {
    auto* fabric =
        command.add_option("--fabric", inputs.fabric, "fabric to place the job on; needs --job")
            ->type_name("FILE");
    command
        .add_option("--network",
                    inputs.network,
                    "network of the islands (islands or topology file); default: from the fabric")
        ->type_name("FILE");
    command.add_option("--job", inputs.job, "job file (TOML)")->type_name("FILE");
    command
        .add_option("--island-by",
                    inputs.island_by,
                    "what the devices of an island have in common: label, host, or group (the "
                    "first of their groups)")
        ->type_name("NAME")
        ->check(CLI::IsMember({"label", "host", "group"}))
        ->capture_default_str()
        ->needs(fabric);
    command.add_option("--pp", inputs.pp, "stages of the placed job; default: any")
        ->check(CLI::Range(1, 20'000))
        ->needs(fabric);
    command.add_option("--dp", inputs.dp, "replicas of the placed job; default: any")
        ->check(CLI::Range(1, 20'000))
        ->needs(fabric);
}

void add_compute(CLI::App& command, AdviseInputs& inputs) {
    auto* sequence =
        command
            .add_option("--sequence-seconds",
                        inputs.sequence_seconds,
                        "compute seconds of one sequence through the model on a reference device, "
                        "forward and backward")
            ->check(finite_number(kSmallest, kMaxSeconds));
    command
        .add_option("--tflops",
                    inputs.tflops,
                    "TFLOP/s that a reference device sustains, instead: 6 operations a parameter "
                    "and token, 8 with activation_checkpointing")
        ->check(finite_number(kSmallest, 1e9))
        ->excludes(sequence);
    command
        .add_option("--step-seconds",
                    inputs.step_seconds,
                    "compute seconds of a step of an island, with --network alone")
        ->check(finite_number(kSmallest, kMaxSeconds));
    command
        .add_option("--tokens-per-step",
                    inputs.tokens,
                    "tokens of a step, all islands together; default: of the job")
        ->check(finite_number(kSmallest, 1e15));
    command
        .add_option("--microbatches",
                    inputs.microbatches,
                    "micro-batches of a replica and step; default: of the job")
        ->check(CLI::Range(1, 1'000'000));
    command.add_option("--objective", inputs.objective, "how the transfers of a pipeline add up")
        ->type_name("NAME")
        ->check(CLI::IsMember({"additive", "pipelined"}))
        ->capture_default_str();
    command.add_option("--exchange", inputs.exchange, "how replicas of the placed job average")
        ->type_name("KIND")
        ->check(CLI::IsMember({"sharded", "ring", "central", "tree", "hierarchical"}))
        ->capture_default_str();
}

void add_network(CLI::App& command, AdviseInputs& inputs) {
    command
        .add_option("--payload-gb",
                    inputs.payload_gb,
                    "parameters that islands exchange, in GB; default: of the job, else of the "
                    "network")
        ->check(finite_number(kSmallest, kMaxGb));
    command
        .add_option("--gradient-gb",
                    inputs.gradient_gb,
                    "gradients that islands exchange in every step, in GB; default: of the job, "
                    "else as --payload-gb")
        ->check(finite_number(kSmallest, kMaxGb));
    command
        .add_option("--memory-gb",
                    inputs.memory_gb,
                    "memory of the aggregator of an island, in GB; default: of the network, else 0")
        ->check(finite_number(0, kMaxGb));
    command
        .add_option("--access-gbps",
                    inputs.access_gbps,
                    "access rate of an island each way, in Gbit/s; default: of the network")
        ->check(finite_number(kSmallest, kMaxGbps));
    command
        .add_option("--parallel-pairs",
                    inputs.parallel,
                    "pairs of devices of two islands that send at once, each at the rate that the "
                    "fabric states for it")
        ->check(CLI::Range(1, 20'000))
        ->capture_default_str()
        ->needs("--fabric");
    command
        .add_option("--multicast",
                    inputs.multicast,
                    "yes: streams reach many islands and aggregators add up; no: rings, copies and "
                    "rounds of pairs")
        ->type_name("WORD")
        ->check(CLI::IsMember({"yes", "no"}))
        ->default_str("yes with --network, else no");
    command
        .add_option("--rounds",
                    inputs.rounds,
                    "uniform: all rounds as long as the longest; own: each its own; streamed: "
                    "overlapping")
        ->type_name("NAME")
        ->check(CLI::IsMember({"uniform", "own", "streamed"}))
        ->capture_default_str();
    auto* given = command
                      .add_option("--schedule",
                                  inputs.schedule,
                                  "compare this one, of the network file or a file, instead of the "
                                  "best that is found; it is timed anew")
                      ->type_name("NAME|FILE");
    command
        .add_option("--max-period",
                    inputs.advise.optimiser.max_period,
                    "rounds of a period at most (default: 4, and 24 where all rounds are listed)")
        ->check(CLI::Range(1, kMostPeriod))
        ->excludes(given);
    command
        .add_option("--effort",
                    inputs.effort,
                    "scales how many schedules are looked at; that of schedule optimise is 1")
        ->check(finite_number(1e-3, 1e3))
        ->excludes(given)
        ->default_str(
            "0.05, beyond 16 islands x (16 / islands)^3, at least 0.001; beyond 32 islands at most "
            "100,000 schedules");
    command
        .add_option("--time-limit",
                    inputs.time_limit_s,
                    "seconds after which searches end with what they have; 0: none. Results then "
                    "depend on the machine")
        ->check(finite_number(0, 1e6))
        ->default_str("none");
}

void add_criterion(CLI::App& command, Typed& typed) {
    AdviseInputs& inputs = typed.inputs;
    command
        .add_option("--overhead",
                    inputs.overhead,
                    "share of the time that waiting for exchanges may take, and of the tokens that "
                    "less staleness may cost")
        ->check(finite_number(1e-6, 0.9))
        ->capture_default_str();
    command
        .add_option("--max-staleness",
                    inputs.advise.most_staleness_steps,
                    "steps that an update may be missing at other islands, on average")
        ->check(finite_number(0, 1e12))
        ->capture_default_str();
    command.add_flag("--no-crossings", typed.no_crossings, "without the crossing points");
}

}  // namespace

void add_advise(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand(
        "advise", "Compares per-step placement, local steps and schedules for a fabric and a job");
    example(*command,
            "longhaul advise --fabric fabrics/dtfm-table2-worldwide.json "
            "--job jobs/llama-7b.toml --tflops 100");
    auto typed = std::make_shared<Typed>();
    AdviseInputs& inputs = typed->inputs;
    inputs.solve.search.budget = 20'000;
    inputs.solve.proof.work = 5'000'000;
    inputs.solve.baseline_samples = 0;
    add_files(*command, inputs);
    add_compute(*command, inputs);
    add_network(*command, inputs);
    add_criterion(*command, *typed);
    add_seed(*command, inputs.solve.search.seed);
    command->add_option("--budget", inputs.solve.search.budget, "scored candidates of a placement")
        ->check(CLI::Range(std::uint64_t{1}, kMostWork))
        ->capture_default_str();
    command
        ->add_option("--proof-budget",
                     inputs.solve.proof.work,
                     "work of a proof, units of about 20 ns; 0: simple bounds")
        ->check(CLI::Range(std::uint64_t{0}, kMostWork))
        ->capture_default_str();
    add_threads(*command, inputs.solve.search.threads);
    command->add_flag("--json", typed->json, "print one JSON object");
    command->callback([typed, &session] {
        typed->inputs.advise.optimiser.seed = typed->inputs.solve.search.seed;
        session.run = [typed] { return run_advise(*typed); };
    });
}

}  // namespace longhaul::app
