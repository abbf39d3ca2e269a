#include "longhaul/placement/layers.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/pipelined.hpp"

namespace longhaul::placement {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

std::vector<Layer> random_layers(std::size_t count, core::Random& random, bool ties) {
    std::vector<Layer> layers(count);
    for (Layer& layer : layers) {
        layer.seconds = ties ? 1 + random.below(3) : 0.1 + random.uniform();
        layer.static_gb = ties ? 1 + random.below(2) : random.uniform();
        layer.activation_gb = ties ? random.below(2) : random.uniform() / 2;
    }
    return layers;
}

/// Least seconds over all divisions, straight from the definition; infinity: nothing fits.
/// `least_shortage` gets the least worst shortage, `least_sum` the least sum of stage seconds of
/// the best divisions.
double brute_force_division(const std::vector<Layer>& layers,
                            const std::vector<StageDevices>& stages,
                            const PipelineCompute& compute,
                            double& least_shortage,
                            double& least_sum) {
    const std::size_t l = layers.size();
    const std::size_t p = stages.size();
    const int m = compute.microbatches;
    double best = kUnlimited;
    least_shortage = kUnlimited;
    for (std::uint32_t cuts = 0; cuts < 1U << (l - 1); ++cuts) {
        if (std::popcount(cuts) != static_cast<int>(p) - 1) {
            continue;
        }
        std::vector<double> seconds(p, 0);
        std::vector<double> gb(p, 0);
        std::size_t s = 0;
        for (std::size_t i = 0; i < l; ++i) {
            const int left = static_cast<int>(p - s);
            const int flight = compute.schedule == Schedule::kGpipe ? m : std::min(m, left);
            seconds[s] += layers[i].seconds / stages[s].speed;
            gb[s] += layers[i].static_gb + flight * layers[i].activation_gb;
            s += cuts >> i & 1U;
        }
        double shortage = 0;
        for (std::size_t k = 0; k < p; ++k) {
            shortage = std::max(shortage, gb[k] - stages[k].memory_gb);
        }
        least_shortage = std::min(least_shortage, shortage);
        if (shortage <= 1e-9) {
            const double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
            const double all = sum / m + (m - 1) * std::ranges::max(seconds) / m;
            if (all < best + 1e-11) {
                least_sum = all < best - 1e-11 ? sum : std::min(sum, least_sum);
            }
            best = std::min(best, all);
        }
    }
    return best;
}

TEST(DivideLayers, EqualsBruteForce) {
    int nothing_fits = 0;
    for (int i = 0; i < 600; ++i) {
        testing::Instance instance(730, i);
        const bool ties = i % 2 == 1;
        const std::size_t p = 1 + instance.random.below(5);
        const std::size_t l = p + instance.random.below(8);
        const auto layers = random_layers(l, instance.random, ties);
        std::vector<StageDevices> stages(p);
        for (StageDevices& stage : stages) {
            stage.speed = ties ? 1 + instance.random.below(2) : 0.3 + instance.random.uniform();
            stage.memory_gb = i % 3 == 0 ? kUnlimited : 1 + 8 * instance.random.uniform();
            stage.memory_gb = ties ? std::floor(stage.memory_gb) : stage.memory_gb;
        }
        const PipelineCompute compute{
            std::vector<int>{1, 2, 5, 64}[instance.random.below(4)],
            i % 4 < 2 ? Schedule::kGpipe : Schedule::kOneForwardOneBackward};
        double shortage = 0;
        double sum = 0;
        const double best = brute_force_division(layers, stages, compute, shortage, sum);
        const LayerDivision division = divide_layers(layers, stages, compute);
        if (best == kUnlimited) {
            ++nothing_fits;
            ASSERT_TRUE(division.missing) << i;
            ASSERT_NEAR(division.missing->missing_gb, shortage, 1e-9) << i;
            ASSERT_NEAR(division.missing->needed_gb - division.missing->missing_gb,
                        stages[static_cast<std::size_t>(division.missing->stage)].memory_gb,
                        1e-9);
            continue;
        }
        ASSERT_FALSE(division.missing) << i;
        ASSERT_NEAR(division.seconds, best, 1e-9) << i;
        ASSERT_NEAR(
            std::accumulate(division.stage_seconds.begin(), division.stage_seconds.end(), 0.0),
            sum,
            1e-9)
            << i;
        ASSERT_EQ(division.first.size(), p);
        ASSERT_EQ(division.first.front(), 0);
        for (std::size_t s = 0; s < p; ++s) {
            ASSERT_LE(division.stage_gb[s], stages[s].memory_gb + 1e-9) << i;
            ASSERT_LT(division.first[s], s + 1 < p ? division.first[s + 1] : static_cast<int>(l));
        }
    }
    EXPECT_GT(nothing_fits, 50);
    EXPECT_LT(nothing_fits, 550);
}

TEST(DivideLayers, EqualLayersOnEqualDevicesAreDividedEvenly) {
    // 48 layers of 0.5 s over 8 stages, 16 micro-batches: 6 layers or 3 s a stage,
    // (8 x 3 + 15 x 3) / 16 s.
    const std::vector<Layer> layers(48, Layer{0.5, 1, 0});
    const std::vector<StageDevices> stages(8, StageDevices{1, 6});
    const LayerDivision division =
        divide_layers(layers, stages, {16, Schedule::kOneForwardOneBackward});
    EXPECT_EQ(division.first, (std::vector<int>{0, 6, 12, 18, 24, 30, 36, 42}));
    EXPECT_NEAR(division.seconds, 23 * 3.0 / 16, 1e-12);
}

TEST(DivideLayers, OfEqualComputeTheLeastSumIsTaken) {
    // By hand: layers of 3, 1 and 0.5 s, the second stage at half speed, two parts. (3 + 1 | 0.5)
    // and (3 | 1 + 0.5) have sums of 5 and 6 and slowest stages of 4 and 3: 4.5 s both.
    const LayerDivision division =
        divide_layers({{3, 0, 0}, {1, 0, 0}, {0.5, 0, 0}}, {{1}, {0.5}}, {2, Schedule::kGpipe});
    EXPECT_EQ(division.seconds, 4.5);
    EXPECT_EQ(division.first, (std::vector<int>{0, 2}));
}

TEST(DivideLayers, ASlowStageGetsFewerLayers) {
    // Half the speed, half the layers: 2, 4, 4 of 10 keep all stages at 4 s.
    const std::vector<Layer> layers(10, Layer{1, 0, 0});
    const std::vector<StageDevices> stages{{0.5, kUnlimited}, {1, kUnlimited}, {1, kUnlimited}};
    const LayerDivision division = divide_layers(layers, stages, {100, Schedule::kGpipe});
    EXPECT_EQ(division.first, (std::vector<int>{0, 2, 6}));
}

TEST(DivideLayers, GpipeNeedsMoreMemoryThanOneForwardOneBackward) {
    // 4 layers, 2 stages of 2 layers, 8 micro-batches, 1 GB static and 1 GB an activation each:
    // GPipe 2 + 8 x 2 = 18 GB on both; 1F1B 2 + 2 x 2 = 6 GB and 2 + 1 x 2 = 4 GB.
    const std::vector<Layer> layers(4, Layer{1, 1, 1});
    const std::vector<StageDevices> stages(2, StageDevices{1, 6});
    EXPECT_EQ(divide_layers(layers, stages, {8, Schedule::kOneForwardOneBackward}).stage_gb,
              (std::vector<double>{6, 4}));
    const LayerDivision gpipe = divide_layers(layers, stages, {8, Schedule::kGpipe});
    ASSERT_TRUE(gpipe.missing);
    EXPECT_EQ(gpipe.missing->needed_gb, 18);
    EXPECT_EQ(gpipe.missing->missing_gb, 12);
}

TEST(DivideLayers, FewerLayersThanStagesAreRefused) {
    const LayerDivision division =
        divide_layers(std::vector<Layer>(2), std::vector<StageDevices>(3, {1, 1}), {});
    ASSERT_TRUE(division.missing);
    EXPECT_EQ(division.missing->stage, -1);
}

TEST(DivideLayers, PassesOfOtherMessagesAreDividedForBoth) {
    // 1 message forward and 8 backward, forward a third: 4 layers of 1 s over 2 stages. With 2 + 2,
    // forward 4/3 + 0, backward 2/3 (4 + 7 x 2) / 8; the forward message alone would not care.
    Passes passes;
    passes.backward_units = 8;
    const PipelineCompute compute{1, Schedule::kGpipe, passes.units_together()};
    const LayerDivision division = divide_layers(
        std::vector<Layer>(4, Layer{1, 0, 0}), std::vector<StageDevices>(2, {1, 9}), compute);
    EXPECT_EQ(division.first, (std::vector<int>{0, 2}));
    EXPECT_NEAR(division.seconds, 4.0 / 3 + 2.0 / 3 * 18 / 8, 1e-12);
}

TEST(DivideLayers, EqualsBruteForceOfTheScoreOfBothPasses) {
    for (int i = 0; i < 300; ++i) {
        testing::Instance instance(733, i);
        const std::size_t p = 1 + instance.random.below(4);
        const std::size_t l = p + instance.random.below(6);
        const auto layers = random_layers(l, instance.random, i % 2 == 1);
        std::vector<StageDevices> stages(p);
        for (StageDevices& stage : stages) {
            stage.speed = 0.5 * static_cast<double>(1 + instance.random.below(4));
        }
        Passes passes;
        passes.forward_units = std::vector<int>{1, 2, 16}[instance.random.below(3)];
        passes.backward_units = std::vector<int>{1, 3, 64}[instance.random.below(3)];
        passes.forward_share = instance.random.uniform();
        double best = kUnlimited;
        for (std::uint32_t cuts = 0; cuts < 1U << (l - 1); ++cuts) {
            if (std::popcount(cuts) != static_cast<int>(p) - 1) {
                continue;
            }
            std::vector<double> seconds(p, 0);
            std::size_t s = 0;
            for (std::size_t k = 0; k < l; ++k) {
                seconds[s] += layers[k].seconds / stages[s].speed;
                s += cuts >> k & 1U;
            }
            const double slowest = std::ranges::max(seconds);
            const double forward = passes.forward_share / passes.forward_units;
            const double backward = (1 - passes.forward_share) / passes.backward_units;
            const double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
            best = std::min(best,
                            sum * (forward + backward) +
                                (passes.forward_units - 1) * slowest * forward +
                                (passes.backward_units - 1) * slowest * backward);
        }
        const PipelineCompute compute{1, Schedule::kGpipe, passes.units_together()};
        ASSERT_NEAR(divide_layers(layers, stages, compute).seconds, best, 1e-9) << i;
    }
}

TEST(DivideLayers, ManyLayersOverManyStagesKeepTheirSums) {
    // 200 layers over 64 stages: no brute force, but nothing beats the bound over all orders.
    for (int i = 0; i < 20; ++i) {
        testing::Instance instance(731, i);
        const auto layers = random_layers(200, instance.random, i % 2 == 1);
        std::vector<StageDevices> stages(64);
        std::vector<double> speeds;
        for (StageDevices& stage : stages) {
            stage = {0.5 + instance.random.uniform(), kUnlimited};
            speeds.push_back(stage.speed);
        }
        double work = 0;
        double slowest = 0;
        for (const Layer& layer : layers) {
            work += layer.seconds;
            slowest = std::max(slowest, layer.seconds);
        }
        const int m = std::vector<int>{1, 8, 64, 512}[static_cast<std::size_t>(i) % 4];
        const LayerDivision division = divide_layers(layers, stages, {m, Schedule::kGpipe});
        const double sum =
            std::accumulate(division.stage_seconds.begin(), division.stage_seconds.end(), 0.0);
        const double max = std::ranges::max(division.stage_seconds);
        EXPECT_NEAR(division.seconds, (sum + (m - 1) * max) / m, 1e-9);
        EXPECT_GE(division.seconds, compute_bound(speeds, 64, 1, work, slowest, m) - 1e-9);
    }
}

TEST(ComputeBound, HoldsForEveryGroupingAndOrderAndIsReached) {
    int reached = 0;
    for (int i = 0; i < 200; ++i) {
        testing::Instance instance(732, i);
        const int p = 1 + i % 3;
        const int dp = 1 + i % 2;
        const std::size_t n = static_cast<std::size_t>(p * dp);
        const auto layers = random_layers(
            static_cast<std::size_t>(p) + instance.random.below(6), instance.random, i % 2 == 1);
        std::vector<double> speeds(n);
        for (double& speed : speeds) {
            speed = 1 + instance.random.below(3);
        }
        double work = 0;
        double slowest = 0;
        for (const Layer& layer : layers) {
            work += layer.seconds;
            slowest = std::max(slowest, layer.seconds);
        }
        const PipelineCompute compute{1 + 3 * (i % 5), Schedule::kGpipe};
        const double bound = compute_bound(speeds, p, dp, work, slowest, compute.microbatches);
        std::vector<int> order = testing::counted(n);
        double best = kUnlimited;
        do {
            std::vector<StageDevices> stages(static_cast<std::size_t>(p), {9, kUnlimited});
            for (std::size_t k = 0; k < n; ++k) {
                double& speed = stages[k / static_cast<std::size_t>(dp)].speed;
                speed = std::min(speed, speeds[static_cast<std::size_t>(order[k])]);
            }
            best = std::min(best, divide_layers(layers, stages, compute).seconds);
        } while (std::ranges::next_permutation(order).found);
        ASSERT_LE(bound, best + 1e-9) << i;
        reached += bound > best * 0.999 ? 1 : 0;
    }
    EXPECT_GT(reached, 60);
}

}  // namespace
}  // namespace longhaul::placement
