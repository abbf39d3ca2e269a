#include "longhaul/study/rank_correlation.hpp"

#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "longhaul/core/random.hpp"

namespace longhaul::study {
namespace {

// From the definition: 10 pairs, of (1,1) (2,3) (3,2) (4,5) (5,4) two are discordant.
TEST(KendallTau, CountsPairs) {
    const std::vector<double> x{1, 2, 3, 4, 5};
    const std::vector<double> y{1, 3, 2, 5, 4};
    EXPECT_DOUBLE_EQ(*kendall_tau(x, y), 0.6);
}

// scipy.stats.kendalltau([12, 2, 1, 12, 2], [1, 4, 7, 1, 0]) = -0.47140452079103173, the example of
// its documentation; spearmanr([1, 2, 3, 4, 5], [5, 6, 7, 8, 7]) = 0.8207826816681233, likewise.
TEST(KendallTau, CorrectsForTies) {
    const std::vector<double> x{12, 2, 1, 12, 2};
    const std::vector<double> y{1, 4, 7, 1, 0};
    EXPECT_NEAR(*kendall_tau(x, y), -0.47140452079103173, 1e-15);
}

TEST(SpearmanRho, GivesTiesTheirMeanRank) {
    const std::vector<double> x{1, 2, 3, 4, 5};
    const std::vector<double> y{5, 6, 7, 8, 7};
    EXPECT_NEAR(*spearman_rho(x, y), 0.8207826816681233, 1e-15);
}

TEST(RankCorrelation, IsOneForTheSameOrderAndMinusOneForTheOpposite) {
    const std::vector<double> x{3, 1, 4, 15, 9};
    const std::vector<double> same{30, 10, 31, 80, 70};
    const std::vector<double> opposite{-30, -10, -31, -80, -70};
    EXPECT_DOUBLE_EQ(*kendall_tau(x, same), 1);
    EXPECT_DOUBLE_EQ(*spearman_rho(x, same), 1);
    EXPECT_DOUBLE_EQ(*kendall_tau(x, opposite), -1);
    EXPECT_DOUBLE_EQ(*spearman_rho(x, opposite), -1);
}

TEST(RankCorrelation, IsNothingWhereAListIsConstant) {
    const std::vector<double> x{1, 2, 3};
    const std::vector<double> y{4, 4, 4};
    EXPECT_FALSE(kendall_tau(x, y));
    EXPECT_FALSE(spearman_rho(x, y));
    EXPECT_FALSE(bootstrap_interval(x, y, kendall_tau, 200, 1));
}

TEST(BootstrapInterval, HoldsThePointAndIsOnePointForTheSameOrder) {
    core::Random random(5);
    std::vector<double> x;
    std::vector<double> noisy;
    for (int i = 0; i < 40; ++i) {
        x.push_back(i);
        noisy.push_back(i + 12 * random.uniform());
    }
    const auto same = bootstrap_interval(x, x, kendall_tau, 500, 1);
    ASSERT_TRUE(same);
    EXPECT_DOUBLE_EQ(same->lower, 1);
    EXPECT_DOUBLE_EQ(same->upper, 1);
    const auto interval = bootstrap_interval(x, noisy, kendall_tau, 500, 1);
    const double tau = *kendall_tau(x, noisy);
    ASSERT_TRUE(interval);
    EXPECT_LT(interval->lower, tau);
    EXPECT_GT(interval->upper, tau);
    // The standard error of tau at n = 40 without ties is at most sqrt(2 (1 - tau^2) / n) = 0.22
    // (Kendall and Gibbons, 1990), so that 95 % lie within 0.44 on each side.
    EXPECT_LT(interval->upper - interval->lower, 0.88);
}

// Coverage by repetition: of 200 samples of 30 pairs with normal-like noise, the interval must hold
// the tau of a sample of 4,000 in about 95 %.
TEST(BootstrapInterval, CoversTheTruth) {
    const auto sample = [](std::uint64_t seed, int points) {
        core::Random random(seed, 7);
        std::array<std::vector<double>, 2> xy;
        for (int i = 0; i < points; ++i) {
            const double x = random.uniform();
            xy[0].push_back(x);
            xy[1].push_back(x + random.uniform() - random.uniform());
        }
        return xy;
    };
    const auto large = sample(1, 4000);
    const double truth = *kendall_tau(large[0], large[1]);
    int held = 0;
    for (std::uint64_t seed = 100; seed < 300; ++seed) {
        const auto xy = sample(seed, 30);
        const auto interval = bootstrap_interval(xy[0], xy[1], kendall_tau, 200, seed);
        ASSERT_TRUE(interval);
        held += interval->lower <= truth && truth <= interval->upper ? 1 : 0;
    }
    EXPECT_GE(held, 180);
}

}  // namespace
}  // namespace longhaul::study
