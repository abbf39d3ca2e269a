#include "longhaul/inputs.hpp"

#include <algorithm>
#include <thread>

namespace longhaul::app {
namespace {

constexpr int kMaxDegree = 20'000;
constexpr int kMaxTensor = 1'024;
constexpr int kMaxMessages = 1'000'000'000;
constexpr std::uint64_t kMaxSeed = (std::uint64_t{1} << 53U) - 1;  // exact in JSON
constexpr int kMaxThreads = 1'024;

/// A number of stages or replicas, or "auto".
void add_degree(
    CLI::App& command, const std::string& name, int& degree, bool choose, const std::string& help) {
    const CLI::Range number(1, kMaxDegree);
    const CLI::Validator number_or_auto(
        [number, choose](std::string& text) {
            return choose && text == "auto" ? std::string() : number(text);
        },
        "");
    command
        .add_option_function<std::string>(
            name,
            [&degree](const std::string& text) {
                degree = text == "auto" ? kAuto : std::stoi(text);
            },
            help + (choose ? ", or auto (with --job); default: that of --job or --from"
                           : "; default: that of --job or of the plan"))
        ->type_name(fmt::format("N in [1 - {}]", kMaxDegree))
        ->check(number_or_auto);
}

void add_group_terms(CLI::App& command, PlacementInputs& inputs) {
    command.add_option("--exchange", inputs.exchange, "how replicas average gradients")
        ->type_name("KIND")
        ->check(CLI::IsMember({"sharded", "ring", "central", "tree", "hierarchical"}))
        ->capture_default_str();
    command.add_flag(
        "--ignore-shared",
        inputs.ignore_shared,
        "as if every pair had its link to itself, whatever the fabric states as shared");
    command
        .add_option("--layers",
                    inputs.layers,
                    "layers to divide over the stages (TOML or JSON), instead of --stage-seconds")
        ->type_name("FILE")
        ->excludes("--stage-seconds");
    command
        .add_option(
            "--schedule",
            inputs.schedule,
            "micro-batches in flight, for the memory of layers; default: that of --job, else 1f1b")
        ->type_name("NAME")
        ->check(CLI::IsMember({"1f1b", "gpipe"}));
}
}  // namespace

void add_placement_inputs(CLI::App& command, PlacementInputs& inputs, bool choose) {
    command
        .add_option(
            "--fabric,--matrix", inputs.fabric, "matrices, region table or host-group table")
        ->type_name("FILE")
        ->required();
    auto* job =
        command
            .add_option("--job",
                        inputs.job,
                        "job file (TOML): shape, payloads and message counts; --pp and --dp "
                        "stand instead of its shape")
            ->type_name("FILE");
    add_degree(command, "--pp", inputs.pp, choose, "stages of a pipeline");
    add_degree(command, "--dp", inputs.dp, choose, "replicas of a stage");
    command
        .add_option("--tp",
                    inputs.tp,
                    "tensor parallel: devices of one host that share a stage of a replica")
        ->check(CLI::Range(1, kMaxTensor))
        ->capture_default_str();
    auto* c_pp =
        command.add_option("--c-pp", inputs.c_pp, "activations across one stage boundary, in GB")
            ->check(finite_number(0, workload::kMostPayloadGb));
    auto* c_dp =
        command
            .add_option("--c-dp", inputs.c_dp, "gradients of one stage that are exchanged, in GB")
            ->check(finite_number(0, workload::kMostPayloadGb));
    auto* pp_messages = command
                            .add_option("--pp-messages",
                                        inputs.pp_messages,
                                        "transfers that carry c-pp, mostly one a micro-batch")
                            ->check(CLI::Range(1, kMaxMessages))
                            ->capture_default_str();
    auto* dp_messages =
        command
            .add_option("--dp-messages", inputs.dp_messages, "transfers to each peer in each round")
            ->check(CLI::Range(1, kMaxMessages))
            ->capture_default_str();
    for (auto* option : {c_pp, c_dp, pp_messages, dp_messages}) {
        job->excludes(option);
    }
    command
        .add_option("--c-pp-backward",
                    inputs.c_pp_backward,
                    "gradients back across one stage boundary, in GB; default: c-pp")
        ->check(finite_number(0, workload::kMostPayloadGb));
    command
        .add_option("--pp-backward-messages",
                    inputs.pp_backward_messages,
                    "transfers that carry them; default: pp-messages")
        ->check(CLI::Range(1, kMaxMessages));
    command.add_option("--objective", inputs.objective, "how the transfers of a pipeline add up")
        ->type_name("NAME")
        ->check(CLI::IsMember({"additive", "pipelined"}))
        ->capture_default_str();
    command
        .add_option("--microbatches",
                    inputs.microbatches,
                    "micro-batches of a replica and step; default: pp-messages")
        ->check(CLI::Range(1, kMaxMessages));
    command
        .add_option("--stage-seconds",
                    inputs.stage_seconds,
                    "compute seconds of a stage and step, forward and backward: one for all "
                    "stages, or one each, separated by commas")
        ->delimiter(',')
        ->check(finite_number(0, workload::kMostComputeSeconds));
    command
        .add_option("--sequence-seconds",
                    inputs.sequence_seconds,
                    "compute seconds of one sequence through the whole model of --job on a "
                    "reference device, forward and backward")
        ->check(finite_number(0, workload::kMostComputeSeconds))
        ->needs(job);
    command.add_option("--forward-share", inputs.forward_share, "forward part of stage-seconds")
        ->check(finite_number(0, 1))
        ->default_str("1/3");
    add_group_terms(command, inputs);
}

void note_given(const CLI::App& command, PlacementInputs& inputs) {
    for (const CLI::Option* option : command.get_options()) {
        if (option->count() > 0) {
            inputs.given.push_back(option->get_name());
        }
    }
}

void add_seed(CLI::App& command, std::uint64_t& seed) {
    command.add_option("--seed", seed, "seed of everything random")
        ->check(CLI::Range(std::uint64_t{0}, kMaxSeed))
        ->capture_default_str();
}

void add_threads(CLI::App& command, int& threads) {
    threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    command.add_option("--threads", threads, "threads; never changes the result")
        ->check(CLI::Range(1, kMaxThreads))
        ->default_str("all cores");
}

}  // namespace longhaul::app
