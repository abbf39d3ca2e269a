// What must hold for any job: nothing is lost between the stages, and payloads scale as they
// should.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "longhaul/workload/size.hpp"

namespace longhaul::workload {
namespace {

Job random_job() {
    Job job;
    Model& model = job.model;
    const int head = *rc::gen::inRange(1, 64);
    model.kv_heads = *rc::gen::inRange(1, 8);
    model.heads = model.kv_heads * *rc::gen::inRange(1, 8);
    model.hidden_size = head * model.heads;
    model.feed_forward = *rc::gen::element(FeedForward::kGelu, FeedForward::kSwiglu);
    model.feed_forward_size = *rc::gen::inRange(1, 1000);
    model.vocabulary = *rc::gen::inRange(1, 1000);
    model.tied_embeddings = *rc::gen::arbitrary<bool>();
    model.sequence_length = *rc::gen::inRange(1, 1000);
    model.biases = *rc::gen::arbitrary<bool>();
    model.norm = *rc::gen::element(Norm::kLayerNorm, Norm::kRmsNorm);
    model.positions = *rc::gen::element(Positions::kLearned, Positions::kRotary);
    model.dropout = *rc::gen::arbitrary<bool>();
    model.fused_attention = *rc::gen::arbitrary<bool>();
    job.pp = *rc::gen::inRange(1, 8);
    model.layers = 0;
    for (int stage = 0; stage < job.pp; ++stage) {
        job.stage_layers.push_back(*rc::gen::inRange(stage == 0 ? 1 : 0, 6));
        model.layers += job.stage_layers.back();
    }
    job.dp = *rc::gen::inRange(1, 8);
    job.micro_batch = *rc::gen::inRange(1, 5);
    job.accumulation_steps = *rc::gen::inRange(1, 4);
    job.sequences_per_replica = job.micro_batch * job.accumulation_steps * *rc::gen::inRange(1, 20);
    job.activations = *rc::gen::element(Precision::kFp32, Precision::kBf16, Precision::kFp8);
    job.gradients = *rc::gen::element(Precision::kFp32, Precision::kBf16);
    job.schedule = *rc::gen::element(PipelineSchedule::kGpipe, PipelineSchedule::k1f1b);
    return job;
}

double sum_of_parameters(const Sizing& sizing) {
    double sum = 0;
    for (const StageSize& stage : sizing.stages) {
        sum += stage.parameters;
    }
    return sum;
}

RC_GTEST_PROP(SizeProperty, StagesHoldTheWholeModel, ()) {
    const Job job = random_job();
    const double copy = job.model.tied_embeddings && job.pp > 1
                            ? static_cast<double>(job.model.vocabulary) * job.model.hidden_size
                            : 0;
    const Sizing sizing = size(job);
    RC_ASSERT(sum_of_parameters(sizing) == sizing.parameters + copy);
    for (const StageSize& stage : sizing.stages) {
        RC_ASSERT(stage.gradients <= sizing.workload.c_dp);
    }
}

RC_GTEST_PROP(SizeProperty, AGivenTotalIsSpreadOverTheStages, ()) {
    Job job = random_job();
    job.model.parameters = 1e9;
    const double sum = sum_of_parameters(size(job));
    RC_ASSERT(sum > 1e9 * (1 - 1e-12));
    RC_ASSERT(sum < 1e9 * (1 + 1e-12));
}

RC_GTEST_PROP(SizeProperty, MicroBatchesCarryTheBoundaryPayload, ()) {
    const Job job = random_job();
    const Sizing sizing = size(job);
    const double one = job.micro_batch * boundary_bytes(job.model, bytes_of(job.activations)) / 1e9;
    const double all = sizing.workload.pp_messages * one;
    RC_ASSERT(sizing.workload.c_pp.value() > all * (1 - 1e-12));
    RC_ASSERT(sizing.workload.c_pp.value() < all * (1 + 1e-12));
}

RC_GTEST_PROP(SizeProperty, OneForwardOneBackwardNeverHoldsMoreThanGpipe, ()) {
    Job job = random_job();
    job.schedule = PipelineSchedule::kGpipe;
    const Sizing gpipe = size(job);
    job.schedule = PipelineSchedule::k1f1b;
    const Sizing interleaved = size(job);
    for (std::size_t i = 0; i < gpipe.stages.size(); ++i) {
        RC_ASSERT(interleaved.stages[i].total() <= gpipe.stages[i].total());
    }
}

RC_GTEST_PROP(SizeProperty, BucketsHoldAllGradients, ()) {
    Job job = random_job();
    job.dp_bucket = core::Gigabytes(*rc::gen::inRange(1, 1000) * 1e-6);
    const Sizing sizing = size(job);
    const double buckets = sizing.workload.dp_messages;
    RC_ASSERT(buckets * *job.dp_bucket >= sizing.workload.c_dp * (1 - 1e-9));
    RC_ASSERT(buckets == 1 || (buckets - 1) * *job.dp_bucket < sizing.workload.c_dp);
}

}  // namespace
}  // namespace longhaul::workload
