#include "longhaul/placement/proof_classes.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "longhaul/placement/check_proof.hpp"
#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/make_proof.hpp"
#include "longhaul/placement/search.hpp"

namespace longhaul::placement {
namespace {

TEST(LeaderClasses, EveryDeviceIsWithTheLeaderThatIsCheapestToPairWith) {
    for (int i = 0; i < 100; ++i) {
        testing::Instance instance(90, i);
        const Problem problem = random_problem({3, 4}, instance.levels, false, instance.random);
        const std::size_t count = 1 + instance.random.index(6);
        const Classes classes = leader_classes(problem.costs, count);
        ASSERT_LE(classes.size(), count) << i;
        ASSERT_EQ(classes.of_device.size(), 12U);
        std::size_t members = 0;
        for (std::size_t k = 0; k < classes.size(); ++k) {
            ASSERT_FALSE(classes.members[k].empty());
            members += classes.members[k].size();
            for (const int device : classes.members[k]) {
                ASSERT_EQ(classes.of_device[device], static_cast<int>(k));
            }
        }
        ASSERT_EQ(members, 12U);
    }
    // Two sites: pairs inside cost 1, others 9.
    core::Grid<double> sites(6, 6, 9.0);
    for (std::size_t i = 0; i < 6; ++i) {
        for (std::size_t j = 0; j < 6; ++j) {
            sites(i, j) = i == j ? 0 : i % 2 == j % 2 ? 1 : 9;
        }
    }
    Problem two;
    two.costs.pipeline = sites;
    two.costs.exchange = sites;
    EXPECT_EQ(leader_classes(two.costs, 2).of_device, (std::vector<int>{0, 1, 0, 1, 0, 1}));
}

TEST(LeaderBound, IsNoMoreThanTheOptimumOfExhaustiveEnumeration) {
    int above = 0;
    for (int i = 0; i < 300; ++i) {
        testing::Instance instance(91, i);
        const Shape shape = testing::small_shape(i);
        const Problem problem =
            random_problem(shape, instance.levels, instance.equal_rows, instance.random);
        const double best = make_search(SearchKind::kExhaustive)->run(problem, {}).score;
        const Bound elementary = elementary_bound(problem);
        const LeaderBound found = leader_bound(problem);
        ASSERT_LE(elementary.data_parallel + found.path, best * (1 + 1e-12)) << i;
        ASSERT_GE(found.path, elementary.pipeline * (1 - 1e-12)) << i;
        above += found.path > elementary.pipeline * (1 + 1e-9) ? 1 : 0;
    }
    EXPECT_GT(above, 50);
}

/// Regions of equal size on a line; costs grow with the distance, each with noise of its own.
Problem noisy_regions(int regions, Shape shape, std::uint64_t seed) {
    core::Random random(seed);
    Problem problem;
    problem.shape = shape;
    const std::size_t n = shape.devices();
    core::Grid<double> pairs(n, n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const auto a = static_cast<double>(i * static_cast<std::size_t>(regions) / n);
            const auto b = static_cast<double>(j * static_cast<std::size_t>(regions) / n);
            pairs(i, j) = pairs(j, i) = (0.1 + std::abs(a - b)) * (0.9 + 0.2 * random.uniform());
        }
    }
    problem.costs.pipeline = pairs;
    for (double& cost : pairs.cells()) {
        cost /= static_cast<double>(shape.dp);
    }
    problem.costs.exchange = pairs;
    return problem;
}

// After the time limit large fabrics whose devices all differ have this bound, and a certificate.
TEST(LeaderBound, StandsWhenTimeIsUp) {
    // Regions of 37 or 38 devices on eight stages: no stage is like all others, so a path breaks.
    const Problem problem = noisy_regions(7, {8, 33}, 92);
    ASSERT_GT(problem.devices(), 256U);
    ProofOptions late;
    late.stop = [] { return true; };
    const Bound bound = certify(problem, 1e6, late).bound;
    const Bound elementary = elementary_bound(problem);
    EXPECT_GT(bound.value, elementary.value * 1.2);
    EXPECT_NE(bound.method.find("least costs of"), std::string::npos) << bound.method;
    SearchOptions options;
    options.budget = 200;
    EXPECT_LE(bound.value, make_search(SearchKind::kPortfolio)->run(problem, options).score);
    std::size_t nodes = 1'000;
    const MadeProof made = prove_pairs(problem, {bound.value, 0}, late, 0, nodes);
    EXPECT_EQ(made.bound, bound.value);
    EXPECT_EQ(made.proof.kind, ProofKind::kBreaks);
    EXPECT_TRUE(check_proof(problem, made.proof, bound.value * (1 - 1e-9), {}).holds());
    EXPECT_FALSE(check_proof(problem, made.proof, bound.value * (1 + 1e-6), {}).holds());
}

}  // namespace
}  // namespace longhaul::placement
