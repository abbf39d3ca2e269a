#include "longhaul/placement/prove_spare.hpp"

#include <gtest/gtest.h>

#include "longhaul/placement/check_proof.hpp"
#include "longhaul/placement/detail/every_term.hpp"
#include "longhaul/placement/make_proof.hpp"
#include "longhaul/placement/prove.hpp"
#include "longhaul/placement/search_terms.hpp"
#include "longhaul/placement/solve.hpp"

namespace longhaul::placement {
namespace {

ProofOptions some_work() {
    ProofOptions options;
    options.work = 3'000'000;
    return options;
}

// Brute force over all rank maps is the definition of the optimum.
TEST(ProveSpare, NoBoundIsAboveTheBestOfAllMaps) {
    int cases = 0;
    int near = 0;
    testing::for_all_terms(911, [&](const Problem& problem, const auto&, const auto& what) {
        if (problem.devices() == problem.shape.devices()) {
            return;
        }
        const double best = testing::best_of_all_maps(problem);
        for (const double incumbent : {best, 1.5 * best}) {
            const Certificate certificate = prove(problem, incumbent, some_work());
            ASSERT_LE(certificate.bound.value, best * (1 + 1e-9)) << what;
            if (certificate.better) {
                const double score = solve_inner(problem, *certificate.better).score.total();
                ASSERT_LT(score, incumbent) << what;
                ASSERT_GE(score, best * (1 - 1e-9)) << what;
            }
        }
        ++cases;
        near += prove(problem, best, some_work()).bound.value >= 0.9 * best ? 1 : 0;
    });
    EXPECT_GT(near, 0);
    RecordProperty("near", near);
    RecordProperty("cases", cases);
}

// What pairs share only adds seconds: the bound with it is not below the bound without.
TEST(ProveSpare, SharedCapacityLosesNothing) {
    testing::for_all_terms(912, [&](const Problem& problem, const auto&, const auto& what) {
        if (problem.devices() == problem.shape.devices() || problem.shared.empty() ||
            problem.terms.exchange != Exchange::kSharded) {
            return;
        }
        const double best = testing::best_of_all_maps(problem);
        const double without = prove(without_exchange(problem), best, some_work()).bound.value;
        ASSERT_GE(prove(problem, best, some_work()).bound.value, without * (1 - 1e-9)) << what;
    });
}

// The check proves what the proof says and not more than the optimum.
TEST(ProveSpare, ProofsAreCarriedAndProveNoMoreThanTheOptimum) {
    int cases = 0;
    int whole = 0;
    testing::for_all_terms(913, [&](const Problem& problem, const auto&, const auto& what) {
        if (problem.devices() == problem.shape.devices()) {
            return;
        }
        const double best = testing::best_of_all_maps(problem);
        const double bound = prove(problem, best, some_work()).bound.value;
        CertificateOptions options;
        options.proof = some_work();
        const MadeProof made = make_proof(problem, {bound, best}, options);
        const ReplayLimits limits{100'000'000, {}};
        ASSERT_EQ(check_proof(problem, made.proof, made.bound * (1 - 1e-9), limits).why, "")
            << what;
        ASSERT_FALSE(check_proof(problem, made.proof, best * (1 + 1e-6), limits).holds()) << what;
        ++cases;
        whole += made.bound >= bound * (1 - 1e-9) ? 1 : 0;
    });
    EXPECT_GE(whole, cases - cases / 50);
}

}  // namespace
}  // namespace longhaul::placement
