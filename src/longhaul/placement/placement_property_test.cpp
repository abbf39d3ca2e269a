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

void add_to_pairs(PairMatrix& costs, double amount) {
    testing::change_pairs(costs, [&](auto, auto, double cost) { return cost + amount; });
}

TEST(PlacementProperty, NamesOfDevicesDoNotMatter) {
    ASSERT_TRUE(rc::check([] {
        const Problem problem = drawn_problem();
        const std::size_t n = problem.shape.devices();
        core::Random random(*rc::gen::arbitrary<std::uint64_t>());
        const std::vector<int> old = testing::shuffled(n, random);
        Problem renamed = problem;
        testing::change_pairs(renamed.costs.pipeline, [&](auto i, auto j, double) {
            return problem.costs.pipeline(old[i], old[j]);
        });
        testing::change_pairs(renamed.costs.exchange, [&](auto i, auto j, double) {
            return problem.costs.exchange(old[i], old[j]);
        });
        RC_ASSERT(std::abs(optimum(renamed) - optimum(problem)) < 1e-12);
    }));
}

TEST(PlacementProperty, AConstantOnEveryPairShiftsTheOptimum) {
    // Every edge of the path grows by the constant, and there are pp - 1 of them; every device has
    // dp - 1 peers.
    ASSERT_TRUE(rc::check([] {
        const Problem problem = drawn_problem();
        Problem shifted = problem;
        add_to_pairs(shifted.costs.pipeline, 0.25);
        add_to_pairs(shifted.costs.exchange, 0.5);
        const double expected =
            optimum(problem) + 0.25 * (problem.shape.pp - 1) + 0.5 * (problem.shape.dp - 1);
        RC_ASSERT(std::abs(optimum(shifted) - expected) < 1e-9);
    }));
}

TEST(PlacementProperty, ScalingCostsScalesTheOptimum) {
    ASSERT_TRUE(rc::check([] {
        const Problem problem = drawn_problem();
        Problem scaled = problem;
        for (PairMatrix* costs : {&scaled.costs.pipeline, &scaled.costs.exchange}) {
            // A power of two: exact.
            testing::change_pairs(*costs, [](auto, auto, double cost) { return 4 * cost; });
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
        for (PairMatrix* costs : {&slower.costs.pipeline, &slower.costs.exchange}) {
            testing::change_pairs(*costs, [&](auto a, auto b, double cost) {
                return std::minmax(a, b) == std::minmax(i, j) ? cost + 1 : cost;
            });
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
