#include "longhaul/measure/completion.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "longhaul/core/random.hpp"
#include "longhaul/core/statistics.hpp"
#include "longhaul/measure/design.hpp"
#include "longhaul/measure/detail/cholesky.hpp"

namespace longhaul::measure {
namespace {

double completion_normal(core::Random& random) {
    const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
    return radius * std::cos(2 * 3.14159265358979323846 * random.uniform());
}

/// A made-up world: n sites at random places on a line, log bandwidth = effects of sender and
/// receiver + two factors (sites i and j have hidden vectors) - slope log(round trip) + noise.
struct World {
    CompletionInput input;
    core::Grid<double> truth;
};

World made_up(std::size_t n, double factor, double slope, double noise, std::uint64_t seed) {
    core::Random random(seed);
    World world{{{},
                 std::vector<std::string>(n, ""),
                 core::Grid<double>(n, n, 0.0),
                 core::Grid<double>(n, n, 0.0)},
                core::Grid<double>(n, n, 0.0)};
    std::vector<double> place;
    std::vector<double> out;
    std::vector<double> in;
    core::Grid<double> u(n, 2);
    core::Grid<double> v(n, 2);
    for (std::size_t i = 0; i < n; ++i) {
        world.input.names.push_back("s" + std::to_string(i));
        place.push_back(200 * random.uniform());
        out.push_back(0.2 * completion_normal(random));
        in.push_back(0.2 * completion_normal(random));
        for (std::size_t k = 0; k < 2; ++k) {
            u(i, k) = factor * completion_normal(random);
            v(i, k) = factor * completion_normal(random);
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            if (i != j) {
                const double rtt = 2 + std::abs(place[i] - place[j]);
                world.input.rtt_ms(i, j) = rtt;
                world.truth(i, j) =
                    std::exp(2 + out[i] + in[j] + detail::dot(u.row(i), v.row(j)) -
                             slope * std::log(rtt) + noise * completion_normal(random));
            }
        }
    }
    return world;
}

/// Shows a share of the pairs.
void show(World& world, double share, std::uint64_t seed) {
    core::Random random(seed);
    const std::size_t n = world.truth.rows();
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            world.input.beta_gbps(i, j) =
                i != j && random.uniform() < share ? world.truth(i, j) : 0;
        }
    }
}

double median_error(const World& world, const Completion& completed) {
    std::vector<double> errors;
    for (std::size_t i = 0; i < world.truth.rows(); ++i) {
        for (std::size_t j = 0; j < world.truth.rows(); ++j) {
            if (i != j && completed.estimated(i, j) != 0) {
                errors.push_back(std::abs(completed.beta_gbps(i, j) / world.truth(i, j) - 1));
            }
        }
    }
    return core::summarise(std::move(errors)).median;
}

KernelScales rows_and_columns() {
    KernelScales scales;
    scales.class_pair = scales.slope = scales.slope_class_pair = scales.curve = 0;
    scales.curve_class_pair = scales.out_to_class = scales.in_from_class = 0;
    scales.near = scales.near_class_pair = scales.both_ways = 0;
    scales.out = scales.in = 0.3;
    return scales;
}

/// Two hidden factors of spread 0.6 are what sender and receiver effects cannot say; the design
/// page asks that completion beats these effects on such a world.
TEST(Completion, HiddenFactorsAreFound) {
    for (const std::uint64_t seed : {1, 2}) {
        World world = made_up(24, 0.6, 0.0, 0.03, seed);
        show(world, 0.5, seed + 10);
        CompletionOptions plain;
        plain.only = rows_and_columns();
        const auto rows = complete(world.input, plain);
        const auto best = complete(world.input);
        ASSERT_TRUE(rows && best);
        EXPECT_LT(median_error(world, *best), 0.8 * median_error(world, *rows)) << seed;
        EXPECT_GT(best->rank, 0) << seed;
    }
}

TEST(Completion, RoundTripsAreUsed) {
    World world = made_up(30, 0.0, 0.6, 0.03, 5);
    show(world, 0.1, 6);
    CompletionOptions plain;
    plain.only = rows_and_columns();
    const auto rows = complete(world.input, plain);
    const auto best = complete(world.input);
    ASSERT_TRUE(rows && best);
    EXPECT_LT(median_error(world, *best), 0.5 * median_error(world, *rows));
}

/// The intervals of 90 % hold 90 % of what was hidden, give or take the noise of 8 worlds.
TEST(Completion, IntervalsHoldTheirShare) {
    double inside = 0;
    double hidden = 0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        World world = made_up(24, 0.1, 0.5, 0.1, seed);
        show(world, 0.25, seed + 50);
        const auto completed = complete(world.input);
        ASSERT_TRUE(completed);
        for (std::size_t i = 0; i < 24; ++i) {
            for (std::size_t j = 0; j < 24; ++j) {
                if (completed->estimated(i, j) != 0) {
                    hidden += 1;
                    inside += world.truth(i, j) >= completed->lower(i, j) &&
                                      world.truth(i, j) <= completed->upper(i, j)
                                  ? 1
                                  : 0;
                }
            }
        }
    }
    EXPECT_GT(inside / hidden, 0.85);
    EXPECT_LT(inside / hidden, 0.95);
}

TEST(Completion, MeasuredPairsStayAsTheyAre) {
    World world = made_up(8, 0.0, 0.5, 0.1, 3);
    show(world, 0.5, 4);
    const auto completed = complete(world.input);
    ASSERT_TRUE(completed);
    std::size_t measured = 0;
    for (std::size_t i = 0; i < 8; ++i) {
        for (std::size_t j = 0; j < 8; ++j) {
            const double shown = world.input.beta_gbps(i, j);
            if (shown > 0) {
                ++measured;
                EXPECT_EQ(completed->beta_gbps(i, j), shown);
                EXPECT_EQ(completed->lower(i, j), shown);
                EXPECT_EQ(completed->estimated(i, j), 0);
            } else if (i != j) {
                EXPECT_EQ(completed->estimated(i, j), 1);
                EXPECT_LT(completed->lower(i, j), completed->beta_gbps(i, j));
                EXPECT_GT(completed->upper(i, j), completed->beta_gbps(i, j));
            }
        }
    }
    EXPECT_EQ(completed->measured, measured);
}

/// One pair that failed (a thousandth of its rate) must not drag the others of its sender along.
TEST(Completion, OneBrokenPairChangesLittle) {
    World world = made_up(20, 0.0, 0.5, 0.05, 7);
    show(world, 0.4, 8);
    const auto before = complete(world.input);
    for (double& beta : world.input.beta_gbps.cells()) {
        if (beta > 0) {
            beta /= 1000;
            break;
        }
    }
    const auto after = complete(world.input);
    ASSERT_TRUE(before && after);
    EXPECT_LT(median_error(world, *after), 1.3 * median_error(world, *before));
}

TEST(Completion, MissingRoundTripsComeFromTheTriangle) {
    World world = made_up(10, 0.0, 0.5, 0.05, 9);
    show(world, 0.5, 10);
    world.input.rtt_ms(2, 3) = 0;
    const auto one_direction = complete(world.input);
    ASSERT_TRUE(one_direction);
    EXPECT_EQ(one_direction->filled_rtts, 0U);
    world.input.rtt_ms(3, 2) = 0;
    const auto filled = complete(world.input);
    ASSERT_TRUE(filled);
    EXPECT_EQ(filled->filled_rtts, 1U);
    for (std::size_t i = 0; i < 10; ++i) {
        world.input.rtt_ms(2, i) = world.input.rtt_ms(i, 2) = 0;
    }
    const auto alone = complete(world.input);
    ASSERT_FALSE(alone);
    EXPECT_EQ(alone.error().size(), 9U);
    EXPECT_EQ(alone.error().front().where, "s0 and s2");
}

TEST(Completion, AsksForSomeMeasurements) {
    World world = made_up(5, 0.0, 0.5, 0.05, 11);
    world.input.beta_gbps(0, 1) = 1;
    const auto completed = complete(world.input);
    ASSERT_FALSE(completed);
    EXPECT_EQ(completed.error().front().what, "only 1 pairs have a bandwidth");
}

TEST(Completion, ClassIsWhatStandsBeforeTheColon) {
    EXPECT_EQ(class_of_site("aws:us-east-1"), "aws");
    EXPECT_EQ(class_of_site("Oregon"), "");
}

/// 4 x 4 system with a known answer: K = L L' of integers, x by hand.
TEST(Cholesky, SolvesAndInverts) {
    core::Grid<double> matrix(3, 3);
    const std::vector<double> cells{4, 2, 2, 2, 5, 3, 2, 3, 6};
    std::ranges::copy(cells, matrix.cells().begin());
    const detail::Cholesky factor(matrix);
    // K (1, 2, 3) = (14, 21, 26)
    const std::vector<double> x = factor.solve(std::vector<double>{14, 21, 26});
    EXPECT_NEAR(x[0], 1, 1e-12);
    EXPECT_NEAR(x[1], 2, 1e-12);
    EXPECT_NEAR(x[2], 3, 1e-12);
    // det K = 64; cofactors of the diagonal: 21, 20, 16.
    const std::vector<double> diagonal = factor.inverse_diagonal();
    EXPECT_NEAR(diagonal[0], 21.0 / 64, 1e-12);
    EXPECT_NEAR(diagonal[1], 20.0 / 64, 1e-12);
    EXPECT_NEAR(diagonal[2], 16.0 / 64, 1e-12);
}

/// With as many tests, pairs that were chosen leave smaller errors than pairs that were drawn.
TEST(Design, ChosenPairsTellMoreThanDrawnOnes) {
    double chosen_error = 0;
    double drawn_error = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        World world = made_up(24, 0.0, 0.6, 0.05, seed);
        show(world, 0.06, seed + 20);
        const auto drawn = complete(world.input);
        ASSERT_TRUE(drawn);
        const std::size_t count = drawn->measured;
        const auto pairs = design_pairs(
            world.input.classes, world.input.rtt_ms, core::Grid<char>(24, 24, 0), count);
        ASSERT_EQ(pairs.size(), count);
        world.input.beta_gbps = core::Grid<double>(24, 24, 0.0);
        for (const SitePair& pair : pairs) {
            world.input.beta_gbps(pair.from, pair.to) = world.truth(pair.from, pair.to);
        }
        const auto chosen = complete(world.input);
        ASSERT_TRUE(chosen);
        EXPECT_EQ(chosen->measured, count);  // no pair twice
        chosen_error += median_error(world, *chosen);
        drawn_error += median_error(world, *drawn);
    }
    EXPECT_LT(chosen_error, drawn_error);
}

TEST(Design, LeavesOutWhatIsMeasured) {
    const World world = made_up(6, 0.0, 0.5, 0.05, 2);
    core::Grid<char> measured(6, 6, 1);
    measured(1, 4) = 0;
    const auto pairs = design_pairs(world.input.classes, world.input.rtt_ms, measured, 10);
    ASSERT_EQ(pairs.size(), 1U);
    EXPECT_EQ(pairs[0], (SitePair{1, 4}));
}

/// Three sites; by hand: pair 0>1 measured at 1, 0>2 in [0.5, 2], 1>2 in [0.8, 1.25].
TEST(NextPairs, WidestImportantPairComesFirst) {
    Completion known;
    known.beta_gbps = known.lower = known.upper = core::Grid<double>(3, 3, 1.0);
    known.estimated = core::Grid<char>(3, 3, 0);
    known.estimated(0, 2) = known.estimated(1, 2) = 1;
    known.lower(0, 2) = 0.5;
    known.upper(0, 2) = 2;
    known.lower(1, 2) = 0.8;
    known.upper(1, 2) = 1.25;
    core::Grid<double> importance(3, 3, 0.0);
    importance(0, 1) = importance(0, 2) = importance(1, 2) = 1;
    const NextPairs next = next_pairs(known, importance, 10);
    EXPECT_DOUBLE_EQ(next.cost, 3);
    EXPECT_DOUBLE_EQ(next.lower, 1 + 0.5 + 0.8);
    EXPECT_DOUBLE_EQ(next.upper, 1 + 2 + 1.25);
    EXPECT_DOUBLE_EQ(next.relative_width, (4.25 - 2.3) / 6);
    EXPECT_FALSE(next.enough);
    // Knowing 0>2 leaves 0.45 / 6 = 7.5 %: enough.
    ASSERT_EQ(next.pairs.size(), 1U);
    EXPECT_EQ(next.pairs[0], (SitePair{0, 2}));
    importance(0, 2) = 0;
    EXPECT_EQ(next_pairs(known, importance, 10, 0.05).pairs.at(0), (SitePair{1, 2}));
    EXPECT_TRUE(next_pairs(known, importance, 10, 0.2).enough);
}

}  // namespace
}  // namespace longhaul::measure
