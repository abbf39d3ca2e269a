#include "longhaul/placement/instances.hpp"

#include <set>

#include <gtest/gtest.h>

#include "longhaul/placement/classes.hpp"

namespace longhaul::placement {
namespace {

TEST(RandomCosts, AreSymmetricWithAZeroDiagonalAndInRange) {
    core::Random random(1);
    for (const std::uint32_t levels : {0U, 1U, 2U, 5U}) {
        const core::Grid<double> costs = random_costs(12, levels, false, random);
        std::set<double> values;
        for (std::size_t i = 0; i < 12; ++i) {
            EXPECT_EQ(costs(i, i), 0);
            for (std::size_t j = 0; j < i; ++j) {
                EXPECT_EQ(costs(i, j), costs(j, i));
                EXPECT_GT(costs(i, j), 0);
                EXPECT_LE(costs(i, j), levels == 0 ? 1 : levels);
                values.insert(costs(i, j));
            }
        }
        EXPECT_EQ(values.size(), levels == 0 ? 66 : levels);
    }
}

TEST(RandomProblem, EqualRowsMakeDevicesInterchangeable) {
    core::Random random(2);
    const Problem distinct = random_problem({5, 5}, 0, false, random);
    EXPECT_EQ(exact_classes(distinct.costs).size(), 25U);
    const Problem copies = random_problem({5, 5}, 0, true, random);
    EXPECT_LT(exact_classes(copies.costs).size(), 20U);
    EXPECT_GT(exact_classes(copies.costs).size(), 5U);
    EXPECT_NE(copies.costs.pipeline, copies.costs.exchange);
}

TEST(RandomProblem, TheSameStreamGivesTheSameProblem) {
    core::Random first(3, 4);
    core::Random second(3, 4);
    EXPECT_EQ(random_problem({2, 3}, 0, true, first).costs.pipeline,
              random_problem({2, 3}, 0, true, second).costs.pipeline);
}

}  // namespace
}  // namespace longhaul::placement
