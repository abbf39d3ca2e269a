#include "longhaul/placement/memory_fit.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/pipelined.hpp"
#include "longhaul/placement/solve.hpp"

namespace longhaul::placement {
namespace {

/// Devices with random links.
Problem linked_problem(Shape shape, std::size_t devices, core::Random& random) {
    Problem problem;
    problem.shape = shape;
    problem.links = {random_costs(devices, 0, false, random),
                     random_costs(devices, 0, false, random)};
    problem.workload = testing::payloads(0.5, 1);
    problem.costs = costs_of(problem.links, problem.workload, shape, problem.terms);
    return problem;
}

/// Layers and devices of whole GB, so that they fit exactly now and then.
Problem random_memory(testing::Instance& instance, int i) {
    core::Random& random = instance.random;
    const Shape shapes[] = {{1, 2}, {2, 2}, {3, 2}, {3, 1}, {4, 1}, {2, 3}, {5, 1}};
    const Shape shape = shapes[i % 7];
    const std::uint32_t spare = random.below(2);
    Problem problem = linked_problem(shape, shape.devices() + spare, random);
    problem.terms.objective = i % 4 == 3 ? Objective::kPipelined : Objective::kAdditive;
    problem.terms.schedule = i % 3 == 0 ? Schedule::kGpipe : Schedule::kOneForwardOneBackward;
    problem.workload.pp_messages = 1 + static_cast<int>(random.below(4));
    const int layers = shape.pp + static_cast<int>(random.below(4));
    for (int l = 0; l < layers; ++l) {
        problem.workload.layers.push_back(
            {0.1, static_cast<double>(1 + random.below(6)), random.below(3) == 0 ? 0.5 : 0.0});
    }
    for (std::size_t device = 0; device < problem.devices(); ++device) {
        problem.memory_gb.push_back(static_cast<double>(2 + random.below(12)));
    }
    problem.costs = costs_of(problem.links, problem.workload, shape, problem.terms);
    return problem;
}

/// The least shortage of any rank map with any division, one by one.
double least_missing(const Problem& problem) {
    const int pp = problem.shape.pp;
    double least = std::numeric_limits<double>::infinity();
    std::vector<int> devices = testing::counted(problem.devices());
    do {
        Stages stages(static_cast<std::size_t>(pp));
        for (std::size_t i = 0; i < problem.shape.devices(); ++i) {
            stages[i / static_cast<std::size_t>(problem.shape.dp)].push_back(devices[i]);
        }
        const LayerDivision division = divide(problem, stages);
        least = std::min(least, division.missing ? division.missing->missing_gb : 0);
    } while (least > 0 && std::ranges::next_permutation(devices).found);
    return least;
}

TEST(MemoryFit, IsThatOfAllRankMaps) {
    int fitting = 0;
    int proved = 0;
    for (int i = 0; i < 210; ++i) {
        testing::Instance instance(960, i);
        const Problem problem = random_memory(instance, i);
        const double least = least_missing(problem);
        const MemoryFit fit = fit_memory(problem);
        ASSERT_TRUE(fit.complete) << i;
        ASSERT_NEAR(fit.missing_gb, least, 1e-5) << i;
        ASSERT_EQ(proved_not_to_fit(problem), least > 0) << i;
        const Stages guide =
            Placement(problem.shape, testing::shuffled(problem.shape.devices(), instance.random))
                .stages();
        const std::optional<Stages> stages = made_to_fit(problem, guide);
        ASSERT_TRUE(stages.has_value()) << i;
        const LayerDivision division = divide(problem, *stages);
        ASSERT_NEAR(division.missing ? division.missing->missing_gb : 0, least, 1e-5) << i;
        // As a placement: every device once.
        ASSERT_EQ(Placement::from_stages(*stages, problem.devices()).stages(), *stages) << i;
        ++(least > 0 ? proved : fitting);
    }
    EXPECT_GT(fitting, 60);
    EXPECT_GT(proved, 30);
}

TEST(MemoryFit, OrdersOfGivenStagesAreThoseOfAllOrders) {
    int fitting = 0;
    int none = 0;
    for (int i = 0; i < 210; ++i) {
        testing::Instance instance(961, i);
        const Problem problem = random_memory(instance, i);
        const Stages stages =
            Placement(problem.shape, testing::shuffled(problem.shape.devices(), instance.random))
                .stages();
        std::vector<int> order = testing::counted(stages.size());
        bool fits = false;
        do {
            fits = fits || !divide(problem, in_order(stages, order)).missing;
        } while (!fits && std::ranges::next_permutation(order).found);
        const std::vector<int> found = fitting_order(problem, stages, kFitWorkOfOrder);
        ASSERT_EQ(!found.empty(), fits) << i;
        if (fits) {
            ASSERT_FALSE(divide(problem, in_order(stages, found)).missing) << i;
            // Whatever the order in which stages are given, one that fits is found.
            ASSERT_LT(solve_inner(problem, stages).score.total(), kDoesNotFit) << i;
        }
        ++(fits ? fitting : none);
    }
    EXPECT_GT(fitting, 40);
    EXPECT_GT(none, 40);
}

// Three devices of 3 GB and three of 1 GB, four layers of 1 GB: three layers on two of the large
// ones. That compute takes long says nothing of memory.
TEST(MemoryFit, LayersOfManySecondsFitAsOthersDo) {
    for (const double seconds : {1.0, 1e11, 1e13, 1e30}) {
        testing::Instance instance(967, 0);
        const fabric::Fabric fabric =
            testing::fabric_with_memory({3, 3, 3, 1, 1, 1}, instance.random);
        workload::Workload load = testing::payloads(0.1, 0.1);
        load.layers.assign(4, {seconds, 1, 0});
        const Problem problem = make_problem(fabric, "f", load, {2, 2}).value();
        const Plan plan = solve(problem, fabric, {}).value();
        EXPECT_EQ(plan.misfit, "") << seconds;
        EXPECT_NEAR(plan.score.compute, 4 * seconds, 1e-9 * seconds);
        EXPECT_EQ(why_nothing_fits(problem, plan.placement.stages()), "");
    }
}

TEST(MemoryFit, SearchesFindAPlanThatFitsWhereverThereIsOne) {
    int narrow = 0;
    for (int i = 0; i < 140; ++i) {
        testing::Instance instance(962, i);
        const Problem problem = random_memory(instance, i);
        const bool fits = least_missing(problem) == 0;
        SolveOptions options;
        options.search.budget = 50;  // too few for trying all placements
        options.search.restarts = 1;
        options.proof.work = 0;
        options.baseline_samples = 0;
        const std::vector<int> hosts(problem.devices(), 0);
        const std::vector<std::string> labels(problem.devices(), "a");
        const Plan plan = solve(problem, hosts, labels, options).value();
        ASSERT_EQ(plan.misfit.empty(), fits) << i << " " << plan.misfit;
        narrow += fits && memory_matters(problem) ? 1 : 0;
    }
    EXPECT_GT(narrow, 30);
}

TEST(MemoryFit, StagesOfOneLayerGetDevicesOfTheirSize) {
    // By hand: layer k needs as many GB as the k-th pair of devices has, in a scrambled order.
    testing::Instance instance(963, 0);
    for (const int pp : {12, 24}) {
        Problem problem =
            linked_problem({pp, 2}, static_cast<std::size_t>(2 * pp), instance.random);
        const std::vector<int> order =
            testing::shuffled(static_cast<std::size_t>(pp), instance.random);
        for (const int k : order) {
            problem.workload.layers.push_back({1, 4.0 * (k + 1), 0});
        }
        for (const int device : testing::shuffled(problem.devices(), instance.random)) {
            problem.memory_gb.push_back(4.0 * (device / 2 + 1));
        }
        const Stages host_order =
            Placement(problem.shape, testing::counted(problem.devices())).stages();
        const std::optional<Stages> stages = made_to_fit(problem, host_order);
        ASSERT_TRUE(stages.has_value());
        for (std::size_t s = 0; s < stages->size(); ++s) {
            for (const int device : (*stages)[s]) {
                EXPECT_EQ(problem.memory_gb[static_cast<std::size_t>(device)],
                          problem.workload.layers[s].static_gb);
            }
        }
        EXPECT_FALSE(proved_not_to_fit(problem));
        problem.workload.layers[3].static_gb += 0.5;
        EXPECT_TRUE(proved_not_to_fit(problem));
        EXPECT_NEAR(fit_memory(problem).missing_gb, 0.5, 1e-4);
    }
}

TEST(MemoryFit, EndsGoToLargeDevices) {
    // 24 layers of 5 GB between two of 60 GB, on 4 devices of 80 GB and 12 of 24 GB: by hand, the
    // large devices hold the first and the last stage, in pairs.
    testing::Instance instance(964, 0);
    Problem problem = linked_problem({8, 2}, 16, instance.random);
    problem.workload.layers.assign(26, {1, 5, 0});
    problem.workload.layers.front().static_gb = problem.workload.layers.back().static_gb = 60;
    for (std::size_t device = 0; device < 16; ++device) {
        problem.memory_gb.push_back(device % 5 == 1 || device == 13 ? 80 : 24);
    }
    for (const Objective objective : {Objective::kAdditive, Objective::kPipelined}) {
        problem.terms.objective = objective;
        problem.workload.pp_messages = 8;
        problem.costs = costs_of(problem.links, problem.workload, problem.shape, problem.terms);
        SolveOptions options;
        options.search.budget = 20'000;
        options.search.restarts = 2;
        options.proof.work = 0;
        options.baseline_samples = 0;
        const Plan plan =
            solve(problem, std::vector<int>(16, 0), std::vector<std::string>(16, "a"), options)
                .value();
        EXPECT_EQ(plan.misfit, "");
        const Stages stages = plan.placement.stages();
        for (const std::size_t s : {std::size_t{0}, std::size_t{7}}) {
            for (const int device : stages[s]) {
                EXPECT_EQ(problem.memory_gb[static_cast<std::size_t>(device)], 80);
            }
        }
    }
}

TEST(MemoryFit, SaysWhetherThatIsProved) {
    testing::Instance instance(965, 0);
    Problem problem = linked_problem({2, 2}, 4, instance.random);
    problem.workload.layers = {{1, 4, 0}, {1, 4, 0}};
    problem.memory_gb = {4, 3, 4, 4};
    EXPECT_EQ(none_fits(problem, std::vector<int>{0, 0, 1, 1}, "stage 0"),
              "no plan fits the memory of the devices: stage 0");
    // Tensor groups of the first host as they come: one of 4 and 3 GB. With the devices of the
    // other host in any way that is not better, but it has not been tried.
    problem.shape = {1, 2, 2};
    problem.workload.layers = {{1, 4, 0}};
    EXPECT_EQ(none_fits(problem, std::vector<int>{0, 0, 1, 1}, "stage 0"),
              "found no plan that fits the memory of the devices, though there may be one: "
              "stage 0");
}

}  // namespace
}  // namespace longhaul::placement
