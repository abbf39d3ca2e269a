#include "longhaul/workload/size.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace longhaul::workload {
namespace {

core::Gigabytes gigabytes(double bytes) {
    return core::Gigabytes(bytes / 1e9);
}

/// Rounded up; what the division itself may have added does not count.
double rounded_up(double ratio) {
    return std::ceil(ratio * (1 - 1e-12));
}

/// Parameters that the devices of a stage hold. A total given by the user is spread over the
/// layers; otherwise the first stage adds the input layer, the last the head, and a tied matrix
/// lives on both.
double stage_parameters(const Job& job, int stage) {
    const Model& model = job.model;
    const double layers = job.stage_layers[static_cast<std::size_t>(stage)];
    if (model.parameters > 0) {
        return model.parameters * layers / model.layers;
    }
    const bool first = stage == 0;
    const bool last = stage == job.pp - 1;
    const double copy = last && !first && model.tied_embeddings
                            ? static_cast<double>(model.vocabulary) * model.hidden_size
                            : 0;
    return layers * layer_parameters(model) + (first ? embedding_parameters(model) : 0) +
           (last ? head_parameters(model) : 0) + copy;
}

int largest_stage(const Job& job) {
    int largest = 0;
    for (int stage = 1; stage < job.pp; ++stage) {
        if (stage_parameters(job, stage) > stage_parameters(job, largest)) {
            largest = stage;
        }
    }
    return largest;
}

/// Micro-batches between two flushes of the pipeline.
double micro_batches_a_flush(const Job& job) {
    return rounded_up(job.sequences_per_replica / job.accumulation_steps / job.micro_batch);
}

int in_flight(const Job& job, int stage) {
    const auto all = static_cast<int>(micro_batches_a_flush(job));
    return job.schedule == PipelineSchedule::kGpipe ? all : std::min(all, job.pp - stage);
}

/// Bytes of activations that a stage holds at its peak.
double activation_bytes(const Job& job, int stage, int tp) {
    const Model& model = job.model;
    const double e = bytes_of(job.activations);
    const double layers = job.stage_layers[static_cast<std::size_t>(stage)];
    const double layer = layer_activation_bytes(model, e, tp);
    const double input = boundary_bytes(model, e);
    const double alive = in_flight(job, stage);
    double sequence = alive * layers * (job.activation_checkpointing ? input : layer);
    if (job.activation_checkpointing && layers > 0) {
        sequence += layer;  // the layer that is computed again
    }
    if (stage == 0 && model.dropout) {
        sequence += alive * model.sequence_length * model.hidden_size;
    }
    if (stage == job.pp - 1) {
        // Inputs of the final norm and of the output matrix; FP32 logits of one micro-batch.
        sequence += alive * 2 * input + 4.0 * model.sequence_length * model.vocabulary / tp;
    }
    return job.micro_batch * sequence;
}

/// Bytes of optimiser states a parameter.
int optimiser_bytes(const Job& job) {
    return (states_of(job.optimiser) + (job.master_weights ? 1 : 0)) *
           bytes_of(job.optimiser_states);
}

StageSize stage_size(const Job& job, int stage, int tp) {
    StageSize size;
    size.layers = job.stage_layers[static_cast<std::size_t>(stage)];
    size.parameters = stage_parameters(job, stage);
    size.in_flight = in_flight(job, stage);
    size.weights = gigabytes(size.parameters * bytes_of(job.parameters) / tp);
    size.gradients = gigabytes(size.parameters * bytes_of(job.gradients) / tp);
    size.optimiser = gigabytes(size.parameters * optimiser_bytes(job) / tp);
    size.activations = gigabytes(activation_bytes(job, stage, tp));
    return size;
}

Derivation parameters_line(const Job& job, double parameters) {
    const Model& model = job.model;
    if (model.parameters > 0) {
        return {"parameters", fmt::format("{:.0f}", parameters), "given by the job file", ""};
    }
    return {"parameters",
            fmt::format("{:.0f}", parameters),
            fmt::format("layers ({}) + input layer + head", layer_parameters_formula(model)),
            fmt::format("{} x {:.0f} + {:.0f} + {:.0f}",
                        model.layers,
                        layer_parameters(model),
                        embedding_parameters(model),
                        head_parameters(model))};
}

std::vector<Derivation> payload_lines(const Job& job, const Sizing& sizing) {
    const Workload& work = sizing.workload;
    return {{"c_pp_gb",
             fmt::format("{:.6g} GB", work.c_pp.value()),
             "sequences a replica x sequence length x hidden size x bytes of an activation",
             fmt::format("{} x {} x {} x {} B",
                         job.sequences_per_replica,
                         job.model.sequence_length,
                         job.model.hidden_size,
                         bytes_of(job.activations))},
            {"pp_messages",
             fmt::format("{}", work.pp_messages),
             "micro-batches / micro-batches a message, rounded up",
             fmt::format("{:.0f} / {}", micro_batches(job), job.micro_batches_per_message)},
            {"c_dp_gb",
             fmt::format("{:.6g} GB", work.c_dp.value()),
             fmt::format("parameters of the largest stage (stage {}) x bytes of a gradient",
                         sizing.largest_stage),
             fmt::format("{:.0f} x {} B",
                         stage_parameters(job, sizing.largest_stage),
                         bytes_of(job.gradients))},
            {"dp_messages",
             fmt::format("{}", work.dp_messages),
             job.dp_bucket ? "c_dp / bucket, rounded up" : "one bucket holds all gradients",
             job.dp_bucket
                 ? fmt::format("{:.6g} GB / {:.6g} GB", work.c_dp.value(), job.dp_bucket->value())
                 : ""}};
}

std::vector<Derivation> batch_lines(const Job& job) {
    return {{"microbatches",
             fmt::format("{:.0f}", micro_batches(job)),
             "flushes x (sequences a replica / flushes / micro-batch, rounded up)",
             fmt::format("{} x ceil({} / {} / {})",
                         job.accumulation_steps,
                         job.sequences_per_replica,
                         job.accumulation_steps,
                         job.micro_batch)}};
}

const StageSize& largest(const Sizing& sizing, core::Gigabytes StageSize::* part) {
    return *std::ranges::max_element(sizing.stages, {}, part);
}

std::string over_tp(int tp) {
    return tp > 1 ? fmt::format(" / {}", tp) : std::string();
}

/// What each device of a tensor group sends in the exchange.
std::vector<Derivation> tensor_lines(const Sizing& sizing) {
    if (sizing.tp == 1) {
        return {};
    }
    const double whole = sizing.workload.c_dp.value();
    return {{"c_dp_device_gb",
             fmt::format("{:.6g} GB", whole / sizing.tp),
             "c_dp / t: each device of a tensor group exchanges its part; c_pp it sends whole",
             fmt::format("{:.6g} GB / {}", whole, sizing.tp)}};
}

/// A part of the memory that is a number of bytes for each parameter of a stage.
Derivation parameter_line(const Sizing& sizing,
                          std::string key,
                          core::Gigabytes StageSize::* part,
                          std::string formula,
                          const std::string& bytes) {
    const StageSize& stage = largest(sizing, part);
    return {std::move(key),
            fmt::format("{:.6g} GB", (stage.*part).value()),
            std::move(formula) + (sizing.tp > 1 ? " / t" : ""),
            fmt::format("{:.0f} x {}{}", stage.parameters, bytes, over_tp(sizing.tp))};
}

Derivation activations_line(const Job& job, const Sizing& sizing) {
    const StageSize& stage = largest(sizing, &StageSize::activations);
    const double layer = layer_activation_bytes(job.model, bytes_of(job.activations), sizing.tp);
    return {"activations_gb",
            fmt::format("{:.6g} GB", stage.activations.value()),
            job.activation_checkpointing
                ? "micro-batch x (in flight x layers x s h e + one layer, computed again)"
                : "micro-batch x in flight x layers x one layer",
            fmt::format("one layer {} = {:.6g} GB a sequence; {} in flight, {} layers",
                        layer_activation_formula(job.model, sizing.tp),
                        layer / 1e9,
                        stage.in_flight,
                        stage.layers)};
}

std::vector<Derivation> memory_lines(const Job& job, const Sizing& sizing) {
    return {parameter_line(sizing,
                           "weights_gb",
                           &StageSize::weights,
                           "parameters of the stage x bytes of a parameter",
                           fmt::format("{} B", bytes_of(job.parameters))),
            parameter_line(sizing,
                           "gradients_gb",
                           &StageSize::gradients,
                           "parameters of the stage x bytes of a gradient",
                           fmt::format("{} B", bytes_of(job.gradients))),
            parameter_line(sizing,
                           "optimiser_gb",
                           &StageSize::optimiser,
                           "parameters of the stage x (states + master copy) x bytes of a state",
                           fmt::format("({} + {}) x {} B",
                                       states_of(job.optimiser),
                                       job.master_weights ? 1 : 0,
                                       bytes_of(job.optimiser_states))),
            {"in_flight",
             fmt::format("{}", largest(sizing, &StageSize::activations).in_flight),
             job.schedule == PipelineSchedule::kGpipe
                 ? "all micro-batches of a flush (gpipe)"
                 : "pp - stage, at most the micro-batches of a flush (1f1b)",
             ""},
            activations_line(job, sizing)};
}

void append(std::vector<Derivation>& all, std::vector<Derivation> more) {
    std::ranges::move(more, std::back_inserter(all));
}

}  // namespace

core::Gigabytes StageSize::total() const {
    return gigabytes(std::round((weights + gradients + optimiser + activations).value() * 1e9));
}

double micro_batches(const Job& job) {
    return job.accumulation_steps * micro_batches_a_flush(job);
}

double data_parallel_messages(const Job& job) {
    const double bytes = stage_parameters(job, largest_stage(job)) * bytes_of(job.gradients);
    return job.dp_bucket ? std::max(1.0, rounded_up(gigabytes(bytes) / *job.dp_bucket)) : 1;
}

std::vector<TooMany> too_many_messages(const Job& job) {
    std::vector<TooMany> found;
    if (micro_batches(job) > kMostMessages) {
        found.push_back({"batch",
                         fmt::format("{:.4g} micro-batches a step", micro_batches(job)),
                         fmt::format("at most {}; use a larger micro_batch", kMostMessages)});
    }
    if (data_parallel_messages(job) > kMostMessages) {
        found.push_back({"messages",
                         fmt::format("{:.4g} buckets a step", data_parallel_messages(job)),
                         fmt::format("at most {}; use a larger dp_bucket_mb", kMostMessages)});
    }
    return found;
}

Sizing size(const Job& job, int tp) {
    Sizing sizing;
    sizing.pp = job.pp;
    sizing.dp = job.dp;
    sizing.tp = tp;
    sizing.parameters = total_parameters(job.model);
    sizing.largest_stage = largest_stage(job);
    for (int stage = 0; stage < job.pp; ++stage) {
        sizing.stages.push_back(stage_size(job, stage, tp));
    }
    Workload& work = sizing.workload;
    work.c_pp =
        gigabytes(job.sequences_per_replica * boundary_bytes(job.model, bytes_of(job.activations)));
    work.pp_messages =
        static_cast<int>(std::ceil(micro_batches(job) / job.micro_batches_per_message));
    work.c_dp = gigabytes(stage_parameters(job, sizing.largest_stage) * bytes_of(job.gradients));
    work.dp_messages = static_cast<int>(data_parallel_messages(job));
    work.microbatches = static_cast<int>(micro_batches(job));
    append(sizing.derivations, {parameters_line(job, sizing.parameters)});
    append(sizing.derivations, batch_lines(job));
    append(sizing.derivations, payload_lines(job, sizing));
    append(sizing.derivations, tensor_lines(sizing));
    append(sizing.derivations, memory_lines(job, sizing));
    return sizing;
}

core::Value to_value(const Sizing& sizing, const Job& job) {
    core::Value stages = core::Value::array();
    for (const StageSize& stage : sizing.stages) {
        core::Value row = core::Value::object();
        row.set("layers", stage.layers)
            .set("parameters", stage.parameters)
            .set("in_flight", stage.in_flight)
            .set("weights_gb", stage.weights.value())
            .set("gradients_gb", stage.gradients.value())
            .set("optimiser_gb", stage.optimiser.value())
            .set("activations_gb", stage.activations.value())
            .set("total_gb", stage.total().value());
        if (job.memory) {
            row.set("fits", stage.total() <= *job.memory);
        }
        stages.append(std::move(row));
    }
    core::Value formulas = core::Value::object();
    for (const Derivation& line : sizing.derivations) {
        formulas.set(line.key,
                     line.numbers.empty() ? line.formula : line.formula + " = " + line.numbers);
    }
    core::Value shape = core::Value::object();
    shape.set("pp", sizing.pp).set("dp", sizing.dp);
    if (sizing.tp > 1) {
        shape.set("tp", sizing.tp);
    }
    core::Value root = core::Value::object();
    root.set("format", "longhaul.size/1")
        .set("name", job.name)
        .set("workload", to_value(sizing.workload))
        .set("shape", std::move(shape))
        .set("parameters", sizing.parameters)
        .set("largest_stage", sizing.largest_stage);
    if (sizing.tp > 1) {
        root.set("c_dp_device_gb", sizing.workload.c_dp.value() / sizing.tp);
    }
    if (job.memory) {
        root.set("memory_gb", job.memory->value());
    }
    return root.set("stages", std::move(stages)).set("formulas", std::move(formulas));
}

}  // namespace longhaul::workload
