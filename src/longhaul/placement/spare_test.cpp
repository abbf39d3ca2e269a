#include "longhaul/placement/spare.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/find.hpp"
#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/ordered.hpp"
#include "longhaul/placement/prove.hpp"

namespace longhaul::placement {
namespace {

/// Devices of a larger problem, some more than the shape has places.
Problem problem_with_spare(Shape shape, int spare, testing::Instance& instance) {
    Problem problem = random_problem({1, static_cast<int>(shape.devices()) + spare},
                                     instance.levels,
                                     instance.equal_rows,
                                     instance.random);
    problem.shape = shape;
    return problem;
}

TEST(Spare, FindsTheBestDevicesAndNeverProvesTooMuch) {
    constexpr Shape kShapes[] = {{2, 2}, {3, 2}, {2, 3}, {1, 3}, {4, 1}};
    int found = 0;
    constexpr int kCases = 80;
    for (int i = 0; i < kCases; ++i) {
        testing::Instance instance(81, i);
        const Problem problem =
            problem_with_spare(kShapes[i % std::size(kShapes)], 1 + i % 3, instance);
        const double optimum = testing::optimum_over_sets(problem);
        SearchOptions options;
        options.budget = 4'000;
        options.restarts = 2;
        const SearchResult result = find(problem, SearchKind::kPortfolio, options);
        EXPECT_NEAR(solve_inner(problem, result.stages).score.total(), result.score, 1e-12);
        EXPECT_GE(result.score, optimum - 1e-9) << i;
        found += result.score <= optimum + 1e-9 ? 1 : 0;
        for (const double incumbent : {result.score, 1.4 * optimum}) {
            const Certificate certificate = prove(problem, incumbent, {});
            EXPECT_LE(certificate.bound.value, optimum + 1e-9) << i;
        }
        for (const LeftOut& one : left_out(problem, result.stages, 1)) {
            EXPECT_GE(one.score, optimum - 1e-9);
            EXPECT_GE(one.instead_of, 0);
        }
    }
    EXPECT_GE(found, kCases * 9 / 10);
}

/// The least score of a device in the place of any other, one by one; infinite where none fits.
double least_in_any_place(const Problem& problem, const Stages& stages, int device) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t s = 0; s < stages.size(); ++s) {
        for (std::size_t i = 0; i < stages[s].size(); ++i) {
            Stages changed = stages;
            changed[s][i] = device;
            const Score score = solve_inner(problem, changed).score;
            least = score.compute < kDoesNotFit ? std::min(least, score.total()) : least;
        }
    }
    return least;
}

TEST(Spare, ADeviceThatIsLeftOutHasItsBestPlaceAndOrder) {
    constexpr Shape kShapes[] = {{3, 2}, {4, 1}, {4, 2}, {5, 1}};
    int other_orders = 0;
    int no_memory = 0;
    for (int i = 0; i < 60; ++i) {
        testing::Instance instance(86, i);
        Problem problem = problem_with_spare(kShapes[i % 4], 1 + i % 2, instance);
        if (i % 3 == 0) {
            problem.workload.layers.assign(static_cast<std::size_t>(problem.shape.pp) + 1,
                                           {0.1, 2, 0});
            for (std::size_t device = 0; device < problem.devices(); ++device) {
                problem.memory_gb.push_back(static_cast<double>(1 + instance.random.below(6)));
            }
        }
        SearchOptions options;
        options.budget = 500;
        const SearchResult found = find(problem, SearchKind::kPortfolio, options);
        if (found.score >= kDoesNotFit) {
            continue;
        }
        for (const LeftOut& one : left_out(problem, found.stages, 1)) {
            const double least = least_in_any_place(problem, found.stages, one.device);
            if (std::isinf(least)) {
                EXPECT_GE(one.score, kDoesNotFit) << i;
                EXPECT_EQ(one.instead_of, -1) << i;
                ++no_memory;
                continue;
            }
            EXPECT_NEAR(one.score, least, 1e-9 * least) << i;
            Stages kept = found.stages;
            for (std::vector<int>& group : kept) {
                std::ranges::replace(group, one.instead_of, one.device);
            }
            EXPECT_NEAR(solve_inner(problem, kept).score.total(), least, 1e-9 * least) << i;
            other_orders +=
                solve_in_order(problem, kept).score.total() > least * (1 + 1e-9) ? 1 : 0;
        }
    }
    EXPECT_GT(other_orders, 5);
    EXPECT_GT(no_memory, 2);
}

TEST(Spare, LeavesTheFarDeviceOut) {
    // Five devices; the third is ten times as far from all others.
    core::Grid<double> costs(5, 5, 1.0);
    for (std::size_t i = 0; i < 5; ++i) {
        costs(i, 2) = costs(2, i) = 10;
        costs(i, i) = 0;
    }
    const Problem problem{{2, 2}, {costs, costs}};
    const SearchResult result = find(problem, SearchKind::kPortfolio, {});
    EXPECT_EQ(result.score, 2);
    const std::vector<LeftOut> reasons = left_out(problem, result.stages, 1);
    ASSERT_EQ(reasons.size(), 1U);
    EXPECT_EQ(reasons[0].device, 2);
    EXPECT_EQ(reasons[0].score, 20);
}

TEST(Spare, WithOtherTermsIsNeverWorseThanTheShardedPlanUnderThem) {
    // Table 2 with 7 to 16 devices to spare, and a cable of it shared.
    fabric::FabricParts parts = testing::shipped("dtfm-table2-worldwide.json").parts();
    const fabric::Fabric alone = fabric::Fabric::make(parts, "t").value();
    parts.shared = {{"Tokyo uplink", 1.5, {}, {"Tokyo"}}};
    const fabric::Fabric shared = fabric::Fabric::make(std::move(parts), "t").value();
    SearchOptions options;
    options.budget = 6'000;
    options.restarts = 2;
    int better = 0;
    for (const Shape shape : {Shape{8, 7}, Shape{5, 10}}) {
        for (const Exchange kind : {Exchange::kSharded,
                                    Exchange::kRing,
                                    Exchange::kCentral,
                                    Exchange::kTree,
                                    Exchange::kHierarchical}) {
            for (const fabric::Fabric* fabric : {&alone, &shared}) {
                Terms terms;
                terms.exchange = kind;
                const workload::Workload load = testing::payloads(0.512, 0.65);
                const Problem problem = make_problem(*fabric, "t", load, shape, terms).value();
                const Problem plain = make_problem(alone, "t", load, shape).value();
                const Stages sharded = find(plain, SearchKind::kPortfolio, options).stages;
                const double score = find(problem, SearchKind::kPortfolio, options).score;
                const double before = solve_inner(problem, sharded).score.total();
                EXPECT_LE(score, before * (1 + 1e-12)) << name_of(kind) << " " << shape.pp;
                better += score < before * (1 - 1e-6) ? 1 : 0;
            }
        }
    }
    EXPECT_GE(better, 8);  // of 20: it is a start, not the end
}

TEST(Spare, DevicesOnTheTwoSidesOfACableAreNotAlike) {
    // Six devices with equal links, the last two behind a narrow uplink: pair costs cannot tell
    // which two to leave out, the shared capacity can.
    fabric::FabricParts parts;
    core::Grid<double> alpha(6, 6, 1.0);
    core::Grid<double> beta(6, 6, 1.0);
    parts.labels = {"a", "a", "b", "b", "c", "c"};
    parts.alpha_ms = std::move(alpha);
    parts.beta_gbps = std::move(beta);
    parts.shared = {{"uplink", 0.01, {}, {"a"}}};
    const fabric::Fabric fabric = fabric::Fabric::make(std::move(parts), "t").value();
    const Problem problem = make_problem(fabric, "t", testing::payloads(0.5, 0.5), {2, 2}).value();
    const SearchResult found = find(problem, SearchKind::kPortfolio, {});
    for (const std::vector<int>& group : found.stages) {
        EXPECT_GE(std::ranges::min(group), 2);
    }
    const std::vector<LeftOut> reasons = left_out(problem, found.stages, 1);
    ASSERT_EQ(reasons.size(), 2U);
    EXPECT_GT(reasons[0].score, 2 * found.score);
    EXPECT_TRUE(left_out(problem, found.stages, 1, [] { return true; }).empty());
}

/// n different devices 10 s and more from each other, but for `near` of them 1 s apart, here and
/// there.
Problem hidden_cluster(Shape shape, std::size_t n, core::Random& random) {
    std::vector<int> near = testing::shuffled(n, random);
    near.resize(shape.devices());
    std::vector<char> chosen(n, 0);
    for (const int device : near) {
        chosen[static_cast<std::size_t>(device)] = 1;
    }
    core::Grid<double> costs(n, n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const bool close = chosen[i] != 0 && chosen[j] != 0;
            costs(i, j) = costs(j, i) = close ? 1 : 10 + random.uniform();
        }
    }
    return {shape, {costs, costs}};
}

TEST(Spare, ASmallJobFindsItsPlaceAmongManyDifferentDevices) {
    // By construction: dp - 1 exchanges and pp - 1 edges of one second each.
    core::Random random(83, 0);
    for (const auto& [shape, devices] :
         {std::pair<Shape, std::size_t>{{2, 4}, 40}, {{2, 4}, 200}, {{1, 8}, 60}, {{4, 4}, 400}}) {
        const Problem problem = hidden_cluster(shape, devices, random);
        SearchOptions options;
        options.budget = 2'000;
        options.restarts = 2;
        const SearchResult found = find(problem, SearchKind::kPortfolio, options);
        EXPECT_EQ(found.score, shape.dp - 1 + shape.pp - 1) << devices;
        EXPECT_LE(found.evaluations, 20 * options.budget);
        EXPECT_LE(prove(problem, found.score, {}).bound.value, found.score);
    }
}

TEST(Spare, WalksReachDevicesThatStartsLeaveOut) {
    // Random pairs of 12 devices for 4 places: every choice of devices is tried by brute force.
    int found = 0;
    for (int i = 0; i < 20; ++i) {
        testing::Instance instance(84, i);
        Problem problem = random_problem({1, 12}, 0, false, instance.random);
        problem.shape = i % 2 == 0 ? Shape{1, 4} : Shape{2, 2};
        SearchOptions options;
        options.budget = 600'000;
        const SearchResult result = find(problem, SearchKind::kPortfolio, options);
        const double optimum = testing::optimum_over_sets(problem);
        ASSERT_GE(result.score, optimum - 1e-9);
        found += result.score <= optimum + 1e-9 ? 1 : 0;
    }
    EXPECT_GE(found, 18);
}

TEST(Spare, EndsEarlyWhenAskedAndStillAnswers) {
    core::Random random(85, 0);
    const Problem problem = hidden_cluster({4, 4}, 300, random);
    SearchOptions options;
    options.stop = [] { return true; };
    const SearchResult found = find(problem, SearchKind::kPortfolio, options);
    EXPECT_EQ(found.stopped_by, "time limit");
    EXPECT_EQ(found.score, 6);  // the nearest devices are the hidden ones
}

}  // namespace
}  // namespace longhaul::placement
