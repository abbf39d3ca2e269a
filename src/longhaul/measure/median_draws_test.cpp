#include "longhaul/measure/median_draws.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "longhaul/core/statistics.hpp"

namespace longhaul::measure {
namespace {

std::vector<double> powers_of_two(std::size_t n) {
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) {
        values[i] = std::ldexp(1.0, static_cast<int>(i));  // sums of two tell which two
    }
    return values;
}

/// Probability of every median over all n^n samples.
std::map<double, double> all_medians(const std::vector<double>& values) {
    const std::size_t n = values.size();
    const auto samples = static_cast<std::size_t>(std::llround(std::pow(n, n)));
    std::map<double, double> share;
    for (std::size_t code = 0; code < samples; ++code) {
        std::vector<double> sample;
        for (std::size_t rest = code, i = 0; i < n; ++i, rest /= n) {
            sample.push_back(values[rest % n]);
        }
        share[core::summarise(sample).median] += 1.0 / static_cast<double>(samples);
    }
    return share;
}

// The table against every bootstrap sample there is.
TEST(MedianDraws, FollowTheExactDistribution) {
    constexpr int kDraws = 200'000;
    for (std::size_t n = 1; n <= 6; ++n) {
        const std::vector<double> values = powers_of_two(n);
        const MedianDraws draws(n);
        core::Random random(7, n);
        std::map<double, int> found;
        for (int i = 0; i < kDraws; ++i) {
            ++found[draws.draw(values, random)];
        }
        const std::map<double, double> expected = all_medians(values);
        for (const auto& [median, share] : expected) {
            const double error = std::sqrt(share * (1 - share) * kDraws);
            EXPECT_NEAR(found[median], share * kDraws, 5 * error + 1) << n << ": " << median;
        }
        EXPECT_LE(found.size(), expected.size());
    }
}

// Many values: tables and samples one by one agree on the spread of medians.
TEST(MedianDraws, LargeSamplesAreResampled) {
    const auto spread = [](std::size_t n) {
        std::vector<double> values(n);
        for (std::size_t i = 0; i < n; ++i) {
            values[i] = static_cast<double>(i) / static_cast<double>(n);
        }
        const MedianDraws draws(n);
        core::Random random(7);
        std::vector<double> medians(2000);
        std::ranges::generate(medians, [&] { return draws.draw(values, random); });
        const core::Summary summary = core::summarise(medians);
        return (summary.p90 - summary.p10) * std::sqrt(static_cast<double>(n));
    };
    // Uniform values: the median's standard error is 0.5 / sqrt(n); p90 - p10 are 2.56 of them.
    EXPECT_NEAR(spread(64), 1.28, 0.1);
    EXPECT_NEAR(spread(65), 1.28, 0.1);
}

}  // namespace
}  // namespace longhaul::measure
