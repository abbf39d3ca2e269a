#include "longhaul/workload/job.hpp"

#include <array>
#include <cstdint>
#include <numeric>

#include <fmt/format.h>

#include "longhaul/core/cursor.hpp"
#include "longhaul/core/own_formats.hpp"
#include "longhaul/workload/size.hpp"

namespace longhaul::workload {
namespace {

using core::Cursor;

constexpr int kMostLayers = 100'000;
constexpr int kWidest = 10'000'000;
constexpr int kMostDevices = 1'000'000;
constexpr double kMostSequences = 1e12;
constexpr double kMostParameters = 1e18;

template <class T>
struct Named {
    std::string_view name;
    T value;
};

constexpr std::array<Named<Precision>, 4> kPrecisions = {{{"fp32", Precision::kFp32},
                                                          {"fp16", Precision::kFp16},
                                                          {"bf16", Precision::kBf16},
                                                          {"fp8", Precision::kFp8}}};
constexpr std::array<Named<Optimiser>, 3> kOptimisers = {
    {{"adam", Optimiser::kAdam}, {"momentum", Optimiser::kMomentum}, {"sgd", Optimiser::kSgd}}};
constexpr std::array<Named<FeedForward>, 2> kFeedForwards = {
    {{"gelu", FeedForward::kGelu}, {"swiglu", FeedForward::kSwiglu}}};
constexpr std::array<Named<Norm>, 2> kNorms = {
    {{"layernorm", Norm::kLayerNorm}, {"rmsnorm", Norm::kRmsNorm}}};
constexpr std::array<Named<Positions>, 2> kPositions = {
    {{"learned", Positions::kLearned}, {"rotary", Positions::kRotary}}};
constexpr std::array<Named<PipelineSchedule>, 2> kSchedules = {
    {{"gpipe", PipelineSchedule::kGpipe}, {"1f1b", PipelineSchedule::k1f1b}}};

/// Sets `target` when the key is there and names one of the choices.
template <class T, std::size_t N>
void read_choice(const Cursor& table,
                 std::string_view key,
                 const std::array<Named<T>, N>& choices,
                 T& target) {
    const auto found = table.find(key);
    const auto text = found ? found->string() : std::nullopt;
    if (!text) {
        return;
    }
    std::string names;
    for (const Named<T>& choice : choices) {
        if (choice.name == *text) {
            target = choice.value;
            return;
        }
        names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", choice.name);
    }
    found->report("found " + core::shown(*text), "it must be one of " + names);
}

/// Sets `target` when the key is there and in range.
void read_integer(
    const Cursor& table, std::string_view key, int minimum, int maximum, int& target) {
    if (const auto found = table.find(key)) {
        target = found->integer(minimum, maximum).value_or(target);
    }
}

/// The same for a key that must be there. Tells whether it was read.
bool require_integer(
    const Cursor& table, std::string_view key, std::string_view meaning, int maximum, int& target) {
    const auto found = table.require(key, meaning);
    const auto value = found ? found->integer(1, maximum) : std::nullopt;
    target = value.value_or(target);
    return value.has_value();
}

void read_flag(const Cursor& table, std::string_view key, bool& target) {
    if (const auto found = table.find(key)) {
        target = found->boolean().value_or(target);
    }
}

/// A positive number up to a limit; nullopt when it is absent or wrong.
std::optional<double> read_positive(const Cursor& table, std::string_view key, double maximum) {
    const auto found = table.find(key);
    const auto value = found ? found->positive_number() : std::nullopt;
    if (value && *value > maximum) {
        found->report(fmt::format("found {}", *value), fmt::format("at most {}", maximum));
        return std::nullopt;
    }
    return value;
}

/// A table that must be there and be one.
std::optional<Cursor> require_table(const Cursor& root,
                                    std::string_view key,
                                    std::string_view meaning) {
    auto table = root.require(key, meaning);
    return table && table->is_object() ? table : std::nullopt;
}

std::optional<Cursor> find_table(const Cursor& root, std::string_view key) {
    auto table = root.find(key);
    return table && table->is_object() ? table : std::nullopt;
}

void read_heads(const Cursor& table, Model& model, bool hidden_known) {
    const bool heads_known =
        require_integer(table, "heads", "the number of attention heads", kMostLayers, model.heads);
    model.kv_heads = model.heads;
    if (heads_known && hidden_known && model.hidden_size % model.heads != 0) {
        table.find("heads")->report(
            fmt::format("{} heads do not divide hidden_size {}", model.heads, model.hidden_size),
            "every head must have the same whole width");
    }
    if (!heads_known || !table.find("kv_heads")) {
        return;
    }
    read_integer(table, "kv_heads", 1, model.heads, model.kv_heads);
    if (model.heads % model.kv_heads != 0) {
        table.find("kv_heads")
            ->report(fmt::format(
                         "{} key-value heads do not divide {} heads", model.kv_heads, model.heads),
                     "every key-value head must serve the same number of heads");
    }
}

void read_feed_forward(const Cursor& table, Model& model) {
    read_choice(table, "feed_forward", kFeedForwards, model.feed_forward);
    const bool gelu = model.feed_forward == FeedForward::kGelu;
    // What the two families have in common: GPT and Llama.
    model.biases = gelu;
    model.norm = gelu ? Norm::kLayerNorm : Norm::kRmsNorm;
    model.positions = gelu ? Positions::kLearned : Positions::kRotary;
    if (gelu && !table.find("feed_forward_size")) {
        model.feed_forward_size = 4 * model.hidden_size;
        return;
    }
    require_integer(table,
                    "feed_forward_size",
                    "the width of the feed-forward part",
                    4 * kWidest,
                    model.feed_forward_size);
}

/// Reads [model]. Tells whether the number of layers is known.
bool read_model(const Cursor& root, Model& model) {
    const auto table = require_table(root, "model", "the shape of the transformer");
    if (!table) {
        return false;
    }
    table->only_keys({"layers",
                      "hidden_size",
                      "heads",
                      "kv_heads",
                      "feed_forward",
                      "feed_forward_size",
                      "vocabulary",
                      "tied_embeddings",
                      "sequence_length",
                      "biases",
                      "norm",
                      "positions",
                      "dropout",
                      "fused_attention",
                      "parameters"});
    const bool layers_known = require_integer(
        *table, "layers", "the number of transformer layers", kMostLayers, model.layers);
    const bool hidden_known = require_integer(
        *table, "hidden_size", "the width of the activations", kWidest, model.hidden_size);
    read_heads(*table, model, hidden_known);
    read_feed_forward(*table, model);
    require_integer(
        *table, "vocabulary", "the number of different tokens", kMostMessages, model.vocabulary);
    require_integer(*table,
                    "sequence_length",
                    "the tokens of a sequence",
                    kMostMessages,
                    model.sequence_length);
    read_flag(*table, "tied_embeddings", model.tied_embeddings);
    read_flag(*table, "biases", model.biases);
    read_choice(*table, "norm", kNorms, model.norm);
    read_choice(*table, "positions", kPositions, model.positions);
    read_flag(*table, "dropout", model.dropout);
    read_flag(*table, "fused_attention", model.fused_attention);
    model.parameters = read_positive(*table, "parameters", kMostParameters).value_or(0);
    return layers_known;
}

void read_stage_layers(const Cursor& table, Job& job, bool layers_known) {
    const auto pp = static_cast<std::size_t>(job.pp);
    const auto list = table.find("stage_layers");
    if (!list) {
        job.stage_layers.assign(pp, job.model.layers / job.pp);
        if (layers_known && job.model.layers % job.pp != 0) {
            table.find("pp")->report(
                fmt::format("{} stages do not divide {} layers", job.pp, job.model.layers),
                "choose a divisor, or list the layers of each stage in stage_layers");
        }
        return;
    }
    if (!list->is_array()) {
        return;
    }
    const std::size_t entries = list->value().size();
    if (entries != pp) {
        list->report(fmt::format("found {} entries", entries),
                     fmt::format("one number a stage: {}", pp));
        return;
    }
    for (std::size_t i = 0; i < entries; ++i) {
        const auto layers = list->item(i).integer(0, kMostLayers);
        if (!layers) {
            return;
        }
        job.stage_layers.push_back(*layers);
    }
    const auto sum =
        std::accumulate(job.stage_layers.begin(), job.stage_layers.end(), std::int64_t{0});
    if (layers_known && sum != job.model.layers) {
        list->report(fmt::format("the stages have {} layers in all", sum),
                     fmt::format("the model has {}", job.model.layers));
    }
}

/// Reads [parallel]. Tells whether dp is known.
bool read_parallel(const Cursor& root, Job& job, bool layers_known, JobShape shape) {
    const auto table = require_table(root, "parallel", "pp and dp");
    if (!table) {
        return false;
    }
    table->only_keys(
        {"pp", "dp", "stage_layers", "schedule", "activation_checkpointing", "memory_gb"});
    const bool pp_known =
        require_integer(*table, "pp", "the number of pipeline stages", kMostDevices, job.pp);
    const bool dp_known =
        require_integer(*table, "dp", "the number of replicas", kMostDevices, job.dp);
    if (pp_known && shape == JobShape::kOwn) {
        read_stage_layers(*table, job, layers_known);
    }
    read_choice(*table, "schedule", kSchedules, job.schedule);
    read_flag(*table, "activation_checkpointing", job.activation_checkpointing);
    if (const auto memory = read_positive(*table, "memory_gb", 1e9)) {
        job.memory = core::Gigabytes(*memory);
    }
    return dp_known;
}

void read_batch(const Cursor& root, Job& job, bool dp_known, JobShape shape) {
    const auto table = require_table(root, "batch", "the sequences of a step");
    if (!table) {
        return;
    }
    table->only_keys(
        {"global_batch", "sequences_per_replica", "micro_batch", "accumulation_steps"});
    const auto all = read_positive(*table, "global_batch", kMostSequences);
    const auto part = read_positive(*table, "sequences_per_replica", kMostSequences);
    const bool has_all = table->find("global_batch").has_value();
    const bool has_part = table->find("sequences_per_replica").has_value();
    if (has_all == has_part) {
        table->report(has_all ? "found both global_batch and sequences_per_replica"
                              : "neither global_batch nor sequences_per_replica is given",
                      "give one of them");
    }
    read_integer(*table, "accumulation_steps", 1, kMostMessages, job.accumulation_steps);
    if (has_all == has_part || !(all || part) || (all && !dp_known)) {
        return;
    }
    job.sequences_per_replica = all ? *all / job.dp : *part;
    const double flush = job.sequences_per_replica / job.accumulation_steps;
    job.micro_batch = flush;
    if (const auto found = read_positive(*table, "micro_batch", kMostSequences)) {
        job.micro_batch = *found;
        if (*found > flush && shape == JobShape::kOwn) {
            table->find("micro_batch")
                ->report(fmt::format(
                             "{} sequences are more than a replica has at once, {}", *found, flush),
                         "a micro-batch is a part of them");
        }
    }
}

void read_precision(const Cursor& root, Job& job) {
    const auto table = require_table(root, "precision", "the number formats");
    if (!table) {
        return;
    }
    table->only_keys({"activations",
                      "gradients",
                      "parameters",
                      "optimiser",
                      "optimiser_states",
                      "master_weights"});
    static_cast<void>(table->require("activations", "the number format of activations"));
    static_cast<void>(table->require("gradients", "the number format of gradients"));
    read_choice(*table, "activations", kPrecisions, job.activations);
    read_choice(*table, "gradients", kPrecisions, job.gradients);
    job.parameters = job.activations;
    read_choice(*table, "parameters", kPrecisions, job.parameters);
    read_choice(*table, "optimiser", kOptimisers, job.optimiser);
    read_choice(*table, "optimiser_states", kPrecisions, job.optimiser_states);
    job.master_weights = job.parameters != Precision::kFp32;
    read_flag(*table, "master_weights", job.master_weights);
}

void read_messages(const Cursor& root, Job& job) {
    const auto table = find_table(root, "messages");
    if (!table) {
        return;
    }
    table->only_keys({"dp_bucket_mb", "micro_batches_per_message"});
    if (const auto bucket = read_positive(*table, "dp_bucket_mb", 1e12)) {
        job.dp_bucket = core::Gigabytes(*bucket / 1000);
    }
    read_integer(
        *table, "micro_batches_per_message", 1, kMostMessages, job.micro_batches_per_message);
}

}  // namespace

int bytes_of(Precision precision) {
    switch (precision) {
        case Precision::kFp32:
            return 4;
        case Precision::kFp16:
        case Precision::kBf16:
            return 2;
        case Precision::kFp8:
            return 1;
    }
    return 0;
}

int states_of(Optimiser optimiser) {
    switch (optimiser) {
        case Optimiser::kAdam:
            return 2;
        case Optimiser::kMomentum:
            return 1;
        case Optimiser::kSgd:
            return 0;
    }
    return 0;
}

core::Result<Job> read_job(std::string_view text, std::string_view name, JobShape shape) {
    if (const auto own = core::refuse_other_format(text, name, {"longhaul.job"}); !own) {
        return tl::unexpected(own.error());
    }
    const auto document =
        name.ends_with(".json") ? core::parse_json(text, name) : core::parse_toml(text, name);
    if (!document) {
        return tl::unexpected(document.error());
    }
    core::Diagnostics problems;
    const Cursor root(*document, problems);
    core::check_format(root, "longhaul.job", 1, false);
    root.only_keys({"format", "name", "model", "batch", "precision", "parallel", "messages"});
    Job job;
    if (const auto title = root.find("name")) {
        job.name = title->name().value_or("");
    }
    const bool layers_known = read_model(root, job.model);
    const bool dp_known = read_parallel(root, job, layers_known, shape);
    read_batch(root, job, dp_known, shape);
    read_precision(root, job);
    read_messages(root, job);
    if (problems.empty() && shape == JobShape::kOwn) {
        for (const TooMany& many : too_many_messages(job)) {
            root.find(many.table)->report(many.what, many.fix);
        }
    }
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    return job;
}

}  // namespace longhaul::workload
