#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "longhaul/measure/cold.hpp"
#include "longhaul/measure/detail/test_samples.hpp"
#include "longhaul/measure/fit_model.hpp"

namespace longhaul::measure {
namespace {

/// Points of a random link under random noise.
std::vector<Point> random_points() {
    const auto seed = *rc::gen::inRange(0, 1'000'000);
    const int sizes = *rc::gen::inRange(1, 12);
    const int repeats = *rc::gen::inRange(1, 8);
    core::Random random(static_cast<std::uint64_t>(seed));
    const double alpha_ms = std::pow(10, 5 * random.uniform() - 3);
    const double beta_gbps = std::pow(10, 6 * random.uniform() - 3);
    const double noise = 0.2 * random.uniform();
    std::vector<Point> points;
    double bytes = 4096;
    for (int i = 0; i < sizes; ++i, bytes *= 2) {
        for (int k = 0; k < repeats; ++k) {
            const double factor = std::exp(noise * detail::normal(random));
            points.push_back({bytes, detail::affine_seconds(bytes, alpha_ms, beta_gbps) * factor});
        }
    }
    return points;
}

LinkFit fit_of(const std::vector<Point>& points) {
    const std::vector<SizeGroup> sizes = group_by_size(points);
    MedianTables tables;
    for (const SizeGroup& size : sizes) {
        prepare(tables, size.seconds.size());
    }
    LinkFit fit;
    fit_model(fit, sizes, {7, 1, 50, &tables});
    return fit;
}

void near(double found, double expected) {
    RC_ASSERT(std::abs(found - expected) <= 1e-6 * std::abs(expected) + 1e-9);
}

// Time in other units, or sizes in other units: alpha and beta scale, nothing else changes. Powers
// of two scale without rounding.
RC_GTEST_PROP(Fit, ScalesWithItsUnits, ()) {
    const std::vector<Point> points = random_points();
    std::vector<Point> scaled = points;
    for (Point& point : scaled) {
        point.seconds *= 4;
        point.bytes *= 16;
    }
    const LinkFit a = fit_of(points);
    const LinkFit b = fit_of(scaled);
    RC_PRE(b.beta_interval.upper < 1e9);  // the largest rate that there is does not scale
    RC_ASSERT(a.segments.size() == b.segments.size());
    near(b.alpha_ms, 4 * a.alpha_ms);
    near(b.beta_gbps, 4 * a.beta_gbps);
    near(b.alpha_interval.upper, 4 * a.alpha_interval.upper);
    near(b.max_rel_error, a.max_rel_error);
    near(b.spread, a.spread);
}

RC_GTEST_PROP(Fit, OrderOfSamplesDoesNotMatter, ()) {
    std::vector<Point> points = random_points();
    const LinkFit a = fit_of(points);
    core::Random random(static_cast<std::uint64_t>(*rc::gen::inRange(0, 1000)));
    random.shuffle(std::span<Point>(points));
    const LinkFit b = fit_of(points);
    RC_ASSERT(a.alpha_ms == b.alpha_ms && a.beta_gbps == b.beta_gbps);
    RC_ASSERT(a.beta_interval.lower == b.beta_interval.lower);
}

// Whatever the samples: segments cover the sizes in order, rates are positive and finite, the first
// start-up is not negative, intervals hold their estimates.
RC_GTEST_PROP(Fit, HoldsItsPromises, ()) {
    const LinkFit fit = fit_of(random_points());
    RC_ASSERT(!fit.segments.empty() && fit.segments.size() <= 3U);
    RC_ASSERT(fit.segments.front().alpha_ms >= 0);
    RC_ASSERT(fit.segments.front().from_bytes == fit.sizes.front().bytes);
    RC_ASSERT(fit.segments.back().to_bytes == fit.sizes.back().bytes);
    for (std::size_t i = 0; i < fit.segments.size(); ++i) {
        const Segment& segment = fit.segments[i];
        RC_ASSERT(segment.beta_gbps > 0 && std::isfinite(segment.beta_gbps));
        RC_ASSERT(segment.beta_interval.lower <= segment.beta_gbps);
        RC_ASSERT(segment.beta_interval.upper >= segment.beta_gbps);
        RC_ASSERT(segment.alpha_interval.lower <= segment.alpha_ms);
        RC_ASSERT(segment.alpha_interval.upper >= segment.alpha_ms);
        const bool apart = i == 0 || fit.segments[i - 1].to_bytes < segment.from_bytes;
        RC_ASSERT(apart);
    }
    for (const SizeStatistics& size : fit.sizes) {
        RC_ASSERT(cost_of(fit, size.bytes).value() >= 0);
    }
}

// A cold message is never cheaper than a warm one, and larger ones never cheaper than smaller.
RC_GTEST_PROP(Cold, IsMonotoneAndDearerThanWarm, ()) {
    const double rtt = 1e-3 * *rc::gen::inRange(0, 400);
    const double gbps = 0.01 * *rc::gen::inRange(1, 1000);
    const double bytes = *rc::gen::inRange(0, 100'000'000);
    const auto cold = [&](double n) {
        return cold_seconds(n, core::Seconds(rtt), core::GbitPerSecond(gbps)).value();
    };
    RC_ASSERT(cold(bytes) >= detail::affine_seconds(bytes, rtt * 1e3, gbps) * (1 - 1e-12));
    RC_ASSERT(cold(bytes + 1000) >= cold(bytes));
}

}  // namespace
}  // namespace longhaul::measure
