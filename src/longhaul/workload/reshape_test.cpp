#include "longhaul/workload/reshape.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "longhaul/workload/size.hpp"

namespace longhaul::workload {
namespace {

Job ten_layers() {
    Job job;
    job.model.layers = 10;
    job.model.hidden_size = 64;
    job.model.heads = 4;
    job.model.kv_heads = 4;
    job.model.feed_forward_size = 256;
    job.model.vocabulary = 100;
    job.model.sequence_length = 32;
    job.model.parameters = 1e6;
    job.pp = 2;
    job.dp = 4;
    job.stage_layers = {5, 5};
    job.sequences_per_replica = 8;
    job.micro_batch = 2;
    return job;
}

TEST(Reshaped, KeepsTheStepAndTheModel) {
    const Job job = ten_layers();
    const Job other = reshaped(job, 4, 2, 1).value();
    EXPECT_EQ(other.sequences_per_replica * other.dp, 32);
    EXPECT_EQ(other.stage_layers, (std::vector<int>{3, 3, 2, 2}));
    // Twice as many sequences a replica, 10 / 3 as many parameters in the largest stage.
    EXPECT_NEAR(size(other).workload.c_pp / size(job).workload.c_pp, 2, 1e-9);
    EXPECT_NEAR(size(other).workload.c_dp / size(job).workload.c_dp, 3.0 / 5, 1e-9);
    EXPECT_EQ(reshaped(job, 2, 4, 1)->stage_layers, job.stage_layers);
    // A job that was read for any shape has no stages yet.
    Job any = job;
    any.stage_layers.clear();
    EXPECT_EQ(reshaped(any, 2, 4, 1)->stage_layers, job.stage_layers);
}

TEST(Regridded, KeepsTheLayersOfItsOwnStages) {
    Job job = ten_layers();
    job.stage_layers = {7, 3};
    EXPECT_EQ(regridded(job, 2, 2)->stage_layers, (std::vector<int>{7, 3}));
    EXPECT_EQ(reshaped(job, 2, 2, 1)->stage_layers, (std::vector<int>{7, 3}));
    EXPECT_EQ(regridded(job, 5, 2)->stage_layers, (std::vector<int>{2, 2, 2, 2, 2}));
    // 4 replicas with 8 sequences each are 32 a step.
    EXPECT_EQ(regridded(job, 5, 2)->sequences_per_replica, 16);
    job.memory = core::Gigabytes(1e-3);  // is not looked at
    EXPECT_TRUE(regridded(job, 1, 8).has_value());
}

TEST(Limited, TakesTheSmallerMemoryAndSaysWhose) {
    Job job = ten_layers();
    EXPECT_FALSE(limited(job, std::nullopt).memory.has_value());
    const Job small = limited(job, 1e-3);
    EXPECT_EQ(small.memory->value(), 1e-3);
    job.memory = core::Gigabytes(2e-3);
    EXPECT_EQ(limited(job, 1e-3).memory->value(), 1e-3);
    const Job own = limited(job, 4e-3);
    EXPECT_EQ(own.memory->value(), 2e-3);
    EXPECT_EQ(own.memory_source, "memory_gb of the job");
    const core::Result<Job> refused = reshaped(small, 1, 8, 1);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().front().fix,
              "a device has 0.001 GB (least memory_gb of the devices of the fabric)");
}

std::string refusal(const core::Result<Job>& job) {
    return job ? "none" : core::to_string(job.error().front());
}

TEST(Reshaped, RefusesWhatCannotRun) {
    Job job = ten_layers();
    EXPECT_EQ(refusal(reshaped(job, 11, 1, 1)),
              "shape: 11 stages for 10 layers; every stage must have a layer");
    EXPECT_EQ(refusal(reshaped(job, 1, 32, 1)),
              "shape: a replica has 1 sequences at once; a micro-batch holds 2");
    EXPECT_EQ(refusal(reshaped(job, 1, 16, 1)), "none");
    job.memory = core::Gigabytes(1e-3);
    EXPECT_NE(refusal(reshaped(job, 1, 8, 1)).find("stage 0 needs"), std::string::npos);
    const core::Gigabytes halves =
        size(reshaped(ten_layers(), 1, 8, 1).value(), 2).stages[0].total();
    job.memory = halves;
    EXPECT_EQ(refusal(reshaped(job, 1, 8, 2)), "none");
    job.memory = halves * 0.999;
    EXPECT_NE(refusal(reshaped(job, 1, 8, 2)), "none");
}

}  // namespace
}  // namespace longhaul::workload
