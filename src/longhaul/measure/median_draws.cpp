#include "longhaul/measure/median_draws.hpp"

#include <algorithm>

#include "longhaul/core/assert.hpp"
#include "longhaul/core/statistics.hpp"

namespace longhaul::measure {
namespace {

constexpr double kWords = 4294967296.0;  // 2^32

/// base^exponent by multiplication only, so that every machine gets the same bits.
double power(double base, std::size_t exponent) {
    double result = 1;
    for (; exponent > 0; --exponent) {
        result *= base;
    }
    return result;
}

double choose(std::size_t n, std::size_t k) {
    double result = 1;
    for (std::size_t i = 1; i <= k; ++i) {
        result = result * static_cast<double>(n - k + i) / static_cast<double>(i);
    }
    return result;
}

/// P(at least m of n draws are among the first i of n values).
double at_least(std::size_t n, std::size_t m, std::size_t i) {
    const double p = static_cast<double>(i) / static_cast<double>(n);
    double sum = 0;
    for (std::size_t k = m; k <= n; ++k) {
        sum += choose(n, k) * power(p, k) * power(1 - p, n - k);
    }
    return sum;
}

/// P(the m-th smallest is value i), m from 1, i from 0.
double order_weight(std::size_t n, std::size_t m, std::size_t i) {
    return at_least(n, m, i + 1) - at_least(n, m, i);
}

/// P(the m-th smallest is value i and the next is value j) for i < j and n = 2 m: m draws reach up
/// to i exactly, the other m begin at j exactly.
double joint_weight(std::size_t n, std::size_t m, std::size_t i, std::size_t j) {
    const auto share = [n](std::size_t values) {
        return static_cast<double>(values) / static_cast<double>(n);
    };
    return choose(n, m) * (power(share(i + 1), m) - power(share(i), m)) *
           (power(share(n - j), m) - power(share(n - j - 1), m));
}

double resampled_median(std::span<const double> values, core::Random& random) {
    std::vector<double> drawn(values.size());
    std::ranges::generate(drawn, [&] { return values[random.index(values.size())]; });
    std::ranges::sort(drawn);
    return core::quantile(drawn, 0.5);
}

}  // namespace

MedianDraws::MedianDraws(std::size_t n) : n_(n) {
    LONGHAUL_ASSERT(n >= 1);
    if (n > kLargestTable) {
        return;
    }
    std::vector<Cell> outcomes;
    std::vector<double> weights;
    const auto outcome = [&](std::size_t low, std::size_t high, double weight) {
        if (weight > 0) {
            outcomes.push_back({static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(high)});
            weights.push_back(weight);
        }
    };
    const std::size_t m = (n + 1) / 2;
    for (std::size_t i = 0; i < n; ++i) {
        double rest = order_weight(n, m, i);
        for (std::size_t j = i + 1; n % 2 == 0 && j < n; ++j) {
            const double weight = joint_weight(n, m, i, j);
            outcome(i, j, weight);
            rest -= weight;
        }
        outcome(i, i, rest);
    }
    build(outcomes, weights);
}

void MedianDraws::build(const std::vector<Cell>& outcomes, const std::vector<double>& weights) {
    double total = 0;
    for (const double weight : weights) {
        total += weight;
    }
    std::vector<double> height(weights.size());
    std::vector<std::size_t> small;
    std::vector<std::size_t> large;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        height[i] = weights[i] / total * static_cast<double>(weights.size());
        (height[i] < 1 ? small : large).push_back(i);
    }
    cells_ = outcomes;
    for (Cell& cell : cells_) {
        cell.other_low = cell.low;
        cell.other_high = cell.high;
    }
    while (!small.empty() && !large.empty()) {
        const std::size_t under = small.back();
        const std::size_t over = large.back();
        small.pop_back();
        cells_[under].threshold = static_cast<std::uint32_t>(height[under] * kWords);
        cells_[under].other_low = outcomes[over].low;
        cells_[under].other_high = outcomes[over].high;
        height[over] -= 1 - height[under];
        if (height[over] < 1) {
            large.pop_back();
            small.push_back(over);
        }
    }
}

double MedianDraws::draw(std::span<const double> ascending, core::Random& random) const {
    LONGHAUL_ASSERT_NORMAL(ascending.size() == n_);
    if (cells_.empty()) {
        return resampled_median(ascending, random);
    }
    const std::uint64_t product = std::uint64_t{random.next()} * cells_.size();
    const Cell& cell = cells_[product >> 32U];
    const bool own = static_cast<std::uint32_t>(product) < cell.threshold;
    return (ascending[own ? cell.low : cell.other_low] +
            ascending[own ? cell.high : cell.other_high]) /
           2;
}

void prepare(MedianTables& tables, std::size_t n) {
    if (!tables.contains(n)) {
        tables.emplace(n, MedianDraws(n));
    }
}

}  // namespace longhaul::measure
