#include "longhaul/placement/certify.hpp"

#include <gtest/gtest.h>

#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/search.hpp"

namespace longhaul::placement {
namespace {

double exhaustive(const Problem& problem) {
    return make_search(SearchKind::kExhaustive)->run(problem, {}).score;
}

TEST(Certify, ProvesTheOptimumOfExhaustiveEnumeration) {
    for (int i = 0; i < 300; ++i) {
        testing::Instance instance(33, i);
        const Problem problem =
            random_problem(testing::small_shape(i), instance.levels, true, instance.random);
        const double best = exhaustive(problem);
        const double host = make_search(SearchKind::kHostOrder)->run(problem, {}).score;
        const Certificate from_host = certify(problem, host, {});
        ASSERT_NEAR(from_host.bound.value, best, 1e-9) << i;
        const double reached =
            from_host.better ? solve_inner(problem.costs, *from_host.better).score.total() : host;
        ASSERT_NEAR(reached, best, 1e-9) << i;
        const Certificate from_best = certify(problem, best, {});
        ASSERT_NEAR(from_best.bound.value, best, 1e-9) << i;
        ASSERT_LE(from_best.bound.value, best * (1 + 1e-12)) << i;
    }
}

TEST(Certify, BoundsHoldForAnyWorkAndAnyFabric) {
    for (int i = 0; i < 200; ++i) {
        testing::Instance instance(34, i);
        const Problem problem = random_problem(
            testing::small_shape(i), instance.levels, instance.equal_rows, instance.random);
        const double best = exhaustive(problem);
        for (const std::uint64_t work : {0ULL, 1ULL, 30ULL, 1'000ULL, 100'000ULL}) {
            ProofOptions options;
            options.work = work;
            const Certificate certificate = certify(problem, best, options);
            ASSERT_LE(certificate.bound.value, best * (1 + 1e-12)) << i << " work " << work;
            ASSERT_GE(certificate.bound.value, elementary_bound(problem).value);
            ASSERT_FALSE(certificate.better);
        }
        ProofOptions options;
        options.stop = [] { return true; };
        ASSERT_LE(certify(problem, best, options).bound.value, best * (1 + 1e-12)) << i;
    }
}

TEST(Certify, NoisyClassesGiveABoundBelowTheOptimum) {
    // Costs that fall into classes but for noise: the least costs between classes decide.
    for (int i = 0; i < 150; ++i) {
        testing::Instance instance(35, i);
        Problem problem = random_problem(testing::small_shape(i), 5, true, instance.random);
        for (PairMatrix* costs : {&problem.costs.pipeline, &problem.costs.exchange}) {
            core::Grid<double> factor(costs->size(), costs->size(), 1.0);
            for (std::size_t a = 0; a < factor.rows(); ++a) {
                for (std::size_t b = 0; b < a; ++b) {
                    factor(a, b) = factor(b, a) = 1 + 0.1 * instance.random.uniform();
                }
            }
            testing::change_pairs(*costs,
                                  [&](auto a, auto b, double cost) { return cost * factor(a, b); });
        }
        const double best = exhaustive(problem);
        const Certificate certificate = certify(problem, best, {});
        ASSERT_LE(certificate.bound.value, best * (1 + 1e-12)) << i;
        ASSERT_GE(certificate.bound.value, elementary_bound(problem).value);
    }
}

TEST(Certify, ProvesTheKnownOptimaOfTable2) {
    // Source: docs/mathematics/placement.md.
    const auto bound = [](double c_pp, double incumbent) {
        const Problem problem = testing::shipped_problem("dtfm-table2-worldwide.json", c_pp, 0.65);
        return certify(problem, incumbent, {}).bound.value;
    };
    EXPECT_NEAR(bound(0.512, 51.5004235789), 51.500424, 1e-6);
    EXPECT_NEAR(bound(0.128, 19.4473815), 19.447381, 1e-6);
}

}  // namespace
}  // namespace longhaul::placement
