#include "longhaul/measure/design.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "longhaul/core/random.hpp"

namespace longhaul::measure {
namespace {

/// Covariances of the candidates that are left after some are measured.
class Remaining {
public:
    Remaining(const PairKernel& kernel, const std::vector<SitePair>& pairs)
        : noise_(kernel.scales().noise * kernel.scales().noise),
          covariance_(pairs.size(), pairs.size()) {
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            for (std::size_t j = 0; j <= i; ++j) {
                covariance_(i, j) = covariance_(j, i) = kernel(pairs[i], pairs[j]);
            }
        }
    }

    /// How much the total variance falls when x is measured.
    [[nodiscard]] double gain(std::size_t x) const {
        double sum = 0;
        for (const double value : covariance_.row(x)) {
            sum += value * value;
        }
        return sum / (covariance_(x, x) + noise_);
    }

    void measure(std::size_t x) {
        const std::vector<double> row(covariance_.row(x).begin(), covariance_.row(x).end());
        const double scale = 1 / (row[x] + noise_);
        for (std::size_t i = 0; i < row.size(); ++i) {
            const double factor = row[i] * scale;
            const auto target = covariance_.row(i);
            for (std::size_t j = 0; j < row.size(); ++j) {
                target[j] -= factor * row[j];
            }
        }
    }

private:
    double noise_;
    core::Grid<double> covariance_;
};

/// Measured pairs first, then others, in the order of their draw.
std::vector<SitePair> candidate_pairs(const core::Grid<char>& measured,
                                      std::size_t most,
                                      std::uint64_t seed) {
    std::vector<SitePair> known;
    std::vector<SitePair> open;
    for (std::size_t i = 0; i < measured.rows(); ++i) {
        for (std::size_t j = 0; j < measured.rows(); ++j) {
            if (i != j) {
                (measured(i, j) != 0 ? known : open).push_back({i, j});
            }
        }
    }
    core::Random random(seed);
    random.shuffle(std::span(known));
    random.shuffle(std::span(open));
    known.resize(std::min(known.size(), most / 2));
    open.resize(std::min(open.size(), most - known.size()));
    known.insert(known.end(), open.begin(), open.end());
    return known;
}

/// An estimated pair and what its interval adds to the cost's interval.
struct Uncertain {
    SitePair pair;
    double width = 0;
};

}  // namespace

std::vector<SitePair> design_pairs(const std::vector<std::string>& classes,
                                   const core::Grid<double>& rtt_ms,
                                   const core::Grid<char>& measured,
                                   std::size_t count,
                                   const KernelScales& scales,
                                   std::size_t max_candidates,
                                   std::uint64_t seed) {
    const PairKernel kernel(classes, rtt_ms, scales);
    const std::vector<SitePair> pairs = candidate_pairs(measured, max_candidates, seed);
    Remaining remaining(kernel, pairs);
    std::vector<char> open(pairs.size(), 1);
    for (std::size_t x = 0; x < pairs.size(); ++x) {
        if (measured(pairs[x].from, pairs[x].to) != 0) {
            remaining.measure(x);
            open[x] = 0;
        }
    }
    std::vector<SitePair> chosen;
    while (chosen.size() < count) {
        std::size_t best = pairs.size();
        double most = 0;
        for (std::size_t x = 0; x < pairs.size(); ++x) {
            const double gain = open[x] != 0 ? remaining.gain(x) : 0;
            if (gain > most) {
                most = gain;
                best = x;
            }
        }
        if (best == pairs.size()) {
            break;
        }
        remaining.measure(best);
        open[best] = 0;
        chosen.push_back(pairs[best]);
    }
    return chosen;
}

NextPairs next_pairs(const Completion& known,
                     const core::Grid<double>& importance,
                     std::size_t count,
                     double tolerance) {
    const std::size_t n = known.beta_gbps.rows();
    LONGHAUL_ASSERT(importance.rows() == n && importance.columns() == n);
    NextPairs next;
    const bool anything = std::ranges::any_of(importance.cells(), [](double w) { return w > 0; });
    std::vector<Uncertain> open;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            const double weight = i == j ? 0 : (anything ? importance(i, j) : 1.0);
            if (weight <= 0) {
                continue;
            }
            next.cost += weight / known.beta_gbps(i, j);
            next.lower += weight / known.upper(i, j);
            next.upper += weight / known.lower(i, j);
            if (known.upper(i, j) > known.lower(i, j)) {
                open.push_back({{i, j}, weight * (1 / known.lower(i, j) - 1 / known.upper(i, j))});
            }
        }
    }
    double width = next.upper - next.lower;
    next.relative_width = next.cost > 0 ? width / (2 * next.cost) : 0;
    next.enough = next.relative_width <= tolerance;
    std::ranges::stable_sort(open, std::ranges::greater(), &Uncertain::width);
    for (const Uncertain& pair : open) {
        if (next.pairs.size() >= count || width <= 2 * tolerance * next.cost) {
            break;
        }
        next.pairs.push_back(pair.pair);
        width -= pair.width;
    }
    return next;
}

}  // namespace longhaul::measure
