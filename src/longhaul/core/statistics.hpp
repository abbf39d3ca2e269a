// Order statistics of samples.
#pragma once

#include <span>
#include <vector>

namespace longhaul::core {

/// Quantile q in [0, 1] of ascending values by linear interpolation between order statistics
/// (Hyndman and Fan, 1996, type 7). `sorted` must not be empty.
[[nodiscard]] double quantile(std::span<const double> sorted, double q);

/// Quantile 0.5; `samples` must not be empty. O(n log n).
[[nodiscard]] double median(std::vector<double> samples);

/// What is reported of a sample.
struct Summary {
    double min = 0, p10 = 0, median = 0, p90 = 0, max = 0;
};

/// Five order statistics; `samples` must not be empty. O(n log n).
[[nodiscard]] Summary summarise(std::vector<double> samples);

}  // namespace longhaul::core
