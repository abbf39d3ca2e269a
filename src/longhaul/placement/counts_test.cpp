#include "longhaul/placement/counts.hpp"

#include <gtest/gtest.h>

#include "longhaul/placement/detail/test_support.hpp"

namespace longhaul::placement {
namespace {

/// A random partition of a problem with interchangeable devices, in both views.
struct BothViews {
    explicit BothViews(int i)
        : instance(15, i),
          problem(random_problem({1 + static_cast<int>(instance.random.below(6)),
                                  1 + static_cast<int>(instance.random.below(6))},
                                 instance.levels,
                                 true,
                                 instance.random)),
          classes(exact_classes(problem.costs)),
          model(class_costs(problem.costs, classes)) {
        const auto devices = testing::shuffled(problem.shape.devices(), instance.random);
        counts = counts_of(Placement(problem.shape, devices).stages(), classes);
    }
    testing::Instance instance;
    Problem problem;
    Classes classes;
    CountModel model;
    Counts counts;
};

TEST(CountModel, EqualsTheDeviceLevel) {
    std::size_t smaller = 0;
    for (int i = 0; i < 500; ++i) {
        BothViews views(i);
        const Stages stages = realise(views.counts, views.classes);
        ASSERT_EQ(counts_of(stages, views.classes), views.counts);
        smaller += views.classes.size() < views.problem.shape.devices() ? 1 : 0;
        BottleneckSolver solver;
        for (std::size_t s = 0; s < stages.size(); ++s) {
            const auto row = views.counts.row(s);
            ASSERT_NEAR(views.model.exchange(row),
                        group_exchange(views.problem.costs.exchange, stages[s]).seconds,
                        1e-12);
            for (std::size_t t = 0; t < s; ++t) {
                const auto other = views.counts.row(t);
                ASSERT_EQ(
                    views.model.edge(row, views.model.key(row), other, views.model.key(other)),
                    solver.solve(views.problem.costs.pipeline, stages[s], stages[t]))
                    << i;
            }
        }
    }
    EXPECT_GT(smaller, 400U);
}

TEST(CountModel, ScoresEqualTheDeviceLevel) {
    for (int i = 0; i < 300; ++i) {
        BothViews views(i);
        const Stages stages = realise(views.counts, views.classes);
        const Solved device = solve_inner(views.problem.costs, stages);
        const Solved count = score_best_order(views.model, views.counts);
        ASSERT_NEAR(count.score.data_parallel, device.score.data_parallel, 1e-12);
        ASSERT_NEAR(count.score.pipeline, device.score.pipeline, 1e-12);
        const Counts ordered = reordered(views.counts, count.order);
        ASSERT_NEAR(score_in_order(views.model, ordered).total(), count.score.total(), 1e-12);
        ASSERT_GE(score_in_order(views.model, views.counts).total(), count.score.total() - 1e-12);
    }
}

TEST(CountModel, KeysAreLinear) {
    BothViews views(7);
    const std::size_t k = views.classes.size();
    std::vector<int> row(k, 3);
    const std::uint64_t before = views.model.key(row);
    row[0] += 2;
    row[k - 1] -= 1;
    EXPECT_EQ(views.model.key(row), before + 2 * views.model.weight(0) - views.model.weight(k - 1));
    EXPECT_EQ(views.model.key(std::vector<int>(k, 0)), 0U);
}

TEST(CountModel, TheCacheNeverChangesAValue) {
    // More edges than the cache has entries (2^16), so that entries are thrown out and come back.
    constexpr std::size_t kClasses = 6;
    testing::Instance instance(16, 0);
    const core::Grid<double> grid = random_costs(kClasses, 0, false, instance.random);
    CountModel model({grid, grid});
    std::vector<std::vector<int>> rows;
    for (int i = 0; i < 450; ++i) {
        std::vector<int> row(kClasses, 0);
        for (int device = 0; device < 8; ++device) {
            ++row[instance.random.index(kClasses)];
        }
        rows.push_back(std::move(row));
    }
    std::vector<double> first;
    for (const auto& a : rows) {
        for (const auto& b : rows) {
            first.push_back(model.edge(a, model.key(a), b, model.key(b)));
        }
    }
    for (int i = 0; i < 20'000; ++i) {
        const std::size_t a = instance.random.index(rows.size());
        const std::size_t b = instance.random.index(rows.size());
        const double again = model.edge(rows[a], model.key(rows[a]), rows[b], model.key(rows[b]));
        ASSERT_EQ(again, first[a * rows.size() + b]);
        ASSERT_EQ(again, first[b * rows.size() + a]);
    }
    // A model that has seen nothing else agrees.
    for (int i = 0; i < 20; ++i) {
        const std::size_t a = instance.random.index(rows.size());
        const std::size_t b = instance.random.index(rows.size());
        CountModel fresh({grid, grid});
        ASSERT_EQ(fresh.edge(rows[a], fresh.key(rows[a]), rows[b], fresh.key(rows[b])),
                  first[a * rows.size() + b]);
    }
}

}  // namespace
}  // namespace longhaul::placement
