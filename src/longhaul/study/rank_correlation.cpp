#include "longhaul/study/rank_correlation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "longhaul/core/assert.hpp"
#include "longhaul/core/random.hpp"
#include "longhaul/core/statistics.hpp"

namespace longhaul::study {
namespace {

/// Ranks from 0, equal values at the mean of theirs.
std::vector<double> mean_ranks(std::span<const double> values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
    std::vector<double> ranks(values.size());
    for (std::size_t begin = 0; begin < order.size();) {
        std::size_t end = begin + 1;
        while (end < order.size() && values[order[end]] == values[order[begin]]) {
            ++end;
        }
        const double rank = static_cast<double>(begin + end - 1) / 2;
        for (std::size_t k = begin; k < end; ++k) {
            ranks[order[k]] = rank;
        }
        begin = end;
    }
    return ranks;
}

int sign(double difference) {
    return static_cast<int>(difference > 0) - static_cast<int>(difference < 0);
}

}  // namespace

std::optional<double> kendall_tau(std::span<const double> x, std::span<const double> y) {
    LONGHAUL_ASSERT(x.size() == y.size());
    long long agreement = 0;
    long long apart_x = 0;
    long long apart_y = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        for (std::size_t j = i + 1; j < x.size(); ++j) {
            const int in_x = sign(x[i] - x[j]);
            const int in_y = sign(y[i] - y[j]);
            agreement += in_x * in_y;
            apart_x += in_x != 0 ? 1 : 0;
            apart_y += in_y != 0 ? 1 : 0;
        }
    }
    if (apart_x == 0 || apart_y == 0) {
        return std::nullopt;
    }
    return static_cast<double>(agreement) /
           std::sqrt(static_cast<double>(apart_x) * static_cast<double>(apart_y));
}

std::optional<double> spearman_rho(std::span<const double> x, std::span<const double> y) {
    LONGHAUL_ASSERT(x.size() == y.size());
    const std::vector<double> in_x = mean_ranks(x);
    const std::vector<double> in_y = mean_ranks(y);
    const double middle = (static_cast<double>(x.size()) - 1) / 2;
    double both = 0;
    double spread_x = 0;
    double spread_y = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        both += (in_x[i] - middle) * (in_y[i] - middle);
        spread_x += (in_x[i] - middle) * (in_x[i] - middle);
        spread_y += (in_y[i] - middle) * (in_y[i] - middle);
    }
    if (spread_x == 0 || spread_y == 0) {
        return std::nullopt;
    }
    return both / std::sqrt(spread_x * spread_y);
}

std::optional<double> chance_of_tau(std::span<const double> x, std::span<const double> y) {
    constexpr double kSumRounding = 1e-12;
    const std::optional<double> reached = kendall_tau(x, y);
    if (!reached || x.size() > kMostPermuted) {
        return std::nullopt;
    }
    std::vector<std::size_t> order(y.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<double> drawn(y.size());
    double all = 0;
    double as_good = 0;
    do {
        std::ranges::transform(order, drawn.begin(), [&](std::size_t i) { return y[i]; });
        all += 1;
        as_good += kendall_tau(x, drawn).value_or(-1) >= *reached - kSumRounding ? 1 : 0;
    } while (std::ranges::next_permutation(order).found);
    return as_good / all;
}

std::optional<CorrelationInterval> bootstrap_interval(std::span<const double> x,
                                                      std::span<const double> y,
                                                      const Correlation& correlation,
                                                      int draws,
                                                      std::uint64_t seed,
                                                      double level) {
    LONGHAUL_ASSERT(x.size() == y.size());
    constexpr std::size_t kFewest = 3;
    if (x.size() < kFewest) {
        return std::nullopt;
    }
    core::Random random(seed);
    std::vector<double> found;
    std::vector<double> drawn_x(x.size());
    std::vector<double> drawn_y(y.size());
    for (int draw = 0; draw < draws; ++draw) {
        for (std::size_t i = 0; i < x.size(); ++i) {
            const std::size_t from = random.index(x.size());
            drawn_x[i] = x[from];
            drawn_y[i] = y[from];
        }
        if (const auto value = correlation(drawn_x, drawn_y)) {
            found.push_back(*value);
        }
    }
    if (2 * found.size() < static_cast<std::size_t>(draws)) {
        return std::nullopt;
    }
    std::ranges::sort(found);
    const double tail = (1 - level) / 2;
    return CorrelationInterval{core::quantile(found, tail), core::quantile(found, 1 - tail)};
}

}  // namespace longhaul::study
