#include "longhaul/placement/tempering.hpp"

#include <gtest/gtest.h>

#include "longhaul/placement/count_walk.hpp"
#include "longhaul/placement/detail/test_support.hpp"

namespace longhaul::placement {
namespace {

/// A walk on 0 .. 40 over two valleys: f(0) = 1, f(40) = 0.5, a hill of 3 between them.
struct Valleys {
    int x = 0;
    [[nodiscard]] double total() const { return x < 20 ? 1 + x * 0.1 : 0.5 + (40 - x) * 0.125; }
    void step(double limit, core::Random& random) {
        const Valleys next{x + (random.below(2) == 0 ? 1 : -1)};
        if (next.x >= 0 && next.x <= 40 && next.total() <= limit) {
            *this = next;
        }
    }
};

TEST(Temper, HotWalksCarryColdOnesOverAHill) {
    const auto lowest = [](std::size_t count) {
        std::vector<Valleys> walks(count);
        TemperingOptions options;
        options.evaluations = 40'000;
        options.hottest = 1;
        options.coldest = 0.01;
        double best = 1;
        EXPECT_LE(
            temper<Valleys>(
                walks, options, [&](std::size_t i) { best = std::min(best, walks[i].total()); }),
            40'000U);
        return best;
    };
    EXPECT_EQ(lowest(6), 0.5);
    EXPECT_EQ(lowest(1), 1);  // the coldest alone never leaves its valley
}

TEST(Temper, ThreadsNeverChangeTheResult) {
    testing::Instance instance(67, 1);
    const Problem problem = random_problem({6, 6}, 5, true, instance.random);
    const Classes classes = exact_classes(problem.costs);
    const Counts start =
        counts_of(Placement(problem.shape, testing::counted(36)).stages(), classes);
    const auto run = [&](int threads) {
        std::vector<CountModel> models(5, CountModel(class_costs(problem.costs, classes)));
        std::vector<CountWalk> walks;
        for (CountModel& model : models) {
            walks.emplace_back(model, start);
        }
        TemperingOptions options;
        options.evaluations = 20'000;
        options.threads = threads;
        std::vector<std::vector<double>> improvements(walks.size());
        temper<CountWalk>(
            walks, options, [&](std::size_t i) { improvements[i].push_back(walks[i].total()); });
        return improvements;
    };
    const auto one = run(1);
    EXPECT_FALSE(one.front().empty());
    EXPECT_EQ(run(2), one);
    EXPECT_EQ(run(4), one);
}

TEST(Temper, StopsBetweenRounds) {
    std::vector<Valleys> walks(3);
    TemperingOptions options;
    options.round = 10;
    int asked = 0;
    options.stop = [&] { return ++asked > 4; };
    EXPECT_EQ(temper<Valleys>(walks, options, [](std::size_t) {}), 120U);
}

}  // namespace
}  // namespace longhaul::placement
