// Whether two lists of numbers put things in the same order.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace longhaul::study {

/// Kendall's tau-b of pairs (x_i, y_i): concordant less discordant pairs, over the geometric mean
/// of the pairs that are not tied in x and not tied in y (Kendall, 1945). From -1 to 1; nothing
/// when one list is constant. Equal lengths. O(n^2), meant for some hundred points.
[[nodiscard]] std::optional<double> kendall_tau(std::span<const double> x,
                                                std::span<const double> y);

/// Spearman's rho: Pearson's correlation of the ranks, ties at their mean rank. O(n log n).
[[nodiscard]] std::optional<double> spearman_rho(std::span<const double> x,
                                                 std::span<const double> y);

/// The chance that a ranking drawn at random reaches this Kendall's tau: the share of all orders of
/// y whose tau is at least that of y as it stands (exact permutation test). Nothing when one list
/// is constant or with more than kMostPermuted points. O(n! n^2).
inline constexpr std::size_t kMostPermuted = 8;
[[nodiscard]] std::optional<double> chance_of_tau(std::span<const double> x,
                                                  std::span<const double> y);

struct CorrelationInterval {
    double lower = 0;
    double upper = 0;
};

using Correlation =
    std::function<std::optional<double>(std::span<const double>, std::span<const double>)>;

/// Interval that holds `level` of the correlations of `draws` resamples of the pairs with
/// replacement (percentile bootstrap; Efron, 1979). Resamples without a correlation are left out;
/// nothing when fewer than half of them have one, or with fewer than three points.
[[nodiscard]] std::optional<CorrelationInterval> bootstrap_interval(std::span<const double> x,
                                                                    std::span<const double> y,
                                                                    const Correlation& correlation,
                                                                    int draws,
                                                                    std::uint64_t seed,
                                                                    double level = 0.95);

}  // namespace longhaul::study
