// size: what a job sends and what its devices hold.
#include <algorithm>
#include <memory>

#include "longhaul/command.hpp"
#include "longhaul/inputs.hpp"
#include "longhaul/options.hpp"
#include "longhaul/workload/size.hpp"

namespace longhaul::app {
namespace {

struct SizeOptions {
    std::string job;
    std::string output;
    int tp = 1;
    bool json = false;
};

std::string derivations_text(const workload::Sizing& sizing) {
    std::string text;
    for (const workload::Derivation& line : sizing.derivations) {
        text += fmt::format("{:<14} {:>13}  {}\n", line.key, line.value, line.formula);
        if (!line.numbers.empty()) {
            text += fmt::format("{:<14} {:>13}  = {}\n", "", "", line.numbers);
        }
    }
    return text;
}

std::string stages_text(const workload::Sizing& sizing) {
    std::string text = fmt::format("{:>5} {:>6} {:>13} {:>9} {:>10} {:>10} {:>10} {:>11} {:>10}\n",
                                   "stage",
                                   "layers",
                                   "parameters",
                                   "in flight",
                                   "weights",
                                   "gradients",
                                   "optimiser",
                                   "activations",
                                   "total GB");
    for (std::size_t i = 0; i < sizing.stages.size(); ++i) {
        const workload::StageSize& stage = sizing.stages[i];
        text += fmt::format(
            "{:>5} {:>6} {:>13.0f} {:>9} {:>10.3f} {:>10.3f} {:>10.3f} {:>11.3f} {:>10.3f}\n",
            i,
            stage.layers,
            stage.parameters,
            stage.in_flight,
            stage.weights.value(),
            stage.gradients.value(),
            stage.optimiser.value(),
            stage.activations.value(),
            stage.total().value());
    }
    return text;
}

std::string table_text(const workload::Sizing& sizing, const workload::Job& job) {
    const workload::Model& model = job.model;
    return fmt::format(
        "{}{}pp {} x dp {}{} = {} devices\n"
        "s = sequence length {}, h = hidden size {}, k = width of the keys {}, f = feed-forward "
        "size "
        "{}, a = heads {}, e = bytes of an activation {}{}\n\n{}\n"
        "One device of each stage, decimal GB:\n{}",
        job.name,
        job.name.empty() ? "" : ": ",
        sizing.pp,
        sizing.dp,
        sizing.tp > 1 ? fmt::format(" x tp {}", sizing.tp) : std::string(),
        static_cast<std::int64_t>(sizing.pp) * sizing.dp * sizing.tp,
        model.sequence_length,
        model.hidden_size,
        model.hidden_size / model.heads * model.kv_heads,
        model.feed_forward_size,
        model.heads,
        workload::bytes_of(job.activations),
        sizing.tp > 1 ? fmt::format(", t = devices of a tensor group {}", sizing.tp)
                      : std::string(),
        derivations_text(sizing),
        stages_text(sizing));
}

int run_size(const SizeOptions& options) {
    const auto text = read_file(options.job);
    if (!text) {
        return report(text.error());
    }
    const auto job = workload::read_job(*text, input_name(options.job));
    if (!job) {
        return report(job.error());
    }
    if (job->model.heads % options.tp != 0) {
        return report(
            {{input_name(options.job),
              "--tp",
              fmt::format(
                  "{} does not divide the {} heads of the model", options.tp, job->model.heads),
              "each device of a tensor group takes as many heads"}});
    }
    const workload::Sizing sizing = workload::size(*job, options.tp);
    const std::string json = core::write_json(workload::to_value(sizing, *job));
    if (!options.output.empty()) {
        if (const auto written = write_file(options.output, json); !written) {
            return report(written.error());
        }
    }
    if (options.output != "-") {
        print(options.json ? json : table_text(sizing, *job));
    }
    warn_of_memory(sizing, *job);
    return kDone;
}

}  // namespace

void add_size(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand(
        "size", "Says what a job sends and keeps in memory: payloads, messages, GB a device");
    const auto options = std::make_shared<SizeOptions>();
    command->add_option("--job", options->job, "job file (TOML); - for standard input")
        ->required()
        ->type_name("FILE");
    command->add_option("--tp", options->tp, "devices of a tensor group, which share a stage")
        ->check(CLI::Range(1, 1'024))
        ->capture_default_str();
    command->add_flag("--json", options->json, "print one JSON object instead of the table");
    command->add_option("-o,--output", options->output, "write the JSON object to a file")
        ->type_name("FILE");
    example(*command, "longhaul size --job jobs/gpt3-1.3b-dtfm.toml");
    command->callback(
        [&session, options] { session.run = [options] { return run_size(*options); }; });
}

}  // namespace longhaul::app
