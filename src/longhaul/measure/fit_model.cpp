#include "longhaul/measure/fit_model.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "longhaul/core/assert.hpp"
#include "longhaul/core/statistics.hpp"
#include "longhaul/measure/segmentation.hpp"

namespace longhaul::measure {
namespace {

using Sizes = std::span<const SizeGroup>;

constexpr double kTolerance = 0.03;         // error below which a line is good enough
constexpr double kMadOfNormal = 1.4826;     // standard deviation / median absolute deviation
constexpr double kMedianOfNormal = 1.2533;  // standard error of a median / of a mean
constexpr double kNormal95 = 1.96;
constexpr double kCaution =
    2;  // standard errors that count as one: a false split costs more than a missed one
constexpr double kTail = 0.025;  // on each side of a 95 % interval
constexpr double kMsPerSecond = 1000;

double middle(const SizeGroup& size) {
    return core::quantile(size.seconds, 0.5);
}

std::vector<Point> medians_of(Sizes sizes) {
    std::vector<Point> points;
    points.reserve(sizes.size());
    for (const SizeGroup& size : sizes) {
        points.push_back({size.bytes, middle(size)});
    }
    return points;
}

/// Quantile q of values in any order. O(n).
double quantile_of(std::vector<double>& values, double q) {
    const double at = q * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::ptrdiff_t>(std::floor(at));
    const auto nth = values.begin() + below;
    std::ranges::nth_element(values, nth);
    if (nth + 1 == values.end()) {
        return *nth;
    }
    return *nth + (at - std::floor(at)) * (*std::min_element(nth + 1, values.end()) - *nth);
}

/// 95 % of the values, and the estimate itself: of samples in two clusters it may lie outside.
Range percentiles(std::vector<double>& values, double estimate) {
    return {std::min(quantile_of(values, kTail), estimate),
            std::max(quantile_of(values, 1 - kTail), estimate)};
}

/// Standard deviation of the samples about the medians of their sizes, relative; robust.
double pooled_deviation(const std::vector<SizeGroup>& sizes) {
    std::vector<double> deviations;
    double groups = 0;
    for (const SizeGroup& size : sizes) {
        const double median = middle(size);
        for (std::size_t i = 0; size.seconds.size() > 1 && i < size.seconds.size(); ++i) {
            deviations.push_back(std::abs(size.seconds[i] / median - 1));
        }
        groups += size.seconds.size() > 1 ? 1 : 0;
    }
    if (deviations.empty()) {
        return 0;
    }
    const double samples = static_cast<double>(deviations.size());
    return kMadOfNormal * quantile_of(deviations, 0.5) * samples / (samples - groups);
}

/// Standard error of the median of one size, relative, from the ends of its 95 % interval.
double own_error(const SizeGroup& size) {
    const double n = static_cast<double>(size.seconds.size());
    const double below = std::max(1.0, std::round((n + 1) / 2 - kNormal95 * std::sqrt(n / 4)));
    const auto rank = static_cast<std::size_t>(below) - 1;
    const double width = size.seconds[size.seconds.size() - 1 - rank] - size.seconds[rank];
    return width / (2 * kNormal95) / middle(size);
}

/// Lines through medians of resampled samples, sizes and segment as given.
void add_intervals(Segment& segment,
                   Sizes sizes,
                   bool start_up,
                   const Bootstrap& bootstrap,
                   core::Random& random) {
    std::vector<const MedianDraws*> draws;
    for (const SizeGroup& size : sizes) {
        draws.push_back(&bootstrap.tables->at(size.seconds.size()));
    }
    std::vector<double> alphas;
    std::vector<double> betas;
    for (int resample = 0; resample < bootstrap.resamples; ++resample) {
        LineSums sums;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            sums.add({sizes[i].bytes, draws[i]->draw(sizes[i].seconds, random)});
        }
        const Line line = relative_line(sums, start_up);
        alphas.push_back(line.seconds * kMsPerSecond);
        betas.push_back(gbps_of(line));
    }
    segment.alpha_interval = percentiles(alphas, segment.alpha_ms);
    segment.beta_interval = percentiles(betas, segment.beta_gbps);
}

void add_sizes(LinkFit& fit, Sizes sizes) {
    std::vector<double> tails;
    for (const SizeGroup& size : sizes) {
        const core::Summary summary = core::summarise(size.seconds);
        fit.sizes.push_back({size.bytes, static_cast<int>(size.seconds.size()), summary});
        tails.push_back(summary.p90 / summary.median);
    }
    fit.spread = quantile_of(tails, 0.5);
}

/// The line through the minima of the sizes of the last segment.
void add_uncongested(LinkFit& fit, Sizes sizes, bool start_up) {
    LineSums sums;
    for (const SizeGroup& size : sizes) {
        sums.add({size.bytes, size.seconds.front()});
    }
    const Line line = relative_line(sums, start_up);
    fit.uncongested_alpha_ms = line.seconds * kMsPerSecond;
    fit.uncongested_beta_gbps = gbps_of(line);
}

}  // namespace

std::vector<SizeGroup> group_by_size(std::vector<Point> points) {
    std::ranges::sort(points, [](const Point& a, const Point& b) {
        return a.bytes != b.bytes ? a.bytes < b.bytes : a.seconds < b.seconds;
    });
    std::vector<SizeGroup> sizes;
    for (const Point& point : points) {
        if (sizes.empty() || sizes.back().bytes != point.bytes) {
            sizes.push_back({point.bytes, {}});
        }
        sizes.back().seconds.push_back(point.seconds);
    }
    return sizes;
}

std::uint64_t stream_of(std::string_view key) {
    std::uint64_t hash = 14695981039346656037U;
    for (const char c : key) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    }
    return hash;
}

std::vector<double> expected_errors(const std::vector<SizeGroup>& sizes) {
    const double deviation = pooled_deviation(sizes);
    std::vector<double> errors;
    errors.reserve(sizes.size());
    for (const SizeGroup& size : sizes) {
        const double n = static_cast<double>(size.seconds.size());
        const double pooled = kMedianOfNormal * deviation / std::sqrt(n);

        errors.push_back(std::hypot(kTolerance, kCaution * std::max(pooled, own_error(size))));
    }
    return errors;
}

void fit_model(LinkFit& fit, const std::vector<SizeGroup>& sizes, const Bootstrap& bootstrap) {
    LONGHAUL_ASSERT(!sizes.empty() && bootstrap.tables != nullptr && bootstrap.resamples >= 1);
    const std::vector<Point> points = medians_of(sizes);
    core::Random random(bootstrap.seed, bootstrap.stream);
    fit.max_rel_error = 0;
    for (const LineSegment& part : divide(points, expected_errors(sizes))) {
        const Sizes inside = Sizes(sizes).subspan(part.first, part.last - part.first);
        const bool start_up = part.first == 0;
        Segment segment;
        segment.from_bytes = inside.front().bytes;
        segment.to_bytes = inside.back().bytes;
        segment.alpha_ms = part.line.seconds * kMsPerSecond;
        segment.beta_gbps = gbps_of(part.line);
        add_intervals(segment, inside, start_up, bootstrap, random);
        for (std::size_t i = part.first; i < part.last; ++i) {
            fit.max_rel_error = std::max(
                fit.max_rel_error, std::abs(part.line.at(points[i].bytes) / points[i].seconds - 1));
        }
        add_uncongested(fit, inside, start_up);
        fit.segments.push_back(segment);
    }
    const Segment& last = fit.segments.back();
    fit.alpha_ms = last.alpha_ms;
    fit.beta_gbps = last.beta_gbps;
    fit.alpha_interval = last.alpha_interval;
    fit.beta_interval = last.beta_interval;
    add_sizes(fit, sizes);
}

}  // namespace longhaul::measure
