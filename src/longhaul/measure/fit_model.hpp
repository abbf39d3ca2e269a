// The numbers of one fit: segments, intervals, errors. Knows times at sizes, not what they are of.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "longhaul/measure/link_fit.hpp"
#include "longhaul/measure/median_draws.hpp"
#include "longhaul/measure/relative_line.hpp"

namespace longhaul::measure {

/// All times of one message size.
struct SizeGroup {
    double bytes = 0;
    std::vector<double> seconds;  ///< ascending, each > 0; at least one
};

/// Groups by size, ascending. O(points log points).
[[nodiscard]] std::vector<SizeGroup> group_by_size(std::vector<Point> points);

/// How intervals are made. `tables` must hold every number of samples that occurs.
struct Bootstrap {
    std::uint64_t seed = 7;
    std::uint64_t stream = 0;
    int resamples = 1000;
    const MedianTables* tables = nullptr;
};

/// A stream of random numbers by name, so that a fit does not depend on which others are made:
/// 64-bit FNV-1a.
[[nodiscard]] std::uint64_t stream_of(std::string_view key);

/// The relative error that the median of every size is expected to have: 3 %, to which no line is
/// held, and the standard error of the median. That is the larger of two: by the spread of all
/// samples about their medians, and by order statistics of the size alone (McKean and Schrader,
/// 1984), so that a size with few samples and stalls counts little.
[[nodiscard]] std::vector<double> expected_errors(const std::vector<SizeGroup>& sizes);

/// Fills alpha, beta, intervals, segments, the uncongested estimate, max_rel_error, spread and
/// sizes. O(samples + sizes^2 + sizes x resamples).
void fit_model(LinkFit& fit, const std::vector<SizeGroup>& sizes, const Bootstrap& bootstrap);

}  // namespace longhaul::measure
