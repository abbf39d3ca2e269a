#include "longhaul/report/axis.hpp"

#include <cmath>

#include <fmt/format.h>

#include "longhaul/core/assert.hpp"

namespace longhaul::report {
namespace {

constexpr double kMargin = 1e-9;  // a tick at the very end of the axis belongs to it

double scaled(const Axis& axis, double value) {
    return axis.logarithmic ? std::log10(value) : value;
}

/// Ends of the axis on its scale: half a step beyond the outer values.
struct Range {
    double low = 0;
    double high = 1;
    [[nodiscard]] double share(double at) const { return (at - low) / (high - low); }
    [[nodiscard]] bool holds(double at) const {
        return share(at) >= -kMargin && share(at) <= 1 + kMargin;
    }
};

Range range_of(const Axis& axis) {
    const std::size_t n = axis.values.size();
    LONGHAUL_ASSERT(n > 0);
    const auto at = [&](std::size_t i) { return scaled(axis, axis.values[i]); };
    if (n == 1) {
        return {at(0) - 0.5, at(0) + 0.5};
    }
    return {at(0) - (at(1) - at(0)) / 2, at(n - 1) + (at(n - 1) - at(n - 2)) / 2};
}

std::vector<Tick> logarithmic_ticks(const Range& range) {
    const int first = static_cast<int>(std::floor(range.low)) - 1;
    const int last = static_cast<int>(std::ceil(range.high));
    const bool wide = range.high - range.low > 3.5;  // then powers of ten are enough
    std::vector<Tick> found;
    for (int power = first; power <= last; ++power) {
        for (int digit = 1; digit <= 9; ++digit) {
            const double value = digit * std::pow(10.0, power);
            if (!range.holds(std::log10(value))) {
                continue;
            }
            const bool named = digit == 1 || (!wide && (digit == 2 || digit == 5));
            found.push_back({range.share(std::log10(value)),
                             named ? fmt::format("{:g}", value) : std::string()});
        }
    }
    return found;
}

std::vector<Tick> linear_ticks(const Range& range) {
    const double rough = (range.high - range.low) / 6;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    const double step = rough > 5 * power ? 10 * power : rough > 2 * power ? 5 * power : 2 * power;
    std::vector<Tick> found;
    for (double k = std::ceil(range.low / step - kMargin); range.holds(k * step); ++k) {
        found.push_back({range.share(k * step), fmt::format("{:.6g}", k == 0 ? 0.0 : k * step)});
    }
    return found;
}

}  // namespace

std::vector<double> cell_edges(const Axis& axis) {
    const Range range = range_of(axis);
    std::vector<double> edges{0};
    for (std::size_t i = 1; i < axis.values.size(); ++i) {
        edges.push_back(
            range.share((scaled(axis, axis.values[i - 1]) + scaled(axis, axis.values[i])) / 2));
    }
    edges.push_back(1);
    return edges;
}

std::vector<Tick> ticks(const Axis& axis) {
    return axis.logarithmic ? logarithmic_ticks(range_of(axis)) : linear_ticks(range_of(axis));
}

}  // namespace longhaul::report
