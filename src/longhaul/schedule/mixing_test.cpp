#include "longhaul/schedule/mixing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "longhaul/core/random.hpp"
#include "longhaul/schedule/detail/bounds.hpp"
#include "longhaul/schedule/detail/fast_mixing.hpp"
#include "longhaul/schedule/score.hpp"

namespace longhaul::schedule {
namespace {

Round random_round(core::Random& random, int islands) {
    std::vector<Clique> cliques(static_cast<std::size_t>(islands), 0);
    for (int i = 0; i < islands; ++i) {
        cliques[random.below(static_cast<std::uint32_t>(islands))] |= Clique{1} << i;
    }
    return make_round(std::move(cliques), islands);
}

Schedule random_schedule(core::Random& random, int islands, std::size_t period) {
    Schedule schedule;
    for (std::size_t k = 0; k < period; ++k) {
        schedule.rounds.push_back(random_round(random, islands));
    }
    return schedule;
}

MixingMatrix times(const MixingMatrix& a, const MixingMatrix& b) {
    MixingMatrix product(a.rows(), b.columns(), 0);
    for (std::size_t i = 0; i < a.rows(); ++i) {
        for (std::size_t j = 0; j < b.columns(); ++j) {
            for (std::size_t k = 0; k < b.rows(); ++k) {
                product(i, j) += a(i, k) * b(k, j);
            }
        }
    }
    return product;
}

/// sum_i pi_i |row_i - pi|, not yet divided by its value at the start.
double disagreement(const MixingMatrix& phi, const std::vector<double>& pi) {
    double sum = 0;
    for (std::size_t i = 0; i < phi.rows(); ++i) {
        for (std::size_t j = 0; j < phi.rows(); ++j) {
            sum += pi[i] * std::abs(phi(i, j) - pi[j]);
        }
    }
    return sum;
}

/// The definition, with dense products and a fixed number of rounds.
double plain_area(const Schedule& schedule, int islands, const MixingOptions& options, int rounds) {
    const auto n = static_cast<std::size_t>(islands);
    std::vector<double> pi = options.target;
    pi.resize(n, 1);
    const double total = std::accumulate(pi.begin(), pi.end(), 0.0);
    for (double& share : pi) {
        share /= total;
    }
    MixingMatrix identity(n, n, 0);
    for (std::size_t i = 0; i < n; ++i) {
        identity(i, i) = 1;
    }
    double sum = 0;
    for (std::size_t phase = 0; phase < schedule.rounds.size(); ++phase) {
        MixingMatrix phi = identity;
        for (int h = 0; h < rounds; ++h) {
            sum += std::pow(options.forgetting, h) * disagreement(phi, pi) /
                   disagreement(identity, pi);
            const auto next = (phase + 1 + static_cast<std::size_t>(h)) % schedule.rounds.size();
            phi = times(mixing_matrix(schedule.rounds[next], islands, options.target), phi);
        }
    }
    return 0.5 + sum / static_cast<double>(schedule.rounds.size());
}

TEST(Mixing, AreaEqualsDenseProducts) {
    core::Random random(21);
    int checked = 0;
    for (int i = 0; i < 250; ++i) {
        const int islands = 2 + static_cast<int>(random.below(6));
        const Schedule schedule = random_schedule(random, islands, 1 + random.index(3));
        MixingOptions options;
        if (i % 3 == 1) {
            for (int island = 0; island < islands; ++island) {
                options.target.push_back(0.5 + random.uniform());
            }
        }
        options.forgetting = i % 4 == 2 ? 0.3 + 0.7 * random.uniform() : 1;
        const Survival found = survival(schedule, islands, options);
        detail::FastMixing fast(islands, options);
        const double fast_area =
            0.5 + fast.area(schedule, 1e9) / static_cast<double>(schedule.rounds.size());
        if (!found.mixes) {
            ASSERT_TRUE(std::isinf(fast_area)) << i;
            continue;
        }
        if (found.curves.front().size() > 300) {
            continue;
        }
        ++checked;
        ASSERT_NEAR(found.area, plain_area(schedule, islands, options, 600), 1e-9) << i;
        ASSERT_NEAR(fast_area, found.area, 1e-8) << i;
    }
    EXPECT_GT(checked, 60);
}

TEST(Mixing, OneAndTwoRoundsFromSetsEqualProducts) {
    core::Random random(22);
    for (int i = 0; i < 300; ++i) {
        const int islands = 2 + static_cast<int>(random.below(7));
        MixingOptions options;
        for (int island = 0; i % 2 == 1 && island < islands; ++island) {
            options.target.push_back(0.5 + random.uniform());
        }
        const Round a = random_round(random, islands);
        const Round b = random_round(random, islands);
        const detail::SetErrors errors(islands, options);
        detail::FastMixing mixing(islands, options);
        ASSERT_NEAR(errors.one(a), mixing.error_after({&a}), 1e-12);
        ASSERT_NEAR(errors.two(a, b), mixing.error_after({&a, &b}), 1e-12);
        ASSERT_NEAR(errors.two(a, b), errors.two(b, a), 1e-12);
        if (options.target.empty()) {
            ASSERT_NEAR(error_of(a, islands), errors.one(a), 1e-12);
            ASSERT_NEAR(error_of(a, b, islands), errors.two(a, b), 1e-12);
        }
    }
}

// Section 2.3 of the background page: floors of A for cliques of at most k of nine islands.
TEST(Mixing, OrthogonalTrianglesReachTheFloor) {
    const Schedule triangles{{make_round({0b111, 0b111000, 0b111000000}, 9),
                              make_round({0b1001001, 0b10010010, 0b100100100}, 9)}};
    const Survival found = survival(triangles, 9);
    EXPECT_NEAR(found.area, 2.25, 1e-12);
    ASSERT_GE(found.curves[0].size(), 2U);
    EXPECT_NEAR(found.curves[0][1], 0.75, 1e-12);
    const Schedule all{{make_round({0b111111111}, 9)}};
    EXPECT_NEAR(survival(all, 9).area, 1.5, 1e-12);
}

TEST(Mixing, ForgettingEverythingLeavesTheFlight) {
    core::Random random(23);
    MixingOptions options;
    options.forgetting = 1e-9;
    EXPECT_NEAR(survival(random_schedule(random, 6, 2), 6, options).area, 1.5, 1e-8);
}

TEST(Mixing, TargetsAreKeptByEveryRound) {
    core::Random random(24);
    const std::vector<double> target = {1, 2, 3, 4, 5};
    for (int i = 0; i < 50; ++i) {
        const MixingMatrix weights = mixing_matrix(random_round(random, 5), 5, target);
        for (std::size_t j = 0; j < 5; ++j) {
            double kept = 0;
            double row = 0;
            for (std::size_t k = 0; k < 5; ++k) {
                kept += target[k] * weights(k, j);
                row += weights(j, k);
            }
            ASSERT_NEAR(kept, target[j], 1e-12);
            ASSERT_NEAR(row, 1, 1e-12);
        }
    }
}

TEST(Mixing, SeparateIslandsNeverAgree) {
    const Schedule apart{{make_round({0b11, 0b1100}, 4)}};
    const Survival found = survival(apart, 4);
    EXPECT_FALSE(found.mixes);
    EXPECT_TRUE(std::isinf(found.area));
}

// Equal lengths: own lengths give A T.
TEST(Score, EqualLengthsGiveAreaTimesLength) {
    core::Random random(25);
    for (int i = 0; i < 40; ++i) {
        const Schedule schedule = random_schedule(random, 6, 2 + random.index(3));
        const Survival mixing = survival(schedule, 6);
        if (!mixing.mixes) {
            continue;
        }
        const std::vector<double> lengths(schedule.rounds.size(), 321);
        ASSERT_NEAR(score_of(lengths, mixing, Pace::kOwn), 321 * mixing.area, 1e-8);
        ASSERT_NEAR(score_of(lengths, mixing, Pace::kUniform), 321 * mixing.area, 1e-8);
        std::vector<double> other = lengths;
        other[0] = 123;
        detail::FastMixing fast(6, {});
        ASSERT_NEAR(fast.own_score(schedule, other), score_of(other, mixing, Pace::kOwn), 1e-6);
    }
}

}  // namespace
}  // namespace longhaul::schedule
