#include "longhaul/placement/shapes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <set>

#include "longhaul/placement/detail/test_support.hpp"

namespace longhaul::placement {
namespace {

std::vector<std::pair<int, int>> pairs_of(const std::vector<Shape>& shapes) {
    std::vector<std::pair<int, int>> pairs;
    for (const Shape& shape : shapes) {
        pairs.emplace_back(shape.pp, shape.dp);
    }
    return pairs;
}

TEST(ShapesFor, ListsWhatFits) {
    using Pairs = std::vector<std::pair<int, int>>;
    EXPECT_EQ(pairs_of(shapes_for(6, 0, 0, 1, true)), (Pairs{{1, 6}, {2, 3}, {3, 2}, {6, 1}}));
    EXPECT_EQ(pairs_of(shapes_for(4, 0, 0, 1, false)),
              (Pairs{{1, 4}, {1, 3}, {1, 2}, {1, 1}, {2, 2}, {2, 1}, {3, 1}, {4, 1}}));
    EXPECT_EQ(pairs_of(shapes_for(7, 0, 3, 1, false)), (Pairs{{1, 3}, {2, 3}}));
    EXPECT_EQ(pairs_of(shapes_for(7, 2, 0, 1, false)), (Pairs{{2, 3}, {2, 2}, {2, 1}}));
    EXPECT_EQ(shapes_for(1'000, 0, 0, 1, false).size(), 1'000U);  // every pp once
    EXPECT_EQ(pairs_of(shapes_for(7, 3, 0, 2, true)), (Pairs{{3, 2}}));
    EXPECT_TRUE(shapes_for(3, 4, 0, 1, true).empty());
}

/// Payloads that depend on the shape, as those of a job do.
core::Result<Problem> problem_of(const fabric::Fabric& fabric, Shape shape) {
    if (shape.pp > 4) {
        return core::fail({"", "shape", "too deep", "at most 4"});
    }
    return make_problem(fabric, "t", testing::payloads(2.0 / shape.dp, 3.0 / shape.pp), shape);
}

TEST(SolveBestShape, IsTheBestOfAllShapes) {
    for (int i = 0; i < 8; ++i) {
        core::Random random(95, i);
        fabric::FabricParts parts;
        const core::Grid<double> costs = random_costs(8, 0, true, random);
        parts.labels.assign(8, "x");
        parts.alpha_ms = costs;
        core::Grid<double> beta(8, 8, 1.0);
        for (std::size_t k = 0; k < beta.cells().size(); ++k) {
            beta.cells()[k] = 1 + 5 * costs.cells()[k];
        }
        parts.beta_gbps = beta;
        const fabric::Fabric fabric = fabric::Fabric::make(std::move(parts), "t").value();
        const std::vector<Shape> shapes = shapes_for(8, 0, 0, 1, true);
        double least = std::numeric_limits<double>::infinity();
        for (const Shape shape : shapes) {
            if (const auto problem = problem_of(fabric, shape)) {
                least =
                    std::min(least, make_search(SearchKind::kExhaustive)->run(*problem, {}).score);
            }
        }
        SolveOptions options;
        options.search.budget = 20'000;
        options.baseline_samples = 0;
        const auto best = solve_best_shape(
            shapes,
            [&](Shape shape) { return problem_of(fabric, shape); },
            fabric.host_of_device(),
            fabric.labels(),
            options);
        ASSERT_TRUE(best);
        EXPECT_NEAR(best->plan.score.total(), least, 1e-9) << i;
        ASSERT_EQ(best->trials.size(), 4U);
        EXPECT_EQ(best->trials[3].reason, "too deep; at most 4");
        for (const ShapeTrial& trial : best->trials) {
            EXPECT_TRUE(!trial.tried || trial.bound.value <= trial.score.total() + 1e-12);
        }
    }
}

TEST(SolveBestShape, TriesFewerReplicasWhereComputeLetsThem) {
    // Two near groups of devices: as compute gets dearer, more devices pay for their links.
    std::set<std::size_t> used;
    for (int i = 0; i < 12; ++i) {
        core::Random random(96, i);
        const std::size_t n = 6;
        fabric::FabricParts parts;
        parts.labels.assign(n, "x");
        core::Grid<double> alpha(n, n, 1.0);
        core::Grid<double> beta(n, n, 8.0);
        for (std::size_t a = 0; a < n; ++a) {
            for (std::size_t b = 0; b < n; ++b) {
                beta(a, b) = (a < 3) == (b < 3) ? 8 : 0.5 + random.uniform();
            }
        }
        parts.alpha_ms = alpha;
        parts.beta_gbps = beta;
        const fabric::Fabric fabric = fabric::Fabric::make(std::move(parts), "t").value();
        const auto problem_at = [&](Shape shape) {
            workload::Workload load = testing::payloads(1.0 / shape.dp, 1.0 / shape.pp);
            load.stage_seconds = {(1 + 3.0 * i) / shape.pp / shape.dp};
            return make_problem(fabric, "t", load, shape);
        };
        const std::vector<Shape> shapes = shapes_for(n, 0, 0, 1, false);
        double least = std::numeric_limits<double>::infinity();
        for (const Shape shape : shapes) {
            least = std::min(least, testing::optimum_over_sets(*problem_at(shape)));
        }
        SolveOptions options;
        options.search.budget = 20'000;
        options.baseline_samples = 0;
        const auto best =
            solve_best_shape(shapes, problem_at, fabric.host_of_device(), fabric.labels(), options);
        ASSERT_TRUE(best);
        EXPECT_NEAR(best->plan.score.total(), least, 1e-9) << i;
        for (const ShapeTrial& trial : best->trials) {
            EXPECT_TRUE(trial.tried || trial.bound.value >= best->plan.score.total() - 1e-9);
        }
        used.insert(best->plan.placement.shape().devices());
    }
    EXPECT_GT(used.size(), 1U);
}

/// Eight devices in two regions, and a problem for each of their shapes.
fabric::Fabric two_regions() {
    return testing::shipped("two-datacenters-synthetic.toml");
}

/// Share of the time, as if every question took a hundredth of it.
ShapeWatch counting_watch(std::atomic<int>& asked, int of) {
    ShapeWatch watch;
    watch.used = [&asked, of] { return static_cast<double>(++asked) / of; };
    return watch;
}

double host_order_score(const Problem& problem) {
    std::vector<int> devices(problem.shape.devices());
    std::iota(devices.begin(), devices.end(), 0);
    return score_as_mapped(problem, Placement(problem.shape, devices, problem.devices())).total();
}

TEST(SolveBestShape, IsNeverWorseThanHostOrderOfAnyShapeHoweverShortTheTime) {
    const fabric::Fabric fabric = two_regions();
    const auto problem_at = [&](Shape shape) { return problem_of(fabric, shape); };
    const std::vector<Shape> shapes = shapes_for(fabric.size(), 0, 0, 1, false);
    for (const int time : {1'000, 100'000, 10'000'000}) {
        std::atomic<int> asked = 0;
        SolveOptions options;
        options.search.budget = 20'000;
        options.baseline_samples = 20;
        const auto best = solve_best_shape(shapes,
                                           problem_at,
                                           fabric.host_of_device(),
                                           fabric.labels(),
                                           options,
                                           counting_watch(asked, time));
        ASSERT_TRUE(best);
        for (const ShapeTrial& trial : best->trials) {
            if (trial.reason.empty() && trial.bound.value > 0) {
                EXPECT_LE(best->plan.score.total(),
                          host_order_score(*problem_at(trial.shape)) * (1 + 1e-9))
                    << time << ": " << trial.shape.pp << " x " << trial.shape.dp;
            }
        }
        ASSERT_TRUE(best->plan.baselines);
        EXPECT_LE(best->plan.score.total(), best->plan.baselines->host_order.total() * (1 + 1e-9));
        EXPECT_LE(best->plan.score.total(), best->plan.baselines->partitions.min * (1 + 1e-9));
    }
}

TEST(SolveBestShape, SaysWhatWasCutShort) {
    const fabric::Fabric fabric = two_regions();
    const auto problem_at = [&](Shape shape) { return problem_of(fabric, shape); };
    const std::vector<Shape> shapes = shapes_for(fabric.size(), 0, 0, 1, false);
    SolveOptions options;
    options.search.budget = 20'000;
    options.baseline_samples = 0;
    ShapeWatch no_time;
    no_time.used = [] { return 1.0; };
    const auto cut = solve_best_shape(
        shapes, problem_at, fabric.host_of_device(), fabric.labels(), options, no_time);
    ASSERT_TRUE(cut);
    // One shape was begun, with most devices; nothing is known of the others.
    std::size_t open = 0;
    for (const ShapeTrial& trial : cut->trials) {
        open += trial.cut ? 1U : 0U;
        EXPECT_TRUE(trial.cut || trial.tried || !trial.reason.empty());
    }
    EXPECT_GT(open, shapes.size() / 2);
    EXPECT_EQ(cut->plan.placement.shape().devices(), fabric.size());
    EXPECT_FALSE(best_of_all(cut->trials, cut->plan.placement.shape(), cut->plan.score.total()));

    std::vector<std::string> begun;
    ShapeWatch watch;
    watch.begins = [&](std::string_view what, std::size_t number, std::size_t of) {
        begun.emplace_back(what);
        EXPECT_LE(number, of);
    };
    const auto all = solve_best_shape(
        shapes, problem_at, fabric.host_of_device(), fabric.labels(), options, watch);
    ASSERT_TRUE(all);
    EXPECT_TRUE(std::ranges::none_of(all->trials, &ShapeTrial::cut));
    EXPECT_LE(all->plan.score.total(), cut->plan.score.total());
    EXPECT_EQ(std::ranges::count(begun, "bounding"), static_cast<std::ptrdiff_t>(shapes.size()));
}

TEST(BestOfAll, NeedsTheBoundOfEveryOtherShape) {
    std::vector<ShapeTrial> trials(3);
    trials[0].shape = {1, 4, 1};
    trials[1].shape = {2, 2, 1};
    trials[1].bound.value = 5;
    trials[2].shape = {4, 1, 1};
    trials[2].reason = "too deep";
    EXPECT_TRUE(best_of_all(trials, {1, 4, 1}, 5));
    EXPECT_FALSE(best_of_all(trials, {1, 4, 1}, 5.1));
    EXPECT_FALSE(best_of_all(trials, {2, 2, 1}, 5));
}

TEST(SolveBestShape, SaysWhyNothingFits) {
    const fabric::Fabric fabric = testing::shipped("two-datacenters-synthetic.toml");
    const std::vector<Shape> shapes{{8, 1, 1}};
    const auto best = solve_best_shape(shapes,
                                       [&](Shape shape) { return problem_of(fabric, shape); },
                                       fabric.host_of_device(),
                                       fabric.labels(),
                                       {});
    ASSERT_FALSE(best);
    EXPECT_EQ(core::to_string(best.error().front()),
              "pp 8 x dp 1: too deep; at most 4; no other shape fits either");
}

}  // namespace
}  // namespace longhaul::placement
