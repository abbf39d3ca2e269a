#include "longhaul/workload/job.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "longhaul/workload/reshape.hpp"
#include "longhaul/workload/size.hpp"

namespace longhaul::workload {
namespace {

const std::string kGoodJob = R"(format = "longhaul.job/1"
name = "small"
[model]
layers = 4
hidden_size = 64
heads = 8
vocabulary = 100
sequence_length = 16
[batch]
global_batch = 24
micro_batch = 2
[precision]
activations = "fp16"
gradients = "fp32"
[parallel]
pp = 2
dp = 3
)";

/// The good job with one piece of its text replaced.
std::string changed(const std::string& from, const std::string& to) {
    std::string text = kGoodJob;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

std::string problems_of(const std::string& text) {
    const auto job = read_job(text, "job.toml");
    std::string all;
    if (!job) {
        for (const core::Diagnostic& problem : job.error()) {
            all += (all.empty() ? "" : "\n") + core::to_string(problem);
        }
    }
    return all;
}

TEST(ReadJob, FillsInTheDefaults) {
    const Job job = read_job(kGoodJob, "job.toml").value();
    EXPECT_EQ(job.name, "small");
    EXPECT_EQ(job.model.kv_heads, 8);
    EXPECT_EQ(job.model.feed_forward_size, 256);
    EXPECT_TRUE(job.model.tied_embeddings);
    EXPECT_TRUE(job.model.biases);
    EXPECT_EQ(job.sequences_per_replica, 8);
    EXPECT_EQ(job.micro_batch, 2);
    EXPECT_EQ(job.parameters, Precision::kFp16);
    EXPECT_TRUE(job.master_weights);
    EXPECT_EQ(job.optimiser, Optimiser::kAdam);
    EXPECT_EQ(job.stage_layers, (std::vector<int>{2, 2}));
    EXPECT_EQ(job.schedule, PipelineSchedule::k1f1b);
    EXPECT_FALSE(job.memory);
    EXPECT_FALSE(job.dp_bucket);
}

TEST(ReadJob, ReadsEveryKey) {
    const Job job = read_job(R"([model]
layers = 5
hidden_size = 64
heads = 8
kv_heads = 2
feed_forward = "swiglu"
feed_forward_size = 100
vocabulary = 100
tied_embeddings = false
sequence_length = 16
biases = true
norm = "layernorm"
positions = "learned"
dropout = true
fused_attention = false
parameters = 1e6
[batch]
sequences_per_replica = 7.5
micro_batch = 0.5
accumulation_steps = 3
[precision]
activations = "fp8"
gradients = "bf16"
parameters = "fp32"
optimiser = "momentum"
optimiser_states = "fp16"
[parallel]
pp = 2
dp = 3
stage_layers = [1, 4]
schedule = "gpipe"
activation_checkpointing = true
memory_gb = 24
[messages]
dp_bucket_mb = 25
micro_batches_per_message = 4
)",
                             "job.toml")
                        .value();
    EXPECT_EQ(job.model.kv_heads, 2);
    EXPECT_EQ(job.model.feed_forward, FeedForward::kSwiglu);
    EXPECT_TRUE(job.model.biases);
    EXPECT_EQ(job.model.norm, Norm::kLayerNorm);
    EXPECT_EQ(job.model.positions, Positions::kLearned);
    EXPECT_TRUE(job.model.dropout);
    EXPECT_FALSE(job.model.fused_attention);
    EXPECT_FALSE(job.model.tied_embeddings);
    EXPECT_EQ(job.model.parameters, 1e6);
    EXPECT_EQ(job.sequences_per_replica, 7.5);
    EXPECT_EQ(job.accumulation_steps, 3);
    EXPECT_EQ(micro_batches(job), 15);
    EXPECT_EQ(job.activations, Precision::kFp8);
    EXPECT_EQ(job.gradients, Precision::kBf16);
    EXPECT_EQ(job.parameters, Precision::kFp32);
    EXPECT_FALSE(job.master_weights);
    EXPECT_EQ(job.optimiser, Optimiser::kMomentum);
    EXPECT_EQ(job.optimiser_states, Precision::kFp16);
    EXPECT_EQ(job.stage_layers, (std::vector<int>{1, 4}));
    EXPECT_EQ(job.schedule, PipelineSchedule::kGpipe);
    EXPECT_TRUE(job.activation_checkpointing);
    EXPECT_EQ(job.memory->value(), 24);
    EXPECT_EQ(job.dp_bucket->value(), 0.025);
    EXPECT_EQ(job.micro_batches_per_message, 4);
}

TEST(ReadJob, LimitsThemselvesAreAccepted) {
    EXPECT_EQ(problems_of(changed("micro_batch = 2", "micro_batch = 8")), "");
    EXPECT_EQ(
        problems_of(changed("dp = 3\n", "dp = 3\n[messages]\nmicro_batches_per_message = 1\n")),
        "");
    EXPECT_EQ(problems_of(changed("heads = 8", "heads = 8\nkv_heads = 8")), "");
    EXPECT_EQ(problems_of(changed("pp = 2", "pp = 4")), "");
    EXPECT_EQ(problems_of(changed("pp = 2", "pp = 2\nstage_layers = [0, 4]")), "");
}

TEST(ReadJob, SwigluFollowsLlama) {
    const Job job = read_job(changed("heads = 8",
                                     "heads = 8\nfeed_forward = \"swiglu\"\nfeed_forward_size = 9"),
                             "job.toml")
                        .value();
    EXPECT_FALSE(job.model.biases);
    EXPECT_EQ(job.model.norm, Norm::kRmsNorm);
    EXPECT_EQ(job.model.positions, Positions::kRotary);
}

struct BadJob {
    std::string from;
    std::string to;
    std::string message;
};

// One clear message each, with the place and what would be right.
TEST(ReadJob, EveryMistakeGivesOneClearMessage) {
    const std::vector<BadJob> cases = {
        {"layers = 4",
         "layers = \"4\"",
         "line 4, column 10: model.layers: found a string \"4\"; it must be a number"},
        {"layers = 4",
         "layers = 0",
         "line 4, column 10: model.layers: found 0; it must be a whole number from 1 to 100000"},
        {"layers = 4",
         "layers = -4",
         "line 4, column 10: model.layers: found -4; it must be a whole number from 1 to 100000"},
        {"layers = 4",
         "layers = 4.5",
         "line 4, column 10: model.layers: found 4.5; it must be a whole number from 1 to 100000"},
        {"layers = 4",
         "layers = nan",
         "line 4, column 10: the number is not finite; use a finite number"},
        {"layers = 4\n",
         "",
         "line 3, column 1: model: the key \"layers\" is missing; it holds the number of "
         "transformer layers"},
        {"layers = 4", "layers = 4\nlayers = 5", "line 5"},
        {"hidden_size = 64",
         "hiden_size = 64\nhidden_size = 64",
         "line 5, column 14: model.hiden_size: unknown key \"hiden_size\"; did you mean "
         "\"hidden_size\"?"},
        {"heads = 8",
         "heads = 7",
         "line 6, column 9: model.heads: 7 heads do not divide hidden_size 64; every head must "
         "have the same whole width"},
        {"heads = 8",
         "heads = 8\nkv_heads = 3",
         "line 7, column 12: model.kv_heads: 3 key-value heads do not divide 8 heads; every "
         "key-value head must serve the same number of heads"},
        {"heads = 8",
         "heads = 8\nkv_heads = 16",
         "line 7, column 12: model.kv_heads: found 16; it must be a whole number from 1 to 8"},
        {"heads = 8",
         "heads = 8\nfeed_forward = \"relu\"",
         "line 7, column 16: model.feed_forward: found \"relu\"; it must be one of \"gelu\", "
         "\"swiglu\""},
        {"heads = 8",
         "heads = 8\nfeed_forward = \"swiglu\"",
         "line 3, column 1: model: the key \"feed_forward_size\" is missing; it holds the width of "
         "the feed-forward part"},
        {"heads = 8",
         "heads = 8\nparameters = 0",
         "line 7, column 14: model.parameters: found 0; it must be greater than 0"},
        {"heads = 8",
         "heads = 8\nparameters = 1e30",
         "line 7, column 14: model.parameters: found 1e+30; at most 1e+18"},
        {"heads = 8",
         "heads = 8\ntied_embeddings = 1",
         "line 7, column 19: model.tied_embeddings: found a number; it must be a boolean"},
        {"vocabulary = 100",
         "vocabulary = 1e12",
         "line 7, column 14: model.vocabulary: found 1000000000000; it must be a whole number from "
         "1 to "
         "1000000000"},
        {"global_batch = 24",
         "global_batch = -1",
         "line 10, column 16: batch.global_batch: found -1; it must be greater than 0"},
        {"global_batch = 24",
         "global_batch = inf",
         "line 10, column 16: the number is not finite; use a finite number"},
        {"global_batch = 24\n",
         "",
         "line 9, column 1: batch: neither global_batch nor sequences_per_replica is given; give "
         "one of them"},
        {"global_batch = 24",
         "global_batch = 24\nsequences_per_replica = 8",
         "line 9, column 1: batch: found both global_batch and sequences_per_replica; give one of "
         "them"},
        {"micro_batch = 2",
         "micro_batch = 9",
         "line 11, column 15: batch.micro_batch: 9 sequences are more than a replica has at once, "
         "8; a micro-batch is a part of them"},
        {"micro_batch = 2",
         "micro_batch = 5\naccumulation_steps = 2",
         "line 11, column 15: batch.micro_batch: 5 sequences are more than a replica has at once, "
         "4; a micro-batch is a part of them"},
        {"micro_batch = 2",
         "micro_batch = 1e-10",
         "line 9, column 1: batch: 8e+10 micro-batches a step; at most 1000000000; use a larger "
         "micro_batch"},
        {"activations = \"fp16\"",
         "activations = \"fp64\"",
         "line 13, column 15: precision.activations: found \"fp64\"; it must be one of \"fp32\", "
         "\"fp16\", \"bf16\", \"fp8\""},
        {"gradients = \"fp32\"\n",
         "",
         "line 12, column 1: precision: the key \"gradients\" is missing; it holds the number "
         "format of gradients"},
        {"gradients = \"fp32\"",
         "gradients = 32",
         "line 14, column 13: precision.gradients: found a number; it must be a string"},
        {"gradients = \"fp32\"",
         "gradients = \"fp32\"\noptimiser = \"lion\"",
         "line 15, column 13: precision.optimiser: found \"lion\"; it must be one of \"adam\", "
         "\"momentum\", \"sgd\""},
        {"pp = 2",
         "pp = 3",
         "line 16, column 6: parallel.pp: 3 stages do not divide 4 layers; choose a divisor, or "
         "list the layers of each stage in stage_layers"},
        {"pp = 2",
         "pp = 2\nstage_layers = [1, 2, 1]",
         "line 17, column 16: parallel.stage_layers: found 3 entries; one number a stage: 2"},
        {"pp = 2",
         "pp = 2\nstage_layers = [1, 2]",
         "line 17, column 16: parallel.stage_layers: the stages have 3 layers in all; the model "
         "has 4"},
        {"pp = 2",
         "pp = 2\nstage_layers = [5, -1]",
         "line 17, column 16: parallel.stage_layers[1]: found -1; it must be a whole number from 0 "
         "to 100000"},
        {"pp = 2",
         "pp = 2\nstage_layers = 2",
         "line 17, column 16: parallel.stage_layers: found a number; it must be an array"},
        {"dp = 3",
         "dp = 0",
         "line 17, column 6: parallel.dp: found 0; it must be a whole number from 1 to 1000000"},
        {"dp = 3",
         "dp = 3\nmemory_gb = 0",
         "line 18, column 13: parallel.memory_gb: found 0; it must be greater than 0"},
        {"dp = 3",
         "dp = 3\nschedule = \"2f2b\"",
         "line 18, column 12: parallel.schedule: found \"2f2b\"; it must be one of \"gpipe\", "
         "\"1f1b\""},
        {"dp = 3\n",
         "dp = 3\n[messages]\ndp_bucket_mb = 0\n",
         "line 19, column 16: messages.dp_bucket_mb: found 0; it must be greater than 0"},
        {"dp = 3\n",
         "dp = 3\n[messages]\ndp_bucket_mb = 1e-10\n",
         "line 18, column 1: messages: 4.296e+09 buckets a step; at most 1000000000; use a larger "
         "dp_bucket_mb"},
        {"longhaul.job/1",
         "longhaul.plan/1",
         "format: this is longhaul.plan/1, a placement, written by place -o; explain, launch, "
         "evaluate and simulate read it; needed is longhaul.job/1: a training job, written by a "
         "person"},
        {"longhaul.job/1",
         "longhaul.job/2",
         "line 1, column 10: format: found \"longhaul.job/2\"; this longhaul reads up to "
         "longhaul.job/1; use a newer one"},
        {"[batch]",
         "[batches]\n[batch]",
         "line 9, column 1: batches: unknown key \"batches\"; did you mean \"batch\"?"},
        {"name = \"small\"",
         "name = 3",
         "line 2, column 8: name: found a number; it must be a string"},
        {"name = \"small\"",
         "messages = 3",
         "line 2, column 12: messages: found a number; it must be an object"},
    };
    for (const BadJob& bad : cases) {
        const std::string message = problems_of(changed(bad.from, bad.to));
        if (bad.message.ends_with(" 5")) {  // a syntax error: the words are the library's
            EXPECT_EQ(message.substr(0, 16), "job.toml: " + bad.message);
        } else {
            EXPECT_EQ(message, "job.toml: " + bad.message) << bad.to;
        }
    }
}

TEST(ReadJob, ReadsJsonByName) {
    const char* json = R"({"model": {"layers": 2, "hidden_size": 8, "heads": 2, "vocabulary": 9,
        "sequence_length": 4}, "batch": {"global_batch": 4}, "precision": {"activations": "fp16",
        "gradients": "fp16"}, "parallel": {"pp": 2, "dp": 2}})";
    EXPECT_EQ(read_job(json, "job.json").value().sequences_per_replica, 2);
    EXPECT_FALSE(read_job(json, "standard input"));
    EXPECT_TRUE(read_job(kGoodJob, "standard input"));
}

TEST(ReadJob, ReportsAllProblemsAtOnce) {
    const std::string problems = problems_of("[model]\nlayers = 0\n[batch]\n[parallel]\npp = 2\n");
    EXPECT_GE(std::ranges::count(problems, '\n'), 7);
}

TEST(ReadJob, ForAnyShapeItsOwnIsNotChecked) {
    // 24 sequences over 3 replicas are 8 each: 9 at once are too many for them, and not for two.
    // 4 layers on 3 stages, or three numbers for two stages: wrong only for this shape.
    for (const auto& [from, to] : {std::pair{"micro_batch = 2", "micro_batch = 9"},
                                   std::pair{"pp = 2", "pp = 3"},
                                   std::pair{"pp = 2", "pp = 2\nstage_layers = [1, 2, 1]"},
                                   std::pair{"micro_batch = 2", "micro_batch = 1e-10"}}) {
        EXPECT_FALSE(read_job(changed(from, to), "job.toml")) << to;
        const core::Result<Job> job = read_job(changed(from, to), "job.toml", JobShape::kAny);
        ASSERT_TRUE(job) << to;
        EXPECT_EQ(job->dp * job->sequences_per_replica, 24) << to;
        const Job other = regridded(*job, 1, 2).value();
        EXPECT_EQ(too_many_messages(other).size(), job->micro_batch < 1 ? 1U : 0U) << to;
    }
    EXPECT_FALSE(read_job(changed("dp = 3", "dp = 0"), "job.toml", JobShape::kAny));
}

TEST(ReadJob, MissingTablesAreNamed) {
    EXPECT_EQ(problems_of("name = 'x'"),
              "job.toml: line 1, column 1: the key \"model\" is missing; it holds the shape of the "
              "transformer\n"
              "job.toml: line 1, column 1: the key \"parallel\" is missing; it holds pp and dp\n"
              "job.toml: line 1, column 1: the key \"batch\" is missing; it holds the sequences of "
              "a step\n"
              "job.toml: line 1, column 1: the key \"precision\" is missing; it holds the number "
              "formats");
}

}  // namespace
}  // namespace longhaul::workload
