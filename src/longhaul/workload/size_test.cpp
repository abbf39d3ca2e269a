#include "longhaul/workload/size.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

namespace longhaul::workload {
namespace {

Job shipped(const std::string& name) {
    std::ifstream file(std::string(LONGHAUL_SOURCE_DIR) + "/jobs/" + name);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto job = read_job(text, name);
    EXPECT_TRUE(job) << core::to_string(job.error().front());
    return job.value();
}

// scheduler.py of DT-FM with its two slips corrected: 2048 * 2048 * 2 B * 61.035 = 0.512 GB and
// 1.3e9 * 4 B * 3/24 = 0.65 GB, one message each.
TEST(Size, Gpt3AsDtfmSchedulesIt) {
    const Sizing sizing = size(shipped("gpt3-1.3b-dtfm.toml"));
    EXPECT_DOUBLE_EQ(sizing.workload.c_pp.value(), 0.512);
    EXPECT_EQ(sizing.workload.pp_messages, 1);
    EXPECT_DOUBLE_EQ(sizing.workload.c_dp.value(), 0.65);
    EXPECT_EQ(sizing.workload.dp_messages, 1);
    EXPECT_EQ(sizing.pp, 8);
    EXPECT_EQ(sizing.dp, 8);
    EXPECT_EQ(sizing.stages[5].layers, 3);
}

// Launcher of DT-FM: 2 * 64 micro-batches of 2048 * 2048 * 2 B = 8.39 MB, gradients in FP16.
TEST(Size, Gpt3AsTheLauncherOfDtfmRunsIt) {
    const Sizing sizing = size(shipped("gpt3-1.3b-dtfm-launcher.toml"));
    EXPECT_DOUBLE_EQ(sizing.workload.c_pp.value(), 1.073741824);
    EXPECT_EQ(sizing.workload.pp_messages, 128);
    EXPECT_EQ(sizing.workload.microbatches, 128);
    EXPECT_DOUBLE_EQ(sizing.workload.c_dp.value(), 0.325);
    EXPECT_EQ(sizing.workload.dp_messages, 1);
    EXPECT_EQ(sizing.stages[0].in_flight, 64);  // GPipe flushes twice a step
}

TEST(Size, LlamaSevenBillion) {
    const Job job = shipped("llama-7b.toml");
    const Sizing sizing = size(job);
    EXPECT_EQ(sizing.parameters, 6'738'415'616);
    // The last stage holds 4 layers of 202,383,360, the output matrix and the final norm.
    EXPECT_EQ(sizing.largest_stage, 7);
    const double last = 4 * 202'383'360.0 + 32000.0 * 4096 + 4096;
    EXPECT_DOUBLE_EQ(sizing.workload.c_dp.value(), last * 4 / 1e9);
    EXPECT_EQ(sizing.workload.dp_messages, 8);  // 3.76 GB in buckets of 0.5 GB
    EXPECT_DOUBLE_EQ(sizing.workload.c_pp.value(), 128 * 4096.0 * 4096 * 2 / 1e9);
    EXPECT_EQ(sizing.workload.pp_messages, 128);
    // 1F1B: stage i holds pp - i micro-batches.
    EXPECT_EQ(sizing.stages[0].in_flight, 8);
    EXPECT_EQ(sizing.stages[7].in_flight, 1);
    // Adam: two FP32 states and a master copy, 12 bytes a parameter.
    EXPECT_DOUBLE_EQ(sizing.stages[7].optimiser.value(), last * 12 / 1e9);
    EXPECT_DOUBLE_EQ(sizing.stages[7].weights.value(), last * 2 / 1e9);
    for (const StageSize& stage : sizing.stages) {
        EXPECT_LT(stage.total(), *job.memory);
    }
}

TEST(Size, LlamaSeventyBillion) {
    const Sizing sizing = size(shipped("llama-70b.toml"));
    EXPECT_EQ(sizing.parameters, 68'976'648'192);
    double sum = 0;
    for (const StageSize& stage : sizing.stages) {
        sum += stage.parameters;
    }
    EXPECT_EQ(sum, sizing.parameters);  // untied: every parameter lives on one stage
}

Job small_job() {
    Job job;
    job.model.layers = 4;
    job.model.hidden_size = 8;
    job.model.heads = job.model.kv_heads = 2;
    job.model.feed_forward_size = 32;
    job.model.vocabulary = 100;
    job.model.sequence_length = 16;
    job.sequences_per_replica = 8;
    job.micro_batch = 2;
    job.pp = 2;
    job.dp = 3;
    job.stage_layers = {1, 3};
    return job;
}

TEST(Size, TiedMatrixLivesOnTheFirstAndTheLastStage) {
    Job job = small_job();
    const Sizing two = size(job);
    EXPECT_EQ(two.stages[0].parameters + two.stages[1].parameters, two.parameters + 100 * 8);
    job.pp = 1;
    job.stage_layers = {4};
    const Sizing one = size(job);
    EXPECT_EQ(one.stages[0].parameters, one.parameters);
}

TEST(Size, UnevenStagesDecideWhatIsExchanged) {
    Job job = small_job();
    EXPECT_EQ(size(job).largest_stage, 1);
    job.stage_layers = {3, 1};
    EXPECT_EQ(size(job).largest_stage, 0);
}

// One checkpointed stage by hand: in flight x layers x s h e, one layer again (s e 32 h / 2 with
// f = 4 h), and on the last stage two inputs in flight and FP32 logits.
TEST(Size, ActivationsOfCheckpointedStagesByHand) {
    Job job = small_job();
    job.activation_checkpointing = true;
    job.schedule = PipelineSchedule::kGpipe;
    const Sizing sizing = size(job);
    const double input = 16 * 8 * 2;         // s h e
    const double layer = 16 * 2 * (16 * 8);  // s e (6 h + 2 k + 2 f) = s e 16 h
    EXPECT_EQ(sizing.stages[0].in_flight, 4);
    EXPECT_DOUBLE_EQ(sizing.stages[0].activations.value(), 2 * (4 * 1 * input + layer) / 1e9);
    EXPECT_DOUBLE_EQ(sizing.stages[1].activations.value(),
                     2 * (4 * 3 * input + layer + 4 * 2 * input + 4 * 16 * 100) / 1e9);
}

// The same without checkpoints, in 1F1B: in flight x layers x one layer; nothing is computed again.
TEST(Size, ActivationsOfPlainStagesByHand) {
    Job job = small_job();
    const double layer = 16 * 2 * (16 * 8);
    EXPECT_DOUBLE_EQ(size(job).stages[0].activations.value(), 2 * (2 * 1 * layer) / 1e9);
    // Dropout keeps two masks of h bytes a token in each layer, and one after the input layer.
    job.model.dropout = true;
    const double masked = layer + 16 * 2 * 8;
    const Sizing sizing = size(job);
    EXPECT_DOUBLE_EQ(sizing.stages[0].activations.value(), 2 * (2 * 1 * masked + 2 * 16 * 8) / 1e9);
    EXPECT_DOUBLE_EQ(sizing.stages[1].activations.value(),
                     2 * (1 * 3 * masked + 1 * 2 * 16 * 8 * 2 + 4 * 16 * 100) / 1e9);
}

// Two devices a stage: half of the parameters each, whole inputs, half of the logits. By hand for
// checkpoints: in flight x layers x s h e + s e (4 h + (2 h + 2 k + 2 f) / 2) with k = h, f = 4 h.
TEST(Size, TensorGroupsByHand) {
    Job job = small_job();
    job.activation_checkpointing = true;
    job.schedule = PipelineSchedule::kGpipe;
    const Sizing whole = size(job);
    const Sizing halves = size(job, 2);
    EXPECT_EQ(halves.workload.c_dp, whole.workload.c_dp);  // place --tp divides it
    EXPECT_EQ(halves.workload.c_pp, whole.workload.c_pp);
    for (std::size_t s = 0; s < 2; ++s) {
        EXPECT_DOUBLE_EQ(halves.stages[s].weights.value(), whole.stages[s].weights.value() / 2);
        EXPECT_DOUBLE_EQ(halves.stages[s].gradients.value(), whole.stages[s].gradients.value() / 2);
        EXPECT_DOUBLE_EQ(halves.stages[s].optimiser.value(), whole.stages[s].optimiser.value() / 2);
        EXPECT_EQ(halves.stages[s].parameters, whole.stages[s].parameters);
    }
    const double input = 16 * 8 * 2;
    const double layer = 16 * 2 * (4 * 8 + (4 * 8 + 8 * 8) / 2.0);
    EXPECT_DOUBLE_EQ(halves.stages[1].activations.value(),
                     2 * (4 * 3 * input + layer + 4 * 2 * input + 4 * 16 * 100 / 2.0) / 1e9);
}

TEST(Size, AStageWithoutLayersComputesNoneAgain) {
    Job job = small_job();
    job.activation_checkpointing = true;
    job.stage_layers = {0, 4};
    EXPECT_EQ(size(job).stages[0].activations.value(), 0);
}

TEST(Size, OneForwardOneBackwardNeverHoldsMoreThanThereIs) {
    Job job = small_job();
    job.micro_batch = 8;
    EXPECT_EQ(size(job).stages[0].in_flight, 1);
}

TEST(Size, MessagesAreRoundedUp) {
    Job job = small_job();
    job.micro_batch = 3;  // 3 + 3 + 2
    EXPECT_EQ(size(job).workload.microbatches, 3);
    job.micro_batches_per_message = 2;
    EXPECT_EQ(size(job).workload.pp_messages, 2);
    // 1.1 / 0.1 is 11.000000000000002 in binary.
    job.sequences_per_replica = 1.1;
    job.micro_batch = 0.1;
    EXPECT_EQ(size(job).workload.microbatches, 11);
    job.dp_bucket = core::Gigabytes(1000);
    EXPECT_EQ(size(job).workload.dp_messages, 1);
}

TEST(Size, OptimiserBytes) {
    Job job = small_job();
    const auto bytes = [&] {
        const StageSize stage = size(job).stages[0];
        return stage.optimiser.value() * 1e9 / stage.parameters;
    };
    EXPECT_DOUBLE_EQ(bytes(), 12);  // adam, FP32, master copy
    job.master_weights = false;
    EXPECT_DOUBLE_EQ(bytes(), 8);
    job.optimiser = Optimiser::kMomentum;
    EXPECT_DOUBLE_EQ(bytes(), 4);
    job.optimiser_states = Precision::kBf16;
    EXPECT_DOUBLE_EQ(bytes(), 2);
    job.optimiser = Optimiser::kSgd;
    EXPECT_DOUBLE_EQ(bytes(), 0);
}

TEST(Size, EveryNumberHasItsFormula) {
    const Sizing sizing = size(small_job());
    for (const char* key : {"parameters",
                            "microbatches",
                            "c_pp_gb",
                            "pp_messages",
                            "c_dp_gb",
                            "dp_messages",
                            "weights_gb",
                            "gradients_gb",
                            "optimiser_gb",
                            "in_flight",
                            "activations_gb"}) {
        const auto at = std::ranges::find(sizing.derivations, key, &Derivation::key);
        ASSERT_NE(at, sizing.derivations.end()) << key;
        EXPECT_FALSE(at->formula.empty()) << key;
        EXPECT_FALSE(at->value.empty()) << key;
    }
}

TEST(Size, FormulasFollowTheJob) {
    Job job = small_job();
    const auto line = [&](const char* key) {
        const Sizing sizing = size(job);
        return *std::ranges::find(sizing.derivations, key, &Derivation::key);
    };
    EXPECT_EQ(line("c_pp_gb").numbers, "8 x 16 x 8 x 2 B");
    EXPECT_EQ(line("in_flight").formula, "pp - stage, at most the micro-batches of a flush (1f1b)");
    // One layer is 16 * 2 * 128 = 4096 bytes.
    EXPECT_EQ(line("activations_gb").numbers,
              "one layer s (e (6 h + 2 k + 2 f)) = 4.096e-06 GB a sequence; 1 in flight, 3 layers");
    job.schedule = PipelineSchedule::kGpipe;
    EXPECT_EQ(line("in_flight").formula, "all micro-batches of a flush (gpipe)");
    EXPECT_EQ(line("in_flight").value, "4");
}

TEST(Size, AStageFitsIntoExactlyItsSize) {
    Job job = small_job();
    job.memory = size(job).stages[1].total();
    const core::Value value = to_value(size(job), job);
    EXPECT_TRUE(value.find("stages")->items[1].find("fits")->boolean);
}

TEST(Size, JsonFormHoldsTheWorkloadAndTheStages) {
    Job job = small_job();
    job.memory = core::Gigabytes(1e-6);
    const core::Value value = to_value(size(job), job);
    EXPECT_EQ(value.find("format")->string, "longhaul.size/1");
    EXPECT_EQ(value.find("shape")->find("dp")->number, 3);
    EXPECT_EQ(value.find("workload")->find("pp_messages")->number, 4);
    ASSERT_EQ(value.find("stages")->size(), 2U);
    EXPECT_FALSE(value.find("stages")->items[0].find("fits")->boolean);
    EXPECT_TRUE(core::parse_json(core::write_json(value), "f"));
}

}  // namespace
}  // namespace longhaul::workload
