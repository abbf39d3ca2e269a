#include "longhaul/inputs.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <thread>

#include <fmt/ranges.h>

#include "longhaul/command.hpp"
#include "longhaul/core/cursor.hpp"
#include "longhaul/core/hash.hpp"
#include "longhaul/fabric/read.hpp"
#include "longhaul/workload/size.hpp"

namespace longhaul::app {
namespace {

constexpr int kMaxDegree = 20'000;
constexpr int kMaxTensor = 1'024;
constexpr int kMaxMessages = 1'000'000'000;
constexpr double kMaxPayloadGb = 1e9;
constexpr double kMaxStageSeconds = 1e9;
constexpr std::uint64_t kMaxSeed = (std::uint64_t{1} << 53U) - 1;  // exact in JSON
constexpr int kMaxThreads = 1'024;
constexpr std::time_t kLastSecond = 253'402'300'799;  // 9999-12-31T23:59:59Z

/// A number of stages or replicas, or "auto".
void add_degree(CLI::App& command, const std::string& name, int& degree, const std::string& help) {
    const CLI::Validator number_or_auto(
        [](std::string& text) {
            return text == "auto" ? std::string() : CLI::Range(1, kMaxDegree)(text);
        },
        "");
    command
        .add_option_function<std::string>(
            name,
            [&degree](const std::string& text) {
                degree = text == "auto" ? kAuto : std::stoi(text);
            },
            help)
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
            "--schedule", inputs.schedule, "micro-batches in flight, for the memory of layers")
        ->type_name("NAME")
        ->check(CLI::IsMember({"1f1b", "gpipe"}))
        ->capture_default_str();
}

/// A file with the list `layers`.
core::Result<std::vector<workload::Layer>> load_layers(const std::string& path) {
    const core::Result<std::string> text = read_file(path);
    if (!text) {
        return tl::unexpected(text.error());
    }
    const core::Result<core::Document> document = core::parse_document(*text, input_name(path));
    if (!document) {
        return tl::unexpected(document.error());
    }
    core::Diagnostics problems;
    const core::Cursor root(*document, problems);
    core::check_format(root, "longhaul.layers", 1, false);
    root.only_keys({"format", "layers", "provenance"});
    std::vector<workload::Layer> layers;
    if (const auto list = root.require("layers", "a list of objects with seconds")) {
        layers = workload::read_layers(*list);
        for (std::size_t i = 0;
             list->value().kind == core::Value::Kind::kArray && i < list->value().items.size();
             ++i) {
            if (list->item(i).value().kind == core::Value::Kind::kObject) {
                list->item(i).only_keys({"seconds", "static_gb", "activation_gb", "count"});
            }
        }
        if (problems.empty() && layers.empty()) {
            list->report("holds no layers", "give at least one");
        }
    }
    return problems.empty() ? core::Result<std::vector<workload::Layer>>(std::move(layers))
                            : tl::unexpected(std::move(problems));
}

}  // namespace

void add_placement_inputs(CLI::App& command, PlacementInputs& inputs) {
    command
        .add_option(
            "--fabric,--matrix", inputs.fabric, "matrices, region table or host-group table")
        ->type_name("FILE")
        ->required();
    auto* job =
        command
            .add_option("--job", inputs.job, "job file (TOML), instead of the six options below")
            ->type_name("FILE");
    add_degree(command, "--pp", inputs.pp, "stages of a pipeline, or auto (with --job)");
    add_degree(command, "--dp", inputs.dp, "replicas of a stage, or auto (with --job)");
    command
        .add_option("--tp",
                    inputs.tp,
                    "tensor parallel: devices of one host that share a stage of a replica")
        ->check(CLI::Range(1, kMaxTensor))
        ->capture_default_str();
    auto* c_pp =
        command.add_option("--c-pp", inputs.c_pp, "activations across one stage boundary, in GB")
            ->check(finite_number(0, kMaxPayloadGb));
    auto* c_dp =
        command
            .add_option("--c-dp", inputs.c_dp, "gradients of one stage that are exchanged, in GB")
            ->check(finite_number(0, kMaxPayloadGb));
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
        ->check(finite_number(0, kMaxPayloadGb));
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
        ->check(finite_number(0, kMaxStageSeconds));
    command
        .add_option("--sequence-seconds",
                    inputs.sequence_seconds,
                    "compute seconds of one sequence through the whole model of --job on a "
                    "reference device, forward and backward")
        ->check(finite_number(0, kMaxStageSeconds))
        ->needs(job);
    command.add_option("--forward-share", inputs.forward_share, "forward part of stage-seconds")
        ->check(finite_number(0, 1))
        ->default_str("1/3");
    add_group_terms(command, inputs);
}

void warn_of_memory(const workload::Sizing& sizing, const workload::Job& job) {
    const auto too_large = [&](const workload::StageSize& stage) {
        return job.memory && stage.total() > *job.memory;
    };
    const auto count = std::ranges::count_if(sizing.stages, too_large);
    if (count == 0) {
        return;
    }
    const auto worst = std::ranges::max_element(
        sizing.stages, {}, [](const workload::StageSize& stage) { return stage.total(); });
    warn(fmt::format("{} of {} stages do not fit: stage {} needs {:.3f} GB of {} GB",
                     count,
                     sizing.stages.size(),
                     worst - sizing.stages.begin(),
                     worst->total().value(),
                     job.memory->value()));
}

core::Result<LoadedFabric> load_fabric(const std::string& path) {
    const core::Result<std::string> text = read_file(path);
    if (!text) {
        return tl::unexpected(text.error());
    }
    core::Result<fabric::Fabric> fabric = fabric::read_fabric(*text, input_name(path));
    if (!fabric) {
        return tl::unexpected(fabric.error());
    }
    return LoadedFabric{std::move(*fabric), core::sha256_hex(*text)};
}

core::Result<LoadedFabric> load_named_fabric(const std::string& path) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (path == "-" ||
        (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))) {
        return core::fail({input_name(path),
                           "",
                           "the fabric that the plan names is no plain file",
                           "give --fabric with a file that holds the same fabric"});
    }
    return load_fabric(path);
}

namespace {

/// Workload and shape: from the job file, or as typed.
struct Demand {
    workload::Workload workload;
    placement::Shape shape;
};

core::Result<Demand> load_demand(const PlacementInputs& inputs) {
    for (const auto& [name, degree] : {std::pair{"--pp", inputs.pp}, {"--dp", inputs.dp}}) {
        if (degree == kAuto) {
            return core::fail({"",
                               name,
                               "found auto",
                               inputs.job.empty() ? "payloads depend on the shape: give --job too"
                                                  : "give a number; place chooses shapes"});
        }
        if (degree > 0 && !inputs.job.empty()) {
            return core::fail({"",
                               name,
                               "is given with --job",
                               "change it in the job file, or give auto for both"});
        }
    }
    if (!inputs.job.empty()) {
        const core::Result<std::string> text = read_file(inputs.job);
        if (!text) {
            return tl::unexpected(text.error());
        }
        const core::Result<workload::Job> job = workload::read_job(*text, input_name(inputs.job));
        if (!job) {
            return tl::unexpected(job.error());
        }
        const workload::Sizing sizing = workload::size(*job);
        warn_of_memory(sizing, *job);
        Demand demand{sizing.workload, {sizing.pp, sizing.dp}};
        demand.workload.stage_seconds = stage_seconds_of(inputs, *job);
        return demand;
    }
    if (inputs.pp == 0 || inputs.dp == 0) {
        return core::fail({"",
                           inputs.pp == 0 ? "--pp" : "--dp",
                           "is missing",
                           "give --pp, --dp, --c-pp and --c-dp, or --job"});
    }
    if (!inputs.c_pp || !inputs.c_dp) {
        return core::fail({"",
                           inputs.c_pp ? "--c-dp" : "--c-pp",
                           "is missing",
                           "give the payload in decimal GB, or --job"});
    }
    Demand demand;
    demand.workload.c_pp = core::Gigabytes(*inputs.c_pp);
    demand.workload.c_dp = core::Gigabytes(*inputs.c_dp);
    demand.workload.pp_messages = inputs.pp_messages;
    demand.workload.dp_messages = inputs.dp_messages;
    demand.shape = {inputs.pp, inputs.dp};
    return demand;
}

}  // namespace

core::Result<void> apply_options(const PlacementInputs& inputs, workload::Workload& workload) {
    if (inputs.c_pp_backward) {
        workload.c_pp_backward = core::Gigabytes(*inputs.c_pp_backward);
    }
    if (inputs.pp_backward_messages) {
        workload.pp_backward_messages = inputs.pp_backward_messages;
    }
    if (inputs.microbatches) {
        workload.microbatches = inputs.microbatches;
    }
    if (!inputs.stage_seconds.empty()) {
        workload.stage_seconds = inputs.stage_seconds;
    }
    if (!inputs.layers.empty()) {
        auto layers = load_layers(inputs.layers);
        if (!layers) {
            return tl::unexpected(layers.error());
        }
        workload.layers = std::move(*layers);
    }
    return {};
}

placement::Terms terms_of(const PlacementInputs& inputs) {
    placement::Terms terms;
    terms.objective = *placement::objective_of_name(inputs.objective);
    terms.forward_share = inputs.forward_share;
    terms.exchange = *placement::exchange_of_name(inputs.exchange);
    terms.count_shared = !inputs.ignore_shared;
    terms.schedule = *placement::schedule_of_name(inputs.schedule);
    return terms;
}

std::vector<double> stage_seconds_of(const PlacementInputs& inputs, const workload::Job& job) {
    std::vector<double> seconds;
    if (inputs.sequence_seconds > 0) {
        for (const int layers : job.stage_layers) {
            seconds.push_back(inputs.sequence_seconds * job.sequences_per_replica * layers /
                              job.model.layers / inputs.tp);
        }
    }
    return seconds;
}

core::Result<LoadedProblem> load_problem(const PlacementInputs& inputs) {
    if (auto once = read_once({inputs.fabric, inputs.job, inputs.layers}); !once) {
        return tl::unexpected(once.error());
    }
    const core::Result<Demand> demand = load_demand(inputs);
    if (!demand) {
        return tl::unexpected(demand.error());
    }
    core::Result<LoadedFabric> loaded = load_fabric(inputs.fabric);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
    workload::Workload workload = demand->workload;
    if (auto applied = apply_options(inputs, workload); !applied) {
        return tl::unexpected(applied.error());
    }
    placement::Shape shape = demand->shape;
    shape.tp = inputs.tp;
    core::Result<placement::Problem> problem = placement::make_problem(
        loaded->fabric, input_name(inputs.fabric), workload, shape, terms_of(inputs));
    if (!problem) {
        return tl::unexpected(problem.error());
    }
    return LoadedProblem{inputs.fabric,
                         std::move(loaded->sha256),
                         std::move(loaded->fabric),
                         std::move(workload),
                         std::move(*problem)};
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

std::string device_name(const fabric::Fabric& fabric, int device) {
    return fmt::format("device {} ({})", device, fabric.labels()[device]);
}

std::string rank_map_line(const std::vector<int>& rank_map) {
    return fmt::format("rank_map=({})\n", fmt::join(rank_map, " "));
}

core::Result<std::string> utc_now() {
    std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    if (const char* fixed = std::getenv("SOURCE_DATE_EPOCH")) {
        const std::string_view text = fixed;
        const auto [end, error] = std::from_chars(text.begin(), text.end(), now);
        if (error != std::errc() || end != text.end() || now < 0 || now > kLastSecond) {
            return core::fail({"",
                               "SOURCE_DATE_EPOCH",
                               "found " + core::shown(text),
                               fmt::format("it must be seconds from 0 to {}", kLastSecond)});
        }
    }
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

}  // namespace longhaul::app
