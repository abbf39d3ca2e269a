// Large problems, and small ones in both forms of a fabric: by kind of device and by single device.
#include <gtest/gtest.h>

#include "longhaul/core/document.hpp"
#include "longhaul/placement/classes.hpp"
#include "longhaul/placement/detail/globe.hpp"
#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/solve.hpp"

namespace longhaul::placement {
namespace {

fabric::Fabric globe(int regions, int devices) {
    return fabric::read_fabric(testing::globe_table(regions, devices), "globe.json").value();
}

/// The same fabric with every device a kind of its own.
fabric::Fabric by_device(const fabric::Fabric& fabric) {
    fabric::FabricParts parts = fabric.parts();
    parts.alpha_ms = parts.alpha_ms.full();
    parts.beta_gbps = parts.beta_gbps.full();
    return fabric::Fabric::make(std::move(parts), "f").value();
}

/// A region table with uneven regions and directions that differ, some regions of one device, and a
/// few hosts.
fabric::Fabric drawn_table(std::size_t devices, core::Random& random) {
    std::vector<int> sizes(2 + random.index(7), 0);
    for (std::size_t d = 0; d < devices; ++d) {
        ++sizes[random.index(1 + random.index(sizes.size()))];
    }
    std::erase(sizes, 0);
    const std::size_t regions = sizes.size();
    std::vector<int> kind_of;
    fabric::FabricParts parts;
    for (std::size_t r = 0; r < regions; ++r) {
        for (int d = 0; d < sizes[r]; ++d) {
            kind_of.push_back(static_cast<int>(r));
            parts.labels.push_back("region " + std::to_string(r));
            parts.devices.emplace_back().host = std::to_string(random.index(devices / 2 + 1));
        }
    }
    core::Grid<double> alpha(regions, regions);
    core::Grid<double> beta(regions, regions);
    for (std::size_t a = 0; a < alpha.cells().size(); ++a) {
        alpha.cells()[a] = random.below(4) * 10.0 + 1;
        beta.cells()[a] = 1 + random.below(3);
    }
    parts.alpha_ms = fabric::PairMatrix(kind_of, alpha);
    parts.beta_gbps = fabric::PairMatrix(kind_of, beta);
    return fabric::Fabric::make(std::move(parts), "f").value();
}

std::string plan_of(const fabric::Fabric& fabric, Shape shape, SolveOptions options) {
    const Problem problem = make_problem(fabric, "f", testing::payloads(0.1, 1), shape).value();
    return core::write_json(to_value(solve(problem, fabric, options).value()));
}

TEST(Scale, KindsOfDevicesChangeNoPlan) {
    for (int i = 0; i < 40; ++i) {
        core::Random random(51, static_cast<std::uint64_t>(i));
        const Shape shape = testing::small_shape(i);
        const fabric::Fabric by_kind = drawn_table(shape.devices(), random);
        const fabric::Fabric full = by_device(by_kind);
        ASSERT_EQ(core::write_json(fabric::to_value(by_kind)),
                  core::write_json(fabric::to_value(full)));
        SolveOptions options;
        options.search.budget = 2'000;
        options.proof.work = 200'000;
        options.baseline_samples = 3;
        ASSERT_EQ(plan_of(by_kind, shape, options), plan_of(full, shape, options)) << i;
    }
}

TEST(Scale, KindsOfDevicesChangeNoPlanOfManyDevices) {
    // Enough devices for counted edges, and stages that are joined by cells.
    for (const Shape shape : {Shape{4, 80}, Shape{10, 30}, Shape{3, 100}}) {
        core::Random random(52, shape.devices());
        const fabric::Fabric by_kind = drawn_table(shape.devices(), random);
        SolveOptions options;
        options.search.budget = 50;
        options.search.restarts = 2;
        options.proof.work = 0;
        options.baseline_samples = 2;
        const std::string plan = plan_of(by_kind, shape, options);
        const Plan read = read_plan(plan, "p").value();
        const fabric::Fabric full = by_device(by_kind);
        const Plan other = read_plan(plan_of(full, shape, options), "p").value();
        // Pairs of equal cost may differ where cells join stages, and so the order of sums.
        EXPECT_NEAR(read.score.total(), other.score.total(), 1e-12 * read.score.total());
        EXPECT_EQ(read.bound.value, other.bound.value);
        EXPECT_EQ(read.bound.method, other.bound.method);
    }
}

TEST(Scale, TheFirstPlanTakesFewEvaluations) {
    for (const auto& [regions, devices, shape] :
         {std::tuple{16, 64, Shape{16, 64}}, {20, 500, Shape{100, 100}}}) {
        const fabric::Fabric fabric = globe(regions, devices);
        const Problem problem = make_problem(fabric, "f", testing::payloads(0.1, 1), shape).value();
        EXPECT_EQ(problem.costs.pipeline.kinds(), static_cast<std::size_t>(regions));
        SolveOptions options;
        options.search.stop = options.proof.stop = options.baseline_stop = [] { return true; };
        const Plan plan = solve(problem, fabric, options).value();
        EXPECT_EQ(plan.search.stopped_by, "time limit");
        EXPECT_LE(plan.search.evaluations, 2U);
        EXPECT_EQ(score_as_mapped(problem, plan.placement).total(), plan.score.total());
        EXPECT_LT(plan.bound.value, plan.score.total());
        EXPECT_EQ(plan.baselines->samples, 0);
        EXPECT_LE(plan.score.total(), plan.baselines->host_order_solved);
    }
}

TEST(Scale, EqualRegionsSharedEvenlyAreProvedOptimal) {
    // Every stage holds as many devices of each region. The scores are closed forms: all edges at
    // the inside cost, 2 (0.0002 + 8 0.512 / 20) = 0.41, and the sums of one device over its stage.
    for (const auto& [regions, devices, shape, score] :
         {std::tuple{16, 64, Shape{16, 64}, 31.697831860820465},
          {20, 500, Shape{100, 100}, 72.50974826154396}}) {
        const fabric::Fabric fabric = globe(regions, devices);
        const Problem problem =
            make_problem(fabric, "f", testing::payloads(0.512, 0.65), shape).value();
        SolveOptions options;
        options.search.budget = 2'400;
        options.baseline_samples = 0;
        const Plan plan = solve(problem, fabric, options).value();
        EXPECT_NEAR(plan.score.total(), score, 1e-9);
        EXPECT_NEAR(plan.score.pipeline, (shape.pp - 1) * 0.41, 1e-9);
        EXPECT_TRUE(gap_between(plan.score.total(), plan.bound.value).optimal);
        EXPECT_EQ(plan.search.stopped_by, "proof");
    }
}

TEST(Scale, SeedsThatTheTimeCutsShortAreScoredAsTheyAreWalked) {
    // The stop comes after more and more questions; every plan must realise its score, which
    // `solve` checks.
    const fabric::Fabric fabric = globe(6, 8);
    const Problem problem = make_problem(fabric, "f", testing::payloads(0.1, 1), {6, 8}).value();
    double first = 0;
    double last = 0;
    for (int questions = 0; questions < 1'000; questions += 37) {
        int asked = 0;
        SolveOptions options;
        options.search.threads = 1;
        options.search.stop = [&] { return ++asked > questions; };
        options.proof.work = 0;
        options.baseline_samples = 0;
        const core::Result<Plan> plan = solve(problem, fabric, options);
        ASSERT_TRUE(plan) << questions;
        first = questions == 0 ? plan->score.total() : first;
        last = plan->score.total();
    }
    EXPECT_LT(last, first);
}

TEST(Scale, HostsOfOneDeviceAreOneKind) {
    const fabric::Fabric fabric =
        fabric::read_fabric(R"({"groups": [{"instances": 100, "gpus_per_instance": 80},
            {"instances": 2000, "gpus_per_instance": 1}], "delay_ms": 1, "intra_delay_ms": 0.1,
            "intra_gbps": 400, "inter_gbps": 25})",
                            "t.json")
            .value();
    EXPECT_EQ(fabric.size(), 10'000U);
    EXPECT_EQ(fabric.parts().alpha_ms.kinds(), 101U);
    EXPECT_EQ(fabric.parts().beta_gbps(7'999, 7'920), 400);
    EXPECT_EQ(fabric.parts().beta_gbps(8'000, 9'999), 25);
    const fabric::Fabric again =
        fabric::read_fabric(core::write_json(fabric::to_value(fabric)), "again.json").value();
    EXPECT_EQ(again.parts().alpha_ms, fabric.parts().alpha_ms);
    EXPECT_EQ(again.parts().beta_gbps, fabric.parts().beta_gbps);
    const Problem problem =
        make_problem(fabric, "f", testing::payloads(0.1, 1), {100, 100}).value();
    EXPECT_EQ(exact_classes(problem.costs).size(), 101U);
}

}  // namespace
}  // namespace longhaul::placement
