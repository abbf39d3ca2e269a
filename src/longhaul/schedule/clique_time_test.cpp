#include "longhaul/schedule/clique_time.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "longhaul/core/random.hpp"

namespace longhaul::schedule {
namespace {

/// Latencies of shortest paths over a random graph, so that they obey the triangle inequality.
CliqueProblem random_problem(core::Random& random, bool symmetric) {
    const std::size_t k = 2 + random.index(7);
    CliqueProblem problem;
    problem.latency_ms = core::Grid<double>(k, k, 0);
    for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t r = 0; r < i; ++r) {
            const double forth = 1 + 99 * random.uniform();
            problem.latency_ms(i, r) = forth;
            problem.latency_ms(r, i) = symmetric ? forth : 1 + 99 * random.uniform();
        }
        problem.memory_share.push_back(random.below(12) == 0 ? 0 : 0.5 * random.uniform());
    }
    for (std::size_t via = 0; via < k; ++via) {
        for (std::size_t i = 0; i < k; ++i) {
            for (std::size_t j = 0; j < k; ++j) {
                if (i != j && i != via && j != via) {
                    problem.latency_ms(i, j) =
                        std::min(problem.latency_ms(i, j),
                                 problem.latency_ms(i, via) + problem.latency_ms(via, j));
                }
            }
        }
    }
    if (random.below(5) == 0) {
        std::ranges::fill(problem.memory_share, 0.0);
    }
    problem.least_ms = 400 * random.uniform();
    problem.guard_ms = random.below(3) == 0 ? 10 * random.uniform() : 0;
    return problem;
}

/// Largest violation of the conditions of a schedule, ms.
double violation(const CliqueProblem& problem, const CliqueTime& found) {
    double worst = problem.least_ms - found.sending_ms;
    for (std::size_t r = 0; r < problem.size(); ++r) {
        double first = 1e300;
        double last = 0;
        int streams = 0;
        for (std::size_t i = 0; i < problem.size(); ++i) {
            if (!problem.has_stream(i, r)) {
                continue;
            }
            ++streams;
            const double arrival = found.offset_ms[i] + problem.latency_ms(i, r);
            first = std::min(first, arrival);
            last = std::max(last, arrival);
        }
        worst = std::max(worst, last + found.sending_ms - found.time_ms);
        if (streams >= 2) {
            worst = std::max(
                worst,
                last - first + problem.guard_ms - problem.memory_share[r] * found.sending_ms);
        }
    }
    for (const double offset : found.offset_ms) {
        worst = std::max(worst, -offset);
    }
    return worst;
}

TEST(CliqueTime, EqualsTheSimplexMethodOnThousandRandomCliques) {
    core::Random random(11);
    int feasible = 0;
    for (int i = 0; i < 1000; ++i) {
        const CliqueProblem problem = random_problem(random, i % 2 == 0);
        const auto found = clique_time(problem);
        const auto twin = clique_time_by_lp(problem);
        ASSERT_EQ(found.has_value(), twin.has_value()) << i;
        if (!found) {
            ASSERT_TRUE(why_not(problem)) << i;
            continue;
        }
        ++feasible;
        ASSERT_NEAR(found->time_ms, twin->time_ms, 1e-6) << i;
        ASSERT_LE(violation(problem, *found), 1e-6) << i;
    }
    EXPECT_GT(feasible, 500);
    EXPECT_LT(feasible, 1000);
}

// Section 2.2 of the background page: a triangle takes s + the largest + the middle - the least.
TEST(CliqueTime, TrianglesAndPairsHaveClosedForms) {
    core::Random random(12);
    for (int i = 0; i < 4000; ++i) {
        CliqueProblem problem = random_problem(random, true);
        if (problem.size() > 3) {
            continue;
        }
        std::ranges::fill(problem.memory_share, 0.0);
        problem.guard_ms = 0;
        const auto found = clique_time(problem);
        ASSERT_TRUE(found);
        if (problem.size() == 2) {
            ASSERT_NEAR(found->time_ms, problem.least_ms + problem.latency_ms(0, 1), 1e-9);
            continue;
        }
        std::vector<double> d = {
            problem.latency_ms(0, 1), problem.latency_ms(0, 2), problem.latency_ms(1, 2)};
        std::ranges::sort(d);
        ASSERT_NEAR(found->time_ms, problem.least_ms + d[2] + d[1] - d[0], 1e-8);
    }
}

TEST(CliqueTime, StarsAlignWithoutMemoryAtTwiceTheLongestArm) {
    core::Random random(13);
    for (int i = 0; i < 200; ++i) {
        const std::size_t k = 3 + random.index(10);
        std::vector<double> arm;
        CliqueProblem problem;
        problem.latency_ms = core::Grid<double>(k, k, 0);
        problem.memory_share.assign(k, 0);
        problem.least_ms = 100;
        for (std::size_t a = 0; a < k; ++a) {
            arm.push_back(50 * random.uniform());
        }
        for (std::size_t a = 0; a < k; ++a) {
            for (std::size_t b = 0; b < k; ++b) {
                problem.latency_ms(a, b) = arm[a] + arm[b];
            }
        }
        const auto found = clique_time(problem);
        ASSERT_TRUE(found);
        ASSERT_NEAR(found->time_ms, 100 + 2 * *std::ranges::max_element(arm), 1e-8);
        const double longest = *std::ranges::max_element(arm);
        for (std::size_t a = 0; a < k; ++a) {
            ASSERT_NEAR(found->offset_ms[a], longest - arm[a], 1e-8);
        }
    }
}

// Asymmetric triangles align when both ways round are equally long; else the least spread is a
// third of the difference.
TEST(CliqueTime, AsymmetricTrianglesMissByAThirdOfTheDifference) {
    CliqueProblem problem;
    problem.latency_ms = core::Grid<double>(3, 3, 10);
    problem.latency_ms(0, 1) = 16;
    problem.memory_share.assign(3, 0);
    problem.least_ms = 100;
    EXPECT_FALSE(clique_time(problem));
    const auto miss = why_not(problem);
    ASSERT_TRUE(miss);
    EXPECT_NEAR(miss->spread_ms, 2, 1e-9);
    std::ranges::fill(problem.memory_share, 0.02);
    EXPECT_TRUE(clique_time(problem));
    std::ranges::fill(problem.memory_share, 0.01);  // twice the time of sending
    const auto slower = clique_time(problem);
    ASSERT_TRUE(slower);
    EXPECT_NEAR(slower->sending_ms, 200, 1e-7);
    problem.latency_ms(1, 2) = 4;
    std::ranges::fill(problem.memory_share, 0.0);
    EXPECT_TRUE(clique_time(problem));
}

TEST(CliqueTime, SlowestWithinIsTheInverse) {
    core::Random random(14);
    int checked = 0;
    for (int i = 0; i < 400; ++i) {
        const CliqueProblem problem = random_problem(random, true);
        const auto best = clique_time(problem);
        if (!best) {
            continue;
        }
        ++checked;
        const double allowed = best->time_ms + 100 * random.uniform();
        const auto slow = slowest_within(problem, allowed);
        ASSERT_TRUE(slow) << i;
        ASSERT_GE(slow->sending_ms, best->sending_ms - 1e-6) << i;
        ASSERT_LE(violation(problem, *slow), 1e-6) << i;
        CliqueProblem slower = problem;
        slower.least_ms = slow->sending_ms + 0.01;
        const auto beyond = clique_time(slower);
        ASSERT_TRUE(!beyond || beyond->time_ms > allowed - 1e-6) << i;
        ASSERT_FALSE(slowest_within(problem, best->time_ms - 0.01)) << i;
    }
    EXPECT_GT(checked, 200);
}

TEST(CliqueTime, OneIslandTakesNoTime) {
    CliqueProblem problem;
    problem.latency_ms = core::Grid<double>(1, 1, 0);
    problem.memory_share = {0};
    problem.least_ms = 100;
    ASSERT_TRUE(clique_time(problem));
    EXPECT_EQ(clique_time(problem)->time_ms, 0);
}

}  // namespace
}  // namespace longhaul::schedule
