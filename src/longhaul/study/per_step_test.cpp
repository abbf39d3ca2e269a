#include "longhaul/study/per_step.hpp"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "longhaul/core/random.hpp"
#include "longhaul/study/detail/test_support.hpp"

namespace longhaul::study {
namespace {

constexpr const char* kJob = R"(
[model]
layers = 4
hidden_size = 512
heads = 8
vocabulary = 1000
sequence_length = 128
parameters = 2e8
[batch]
global_batch = 16
micro_batch = 1
[precision]
activations = "bf16"
gradients = "fp32"
[parallel]
pp = 2
dp = 2
)";

StepJob small_job() {
    auto job = workload::read_job(kJob, "job.toml");
    EXPECT_TRUE(job.has_value());
    StepJob step;
    step.job = std::move(*job);
    step.sequence_seconds = 0.5;
    step.terms.objective = placement::Objective::kPipelined;
    return step;
}

fabric::Fabric random_fabric(std::size_t devices, core::Random& random) {
    core::Grid<double> alpha(devices, devices, 0);
    core::Grid<double> beta(devices, devices, 1);
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < devices; ++i) {
        labels.push_back(i % 2 == 0 ? "even" : "odd");
        for (std::size_t j = 0; j < devices; ++j) {
            alpha(i, j) = static_cast<double>(random.below(50));
            beta(i, j) = 0.1 + static_cast<double>(random.below(100)) / 10;
        }
    }
    return testing::make_fabric(std::move(labels), alpha, beta);
}

placement::SolveOptions effort() {
    placement::SolveOptions options;
    options.search.budget = 20'000;
    options.baseline_samples = 0;
    return options;
}

/// Least score over every shape of four devices and every order of them.
double least_of_all(const fabric::Fabric& fabric, const StepJob& job, bool compute) {
    double least = 1e300;
    for (const placement::Shape shape : {placement::Shape{1, 4}, {2, 2}, {4, 1}}) {
        const auto problem = step_problem(fabric, "f", job, shape, compute);
        EXPECT_TRUE(problem.has_value());
        std::vector<int> order(4);
        std::iota(order.begin(), order.end(), 0);
        do {
            const placement::Placement placement(shape, order);
            least = std::min(least, placement::score_as_mapped(*problem, placement).total());
        } while (std::ranges::next_permutation(order).found);
    }
    return least;
}

TEST(PlaceStep, FindsAndProvesTheBestOfAllMapsOfAllShapes) {
    for (std::uint64_t i = 0; i < 12; ++i) {
        core::Random random(41, i);
        const fabric::Fabric fabric = random_fabric(4, random);
        StepJob job = small_job();
        job.sequence_seconds = i % 3 == 0 ? 1e-6 : 0.2;
        const auto placed = place_step(fabric, "f", job, effort());
        ASSERT_TRUE(placed.has_value());
        const double best = least_of_all(fabric, job, true);
        EXPECT_NEAR(placed->seconds, best, 1e-9 * best) << i;
        EXPECT_NEAR(step_seconds_on(fabric, job, placed->placement), best, 1e-9 * best);
        EXPECT_NEAR(placed->bound.seconds, best, 1e-9 * best);
        const double transfers = least_of_all(fabric, job, false);
        EXPECT_NEAR(placed->exchange.seconds, transfers, 1e-9 * transfers) << i;
        EXPECT_LE(placed->exchange.seconds, placed->seconds);
        ASSERT_TRUE(placed->replayed_s.has_value());
        EXPECT_GT(*placed->replayed_s, compute_window_s(fabric, job));
    }
}

TEST(PlaceStep, KeepsToTheShapeThatIsAsked) {
    core::Random random(42, 0);
    const fabric::Fabric fabric = random_fabric(4, random);
    StepJob job = small_job();
    job.pp = 4;
    const auto placed = place_step(fabric, "f", job, effort());
    ASSERT_TRUE(placed.has_value());
    EXPECT_EQ(placed->shape, (placement::Shape{4, 1}));
    job.pp = 5;
    EXPECT_FALSE(place_step(fabric, "f", job, effort()).has_value());
}

// A shape that uses all devices is refused when it has more stages than layers and too many
// replicas for the batch: then fewer devices are used.
TEST(PlaceStep, UsesFewerDevicesWhereAllCannotBeUsed) {
    core::Random random(43, 0);
    const fabric::Fabric fabric = random_fabric(5, random);
    StepJob job = small_job();
    job.job.sequences_per_replica = 1;  // two sequences: at most two replicas
    const auto placed = place_step(fabric, "f", job, effort());
    ASSERT_TRUE(placed.has_value());
    EXPECT_LT(placed->shape.devices(), 5U);
    EXPECT_LE(placed->shape.dp, 2);
}

TEST(ComputeWindow, IsSharedBySpeed) {
    StepJob job = small_job();
    core::Random random(44, 0);
    fabric::FabricParts parts = random_fabric(4, random).parts();
    EXPECT_DOUBLE_EQ(compute_window_s(*fabric::Fabric::make(parts, "f"), job), 16 * 0.5 / 4);
    parts.devices.resize(4);
    parts.devices[1].speed = 5;
    EXPECT_DOUBLE_EQ(compute_window_s(*fabric::Fabric::make(parts, "f"), job), 16 * 0.5 / 8);
    EXPECT_DOUBLE_EQ(job.tokens(), 16 * 128);
    // 6 x 2e8 x 128 operations at 2 TFLOP/s.
    EXPECT_DOUBLE_EQ(sequence_seconds_at(job.job, 2), 6 * 2e8 * 128 / 2e12);
    job.job.activation_checkpointing = true;
    EXPECT_DOUBLE_EQ(sequence_seconds_at(job.job, 2), 8 * 2e8 * 128 / 2e12);
}

TEST(ShareOf, GivesSequencesBySpeedAndTheLeastMemory) {
    const StepJob job = small_job();
    core::Random random(45, 0);
    fabric::FabricParts parts = random_fabric(4, random).parts();
    parts.devices.resize(4);
    parts.devices[1].speed = 2;
    parts.devices[1].memory_gb = 80;
    parts.devices[3].memory_gb = 24;
    const auto fabric = fabric::Fabric::make(parts, "f");
    ASSERT_TRUE(fabric.has_value());
    const StepJob part = share_of(job, *fabric, {1, 3});
    EXPECT_DOUBLE_EQ(part.sequences(), 16 * 3.0 / 5);
    ASSERT_TRUE(part.job.memory.has_value());
    EXPECT_DOUBLE_EQ(part.job.memory->value(), 24);
    EXPECT_FALSE(share_of(job, *fabric, {0, 2}).job.memory.has_value());
}

}  // namespace
}  // namespace longhaul::study
