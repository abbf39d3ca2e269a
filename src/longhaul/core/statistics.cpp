#include "longhaul/core/statistics.hpp"

#include <algorithm>
#include <cmath>

#include "longhaul/core/assert.hpp"

namespace longhaul::core {

double quantile(std::span<const double> sorted, double q) {
    LONGHAUL_ASSERT(!sorted.empty() && q >= 0 && q <= 1);
    const double at = q * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(std::floor(at));
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double median(std::vector<double> samples) {
    std::ranges::sort(samples);
    return quantile(samples, 0.5);
}

Summary summarise(std::vector<double> samples) {
    LONGHAUL_ASSERT(!samples.empty());
    std::ranges::sort(samples);
    return {samples.front(),
            quantile(samples, 0.1),
            quantile(samples, 0.5),
            quantile(samples, 0.9),
            samples.back()};
}

}  // namespace longhaul::core
