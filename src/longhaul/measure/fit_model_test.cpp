#include "longhaul/measure/fit_model.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <ostream>

#include <gtest/gtest.h>

#include "longhaul/measure/detail/test_samples.hpp"
#include "longhaul/measure/gates.hpp"

namespace longhaul::measure {
namespace {

using Noise = std::function<double(core::Random&)>;

struct TrueLink {
    double alpha_ms = 0;
    double beta_gbps = 0;
};

double gaussian5(core::Random& random) {
    return 1 + 0.05 * detail::normal(random);
}

double gaussian3(core::Random& random) {
    return 1 + 0.03 * detail::normal(random);
}

/// 3 % of noise, and one sample in ten takes 1 to 3 times as long.
double outliers(core::Random& random) {
    const double base = gaussian3(random);
    return random.uniform() < 0.1 ? base * (1 + 2 * random.uniform()) : base;
}

std::vector<SizeGroup> draw(const TrueLink& link,
                            const std::vector<double>& sizes,
                            int repeats,
                            const Noise& noise,
                            core::Random& random) {
    std::vector<Point> points;
    for (const double bytes : sizes) {
        for (int i = 0; i < repeats; ++i) {
            const double seconds = detail::affine_seconds(bytes, link.alpha_ms, link.beta_gbps);
            points.push_back({bytes, seconds * noise(random)});
        }
    }
    return group_by_size(std::move(points));
}

LinkFit fitted(const std::vector<SizeGroup>& sizes, std::uint64_t stream, int resamples = 200) {
    MedianTables tables;
    for (const SizeGroup& size : sizes) {
        prepare(tables, size.seconds.size());
    }
    LinkFit fit;
    fit_model(fit, sizes, {7, stream, resamples, &tables});
    return fit;
}

/// What the geo-placement page does: ordinary least squares on the means, accepted when the
/// start-up is not negative and r^2 >= 0.98.
struct MeansFit {
    double alpha_ms = 0;
    double beta_gbps = 0;
    bool accepted = false;
};

MeansFit fit_means(const std::vector<SizeGroup>& sizes) {
    double n = 0;
    double x = 0;
    double y = 0;
    double xx = 0;
    double xy = 0;
    double yy = 0;
    for (const SizeGroup& size : sizes) {
        double mean = 0;
        for (const double seconds : size.seconds) {
            mean += seconds / static_cast<double>(size.seconds.size());
        }
        n += 1;
        x += size.bytes;
        y += mean;
        xx += size.bytes * size.bytes;
        xy += size.bytes * mean;
        yy += mean * mean;
    }
    const double cross = n * xy - x * y;
    const double slope = cross / (n * xx - x * x);
    const double start = (y - slope * x) / n;
    const double r2 = cross * cross / ((n * xx - x * x) * (n * yy - y * y));
    return {start * 1e3, 8e-9 / slope, slope > 0 && start >= 0 && r2 >= 0.98};
}

/// Median and 95th percentile of relative errors, in per cent.
struct Errors {
    std::vector<double> all;

    void add(double found, double truth) { all.push_back(100 * std::abs(found / truth - 1)); }
    [[nodiscard]] double at(double q) const {
        std::vector<double> sorted = all;
        std::ranges::sort(sorted);
        return core::quantile(sorted, q);
    }
};

/// Published errors (per cent) of one link and noise, 300 runs of 10 repeats a size.
struct Row {
    const char* name;
    TrueLink link;
    double smallest;
    Noise noise;
    double seed_passes, seed_alpha;                         // least squares on means
    double alpha_median, alpha_p95, beta_median, beta_p95;  // relative, on medians
};

void PrintTo(const Row& row, std::ostream* out) {
    *out << row.name;
}

class Table : public testing::TestWithParam<Row> {};

// The measurement study that this follows gives the errors of both estimators for six links. Ours
// must be no worse than its best (sampling error of 300 runs and the rounding of the table: 15 %),
// and the twin of the old estimator must err as badly as it says (within a third).
TEST_P(Table, EqualsOrBeatsThePublishedErrors) {
    const Row& row = GetParam();
    constexpr int kRuns = 1000;
    const auto sizes = detail::sizes_between(row.smallest, 256 * detail::kMiB, 4);
    Errors alpha;
    Errors beta;
    Errors seed_alpha;
    int seed_accepts = 0;
    int accepts = 0;
    for (int run = 0; run < kRuns; ++run) {
        core::Random random(7, static_cast<std::uint64_t>(run));
        const auto groups = draw(row.link, sizes, 10, row.noise, random);
        LinkFit fit = fitted(groups, static_cast<std::uint64_t>(run), 100);
        apply_gates(fit);
        accepts += fit.verdict == Verdict::kOk ? 1 : 0;
        alpha.add(fit.alpha_ms, row.link.alpha_ms);
        beta.add(fit.beta_gbps, row.link.beta_gbps);
        const MeansFit means = fit_means(groups);
        seed_accepts += means.accepted ? 1 : 0;
        seed_alpha.add(means.alpha_ms, row.link.alpha_ms);
    }
    constexpr double kSlack = 1.15;
    EXPECT_LE(alpha.at(0.5), kSlack * row.alpha_median);
    EXPECT_LE(alpha.at(0.95), kSlack * row.alpha_p95);
    EXPECT_LE(beta.at(0.5), kSlack * row.beta_median);
    EXPECT_LE(beta.at(0.95), kSlack * row.beta_p95);
    EXPECT_GE(accepts, 0.93 * kRuns);
    EXPECT_NEAR(seed_accepts, row.seed_passes * kRuns, 0.1 * kRuns);
    EXPECT_NEAR(seed_alpha.at(0.5), row.seed_alpha, row.seed_alpha / 3);
}

INSTANTIATE_TEST_SUITE_P(
    Study,
    Table,
    testing::Values(
        Row{"wan", {67, 0.79}, detail::kMiB, gaussian5, 1.00, 4, 1.25, 3.5, 0.8, 2.4},
        Row{"wan_outliers", {67, 0.79}, detail::kMiB, outliers, 0.99, 31, 2, 3, 1.5, 2.2},
        Row{"lan_large", {0.2, 10}, detail::kMiB, gaussian5, 0.73, 108, 7, 20, 0.7, 2.2},
        Row{"lan", {0.2, 10}, 4096, gaussian5, 0.95, 49, 1, 2, 0.6, 1.6},
        Row{"lan_outliers", {0.2, 10}, 4096, outliers, 0.64, 296, 2, 2, 1.5, 2.0},
        Row{"nvlink_outliers", {0.054, 2200}, 4096, outliers, 1.00, 12, 2, 2, 1.5, 2.6}),
    [](const auto& row) { return std::string(row.param.name); });

struct CoverageCase {
    const char* name;
    TrueLink link;
    double smallest;
    int repeats;
    Noise noise;
};

void PrintTo(const CoverageCase& c, std::ostream* out) {
    *out << c.name;
}

class Coverage : public testing::TestWithParam<CoverageCase> {};

// 95 % intervals hold the truth in 90 to 99 % of 200 campaigns.
TEST_P(Coverage, OfIntervalsIsWhatTheySay) {
    const CoverageCase& c = GetParam();
    constexpr int kSeeds = 200;
    const auto sizes = detail::sizes_between(c.smallest, 256 * detail::kMiB, 4);
    int alpha = 0;
    int beta = 0;
    const auto holds = [](Range range, double truth) {
        return range.lower <= truth && truth <= range.upper ? 1 : 0;
    };
    for (int seed = 0; seed < kSeeds; ++seed) {
        core::Random random(seed, 1);
        const LinkFit fit = fitted(draw(c.link, sizes, c.repeats, c.noise, random), 1, 1000);
        alpha += holds(fit.alpha_interval, c.link.alpha_ms);
        beta += holds(fit.beta_interval, c.link.beta_gbps);
    }
    EXPECT_GE(alpha, 0.90 * kSeeds);
    EXPECT_LE(alpha, 0.99 * kSeeds);
    EXPECT_GE(beta, 0.90 * kSeeds);
    EXPECT_LE(beta, 0.99 * kSeeds);
}

INSTANTIATE_TEST_SUITE_P(
    Links,
    Coverage,
    testing::Values(CoverageCase{"wan_5", {67, 0.79}, detail::kMiB, 5, gaussian5},
                    CoverageCase{"wan_10", {67, 0.79}, detail::kMiB, 10, gaussian3},
                    CoverageCase{"wan_20", {67, 0.79}, 65'536, 20, gaussian5},
                    CoverageCase{"lan_3", {0.2, 10}, 4096, 3, gaussian3},
                    CoverageCase{"lan_5", {0.2, 10}, 4096, 5, gaussian5},
                    CoverageCase{"lan_10", {0.2, 10}, 4096, 10, gaussian5},
                    CoverageCase{"lan_outliers_10", {0.2, 10}, 4096, 10, outliers},
                    CoverageCase{"nvlink_10", {0.054, 2200}, 4096, 10, gaussian3}),
    [](const auto& c) { return std::string(c.param.name); });

// With one-sided outliers the intervals hold the line of the medians, whatever the number of
// samples: the median of 3 % of normal noise, one sample in ten times 1 to 3, is 1.00413 (root of
// its distribution, found by bisection). The undisturbed link is 0.41 % off it, so that 20 samples
// of 17 sizes hold it in about 76 % only.
TEST(FitModel, IntervalsHoldTheLineOfTheMediansAmongOutliers) {
    constexpr double kMedian = 1.00413;
    constexpr int kSeeds = 200;
    const auto sizes = detail::sizes_between(4096, 256 * detail::kMiB, 2);
    ASSERT_EQ(sizes.size(), 17U);
    for (const int repeats : {10, 20}) {
        int alpha = 0;
        int beta = 0;
        int undisturbed = 0;
        const auto holds = [](Range range, double value) {
            return range.lower <= value && value <= range.upper ? 1 : 0;
        };
        for (int seed = 0; seed < kSeeds; ++seed) {
            core::Random random(static_cast<std::uint64_t>(seed), 1);
            const LinkFit fit = fitted(draw({0.2, 10}, sizes, repeats, outliers, random), 1, 400);
            alpha += holds(fit.alpha_interval, 0.2 * kMedian);
            beta += holds(fit.beta_interval, 10 / kMedian);
            undisturbed += holds(fit.beta_interval, 10);
        }
        EXPECT_GE(alpha, 0.90 * kSeeds) << repeats;
        EXPECT_LE(alpha, 0.995 * kSeeds) << repeats;
        EXPECT_GE(beta, 0.90 * kSeeds) << repeats;
        EXPECT_LE(beta, 0.995 * kSeeds) << repeats;
        EXPECT_LT(undisturbed, beta) << repeats;
    }
}

// Two stalls in 25 samples of a link of 20 ms: means say 51 ms and r^2 0.89, and the old gate
// rejects; medians do not move.
TEST(FitModel, TwoStallsDoNotMatter) {
    core::Random random(7);
    std::vector<Point> points;
    for (const double bytes : detail::sizes_between(detail::kMiB, 16 * detail::kMiB, 2)) {
        for (int rep = 0; rep < 5; ++rep) {
            const double noise = 1 + 0.002 * detail::normal(random);
            points.push_back({bytes, detail::affine_seconds(bytes, 20, 0.19128) * noise});
        }
    }
    points[1].seconds += 0.4;
    points[16].seconds += 1.0;
    const auto groups = group_by_size(points);
    EXPECT_FALSE(fit_means(groups).accepted);
    LinkFit fit = fitted(groups, 1);
    apply_gates(fit);
    EXPECT_NEAR(fit.alpha_ms, 20, 1);
    EXPECT_NEAR(fit.beta_gbps, 0.19128, 0.01 * 0.19128);
    // One sample in five of a size says that the rate may be lower: no doubt of the line, but of
    // how well it is known.
    ASSERT_EQ(fit.findings.size(), 1U);
    EXPECT_EQ(fit.findings[0].gate, "interval");
}

// The minimum finds the idle link under one-sided noise that moves every median: 1 + exponential
// with a mean of 20 %.
TEST(FitModel, UncongestedFindsTheIdleLink) {
    core::Random random(7);
    const auto waiting = [](core::Random& r) { return 1 - 0.2 * std::log(1 - r.uniform()); };
    const auto sizes = detail::sizes_between(65'536, 64 * detail::kMiB, 2);
    const LinkFit fit = fitted(draw({50, 0.5}, sizes, 20, waiting, random), 1);
    EXPECT_NEAR(fit.uncongested_alpha_ms, 50, 0.02 * 50);
    EXPECT_NEAR(fit.uncongested_beta_gbps, 0.5, 0.02 * 0.5);
    EXPECT_GT(fit.alpha_ms, 1.08 * 50);
}

TEST(FitModel, StatisticsOfSizes) {
    const LinkFit fit = fitted(group_by_size({{100, 3}, {100, 1}, {100, 2}, {200, 4}}), 1);
    ASSERT_EQ(fit.sizes.size(), 2U);
    EXPECT_EQ(fit.sizes[0].n, 3);
    EXPECT_EQ(fit.sizes[0].seconds.min, 1);
    EXPECT_EQ(fit.sizes[0].seconds.median, 2);
    EXPECT_EQ(fit.sizes[0].seconds.max, 3);
    EXPECT_NEAR(fit.sizes[0].seconds.p90, 2.8, 1e-12);
    EXPECT_EQ(fit.sizes[1].n, 1);
    EXPECT_NEAR(fit.spread, (1.4 + 1) / 2, 1e-12);  // of 2.8 / 2 and 4 / 4
    EXPECT_NEAR(fit.max_rel_error, 0, 1e-12);       // two medians, one line
}

}  // namespace
}  // namespace longhaul::measure
