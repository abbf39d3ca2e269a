#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "longhaul/placement/compose.hpp"
#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/search.hpp"

namespace longhaul::placement {
namespace {

/// A small problem of any shape, ties and equal rows included.
Problem drawn_problem() {
    const Shape shape = *rc::gen::elementOf(
        std::vector<Shape>{{1, 1}, {1, 4}, {4, 1}, {2, 2}, {2, 3}, {3, 2}, {2, 4}, {4, 2}});
    const auto levels = *rc::gen::elementOf(std::vector<std::uint32_t>{0, 1, 2, 5});
    core::Random random(*rc::gen::arbitrary<std::uint64_t>());
    return random_problem(shape, levels, *rc::gen::arbitrary<bool>(), random);
}

double optimum(const Problem& problem) {
    return make_search(SearchKind::kExhaustive)->run(problem, {}).score;
}

void add_off_diagonal(core::Grid<double>& grid, double amount) {
    for (std::size_t i = 0; i < grid.rows(); ++i) {
        for (std::size_t j = 0; j < grid.columns(); ++j) {
            grid(i, j) += i == j ? 0 : amount;
        }
    }
}

TEST(PlacementProperty, NamesOfDevicesDoNotMatter) {
    ASSERT_TRUE(rc::check([] {
        const Problem problem = drawn_problem();
        const std::size_t n = problem.shape.devices();
        core::Random random(*rc::gen::arbitrary<std::uint64_t>());
        const std::vector<int> old = testing::shuffled(n, random);
        Problem renamed = problem;
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                const auto a = static_cast<std::size_t>(old[i]);
                const auto b = static_cast<std::size_t>(old[j]);
                renamed.costs.pipeline(i, j) = problem.costs.pipeline(a, b);
                renamed.costs.exchange(i, j) = problem.costs.exchange(a, b);
            }
        }
        RC_ASSERT(std::abs(optimum(renamed) - optimum(problem)) < 1e-12);
    }));
}

TEST(PlacementProperty, AConstantOnEveryPairShiftsTheOptimum) {
    // Every edge of the path grows by the constant, and there are pp - 1 of them; every device has
    // dp - 1 peers.
    ASSERT_TRUE(rc::check([] {
        const Problem problem = drawn_problem();
        Problem shifted = problem;
        add_off_diagonal(shifted.costs.pipeline, 0.25);
        add_off_diagonal(shifted.costs.exchange, 0.5);
        const double expected =
            optimum(problem) + 0.25 * (problem.shape.pp - 1) + 0.5 * (problem.shape.dp - 1);
        RC_ASSERT(std::abs(optimum(shifted) - expected) < 1e-9);
    }));
}

TEST(PlacementProperty, ScalingCostsScalesTheOptimum) {
    ASSERT_TRUE(rc::check([] {
        const Problem problem = drawn_problem();
        Problem scaled = problem;
        for (auto* grid : {&scaled.costs.pipeline, &scaled.costs.exchange}) {
            for (double& cost : grid->cells()) {
                cost *= 4;  // a power of two: exact
            }
        }
        RC_ASSERT(optimum(scaled) == 4 * optimum(problem));
    }));
}

TEST(PlacementProperty, ASlowerPairNeverHelps) {
    ASSERT_TRUE(rc::check([] {
        const Problem problem = drawn_problem();
        const std::size_t n = problem.shape.devices();
        const auto i = *rc::gen::inRange<std::size_t>(0, n);
        const auto j = *rc::gen::inRange<std::size_t>(0, n);
        Problem slower = problem;
        if (i != j) {
            slower.costs.pipeline(i, j) = slower.costs.pipeline(j, i) += 1;
            slower.costs.exchange(i, j) = slower.costs.exchange(j, i) += 1;
        }
        RC_ASSERT(optimum(slower) >= optimum(problem) - 1e-12);
    }));
}

TEST(PlacementProperty, ReadingThePathBackwardsCostsTheSame) {
    ASSERT_TRUE(rc::check([] {
        const Problem problem = drawn_problem();
        core::Random random(*rc::gen::arbitrary<std::uint64_t>());
        Stages stages =
            Placement(problem.shape, testing::shuffled(problem.shape.devices(), random)).stages();
        const Score there = score_as_mapped(problem.costs, Placement::from_stages(stages));
        std::ranges::reverse(stages);
        const Score back = score_as_mapped(problem.costs, Placement::from_stages(stages));
        RC_ASSERT(there.data_parallel == back.data_parallel);
        RC_ASSERT(std::abs(there.pipeline - back.pipeline) < 1e-12);
    }));
}

TEST(PlacementProperty, OrderOfReplicasCostsNothing) {
    ASSERT_TRUE(rc::check([] {
        const Problem problem = drawn_problem();
        const std::size_t n = problem.shape.devices();
        core::Random random(*rc::gen::arbitrary<std::uint64_t>());
        const Placement placement(problem.shape, testing::shuffled(n, random));
        std::vector<int> host_of(n);
        for (int& host : host_of) {
            host = static_cast<int>(random.below(3));
        }
        const Placement ordered = order_replicas(placement, host_of);
        const Score before = score_as_mapped(problem.costs, placement);
        const Score after = score_as_mapped(problem.costs, ordered);
        RC_ASSERT(std::abs(before.total() - after.total()) < 1e-12);
        RC_ASSERT(order_replicas(ordered, host_of) == ordered);
    }));
}

}  // namespace
}  // namespace longhaul::placement
