#include "longhaul/measure/blocks.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "longhaul/core/statistics.hpp"

namespace longhaul::measure {
namespace {

constexpr double kChange = 0.10;        // between medians of blocks
constexpr double kStandardErrors = 3;   // of their difference
constexpr std::size_t kFewest = 3;      // samples of a block that is compared
constexpr double kIqrOfNormal = 1.349;  // interquartile range / standard deviation
constexpr double kErrorOfMedian = 1.2533;

using Ratios = std::map<int, std::vector<double>>;  // by block, ascending

/// Every sample over the median of its size.
Ratios ratios_of(std::span<const Sample* const> samples) {
    std::map<double, std::vector<double>> by_size;
    for (const Sample* sample : samples) {
        by_size[sample->bytes].push_back(sample->elapsed_s);
    }
    std::map<double, double> medians;
    for (auto& [bytes, seconds] : by_size) {
        std::ranges::sort(seconds);
        medians[bytes] = core::quantile(seconds, 0.5);
    }
    Ratios ratios;
    for (const Sample* sample : samples) {
        ratios[sample->block].push_back(sample->elapsed_s / medians[sample->bytes]);
    }
    for (auto& [block, values] : ratios) {
        std::ranges::sort(values);
    }
    return ratios;
}

/// Square of the standard error of the median.
double variance(const std::vector<double>& ascending) {
    const double range = core::quantile(ascending, 0.75) - core::quantile(ascending, 0.25);
    const double error = kErrorOfMedian * range / kIqrOfNormal;
    return error * error / static_cast<double>(ascending.size());
}

bool apart(const std::vector<double>& a, const std::vector<double>& b) {
    const double from = core::quantile(a, 0.5);
    const double to = core::quantile(b, 0.5);
    const double change = std::abs(to - from);
    return change > kChange * std::min(from, to) &&
           change > kStandardErrors * std::sqrt(variance(a) + variance(b));
}

}  // namespace

std::vector<BlockMedian> block_medians(std::span<const Sample* const> samples) {
    std::vector<BlockMedian> medians;
    for (const auto& [block, values] : ratios_of(samples)) {
        medians.push_back({block, static_cast<int>(values.size()), core::quantile(values, 0.5)});
    }
    return medians;
}

bool differ(std::span<const Sample* const> samples) {
    std::vector<std::vector<double>> blocks;
    for (auto& [block, values] : ratios_of(samples)) {
        if (values.size() >= kFewest) {
            blocks.push_back(values);
        }
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        for (std::size_t j = i + 1; j < blocks.size(); ++j) {
            if (apart(blocks[i], blocks[j])) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace longhaul::measure
