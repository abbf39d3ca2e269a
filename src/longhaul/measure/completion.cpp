#include "longhaul/measure/completion.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "longhaul/core/random.hpp"
#include "longhaul/core/statistics.hpp"
#include "longhaul/measure/detail/pair_regression.hpp"

namespace longhaul::measure {
namespace {

using detail::LowRank;
using detail::PairPrediction;
using detail::PairRegression;

constexpr std::size_t kLeastMeasurements = 4;
constexpr double kCappedError = 1;  // a pair that is e times off counts like one worse
constexpr std::size_t kFolds = 5;
constexpr int kMaxRank = 2;
constexpr double kFactorsMustSave = 0.95;  // of the error, else they are not worth it

struct Candidate {
    std::string name;
    KernelScales scales;
};

/// Which worlds are tried: distances matter; only providers and hosts matter; hosts differ much;
/// measurements agree closely.
std::vector<Candidate> candidates() {
    const KernelScales plain;
    KernelScales hosts = plain;
    hosts.out = hosts.in = 0.3;
    KernelScales far = plain;
    far.distance *= 2;
    KernelScales curves = plain;
    curves.near = curves.near_class_pair = curves.both_ways = 0;
    KernelScales flat = hosts;
    flat.near = flat.near_class_pair = 0;
    KernelScales exact = hosts;
    exact.noise = 0.05;
    return {{"geography", plain},
            {"geography, wide", far},
            {"curves", curves},
            {"geography and hosts", hosts},
            {"hosts", flat},
            {"geography and hosts, little noise", exact}};
}

/// The measured pairs that the regression uses.
struct Measurements {
    std::vector<SitePair> pairs;
    std::vector<double> log_beta;
};

Measurements measurements_of(const CompletionInput& input, const CompletionOptions& options) {
    const std::size_t n = input.beta_gbps.rows();
    std::vector<SitePair> all;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            if (i != j && input.beta_gbps(i, j) > 0) {
                all.push_back({i, j});
            }
        }
    }
    if (all.size() > options.max_measurements) {
        core::Random random(options.seed);
        random.shuffle(std::span(all));
        all.resize(options.max_measurements);
        std::ranges::sort(all);
    }
    Measurements used{std::move(all), {}};
    for (const SitePair& pair : used.pairs) {
        used.log_beta.push_back(std::log(input.beta_gbps(pair.from, pair.to)));
    }
    return used;
}

double capped_error(const std::vector<double>& errors) {
    double sum = 0;
    for (const double error : errors) {
        sum += std::min(std::abs(error), kCappedError);
    }
    return sum / static_cast<double>(errors.size());
}

/// Measured minus predicted, and the same in predicted deviations.
struct Errors {
    std::vector<double> log_ratio;
    std::vector<double> standardised;
};

Errors left_out_errors(const PairRegression& regression, const Measurements& used) {
    Errors errors;
    for (std::size_t i = 0; i < used.pairs.size(); ++i) {
        const PairPrediction other = regression.without(i);
        errors.log_ratio.push_back(used.log_beta[i] - other.mean);
        errors.standardised.push_back(errors.log_ratio.back() / other.deviation);
    }
    return errors;
}

/// Errors of the residuals after factors that did not see them.
Errors with_factors(std::size_t sites, int rank, const Measurements& used, const Errors& plain) {
    Errors errors = plain;
    for (std::size_t fold = 0; fold < kFolds; ++fold) {
        std::vector<SitePair> pairs;
        std::vector<double> values;
        for (std::size_t i = 0; i < used.pairs.size(); ++i) {
            if (i % kFolds != fold) {
                pairs.push_back(used.pairs[i]);
                values.push_back(std::clamp(plain.log_ratio[i], -kCappedError, kCappedError));
            }
        }
        const LowRank factors(sites, rank, pairs, values);
        for (std::size_t i = fold; i < used.pairs.size(); i += kFolds) {
            const double deviation =
                plain.standardised[i] == 0 ? 1 : plain.log_ratio[i] / plain.standardised[i];
            errors.log_ratio[i] = plain.log_ratio[i] - factors(used.pairs[i]);
            errors.standardised[i] = errors.log_ratio[i] / deviation;
        }
    }
    return errors;
}

/// Everything that a prediction needs.
struct Model {
    std::string name;
    std::unique_ptr<PairKernel> kernel;
    std::unique_ptr<PairRegression> regression;
    std::optional<LowRank> factors;
    int rank = 0;
    Errors errors;
};

Model best_regression(const CompletionInput& input,
                      const core::Grid<double>& rtt_ms,
                      const Measurements& used,
                      const std::vector<Candidate>& tried) {
    Model best;
    for (const Candidate& candidate : tried) {
        Model model;
        model.name = candidate.name;
        model.kernel = std::make_unique<PairKernel>(input.classes, rtt_ms, candidate.scales);
        model.regression =
            std::make_unique<PairRegression>(*model.kernel, used.pairs, used.log_beta);
        model.errors = left_out_errors(*model.regression, used);
        if (!best.kernel ||
            capped_error(model.errors.log_ratio) < capped_error(best.errors.log_ratio)) {
            best = std::move(model);
        }
    }
    return best;
}

void add_factors(std::size_t sites, const Measurements& used, Model& model) {
    const Errors plain = model.errors;
    for (int rank = 1; rank <= kMaxRank; ++rank) {
        Errors errors = with_factors(sites, rank, used, plain);
        if (capped_error(errors.log_ratio) <
            kFactorsMustSave * capped_error(model.errors.log_ratio)) {
            model.errors = std::move(errors);
            model.rank = rank;
        }
    }
    if (model.rank > 0) {
        std::vector<double> values = plain.log_ratio;
        for (double& value : values) {
            value = std::clamp(value, -kCappedError, kCappedError);
        }
        model.factors.emplace(sites, model.rank, used.pairs, values);
    }
}

/// How many predicted deviations the interval reaches down and up.
std::pair<double, double> reach_of(const Errors& errors, double level) {
    std::vector<double> sorted = errors.standardised;
    std::ranges::sort(sorted);
    const auto m = static_cast<double>(sorted.size());
    const double tail = (1 - level) / 2;
    const auto k = static_cast<std::size_t>(std::max(0.0, std::floor(tail * (m + 1)) - 1));
    return {std::min(0.0, sorted[k]), std::max(0.0, sorted[sorted.size() - 1 - k])};
}

void fill_entries(const CompletionInput& input, const Model& model, double level, Completion& all) {
    const auto [down, up] = reach_of(model.errors, level);
    const std::size_t n = input.beta_gbps.rows();
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            const double measured = input.beta_gbps(i, j);
            if (i == j || measured > 0) {
                all.beta_gbps(i, j) = all.lower(i, j) = all.upper(i, j) = i == j ? 0 : measured;
                continue;
            }
            PairPrediction prediction = model.regression->at({i, j});
            prediction.mean += model.factors ? (*model.factors)({i, j}) : 0;
            all.beta_gbps(i, j) = std::exp(prediction.mean);
            all.lower(i, j) = std::exp(prediction.mean + down * prediction.deviation);
            all.upper(i, j) = std::exp(prediction.mean + up * prediction.deviation);
            all.estimated(i, j) = 1;
        }
    }
}

/// Middle of what the triangle inequality leaves for i and j; 0 when no third site helps.
double triangle_middle(const core::Grid<double>& rtt_ms, std::size_t i, std::size_t j) {
    double least = 0;
    double most = 0;
    for (std::size_t k = 0; k < rtt_ms.rows(); ++k) {
        const double a = k == i || k == j ? 0 : rtt_ms(i, k);
        const double b = k == i || k == j ? 0 : rtt_ms(k, j);
        if (a > 0 && b > 0) {
            least = std::max(least, std::abs(a - b));
            most = most == 0 ? a + b : std::min(most, a + b);
        }
    }
    return (least + most) / 2;
}

/// Symmetric and without gaps, or the pairs that are missing.
core::Result<core::Grid<double>> whole_rtts(const CompletionInput& input, std::size_t& filled) {
    const std::size_t n = input.rtt_ms.rows();
    core::Grid<double> rtt(n, n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            const double forth = i == j ? 0 : input.rtt_ms(i, j);
            const double back = i == j ? 0 : input.rtt_ms(j, i);
            rtt(i, j) = forth > 0 && back > 0 ? (forth + back) / 2 : std::max(forth, back);
        }
    }
    core::Diagnostics problems;
    const core::Grid<double> known = rtt;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (known(i, j) > 0) {
                continue;
            }
            rtt(i, j) = rtt(j, i) = triangle_middle(known, i, j);
            ++filled;
            if (rtt(i, j) <= 0) {
                problems.push_back({"",
                                    fmt::format("{} and {}", input.names[j], input.names[i]),
                                    "no round trip is known, and none over a third site",
                                    "measure the round trip of every pair first"});
            }
        }
    }
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    return rtt;
}

}  // namespace

core::Result<Completion> complete(const CompletionInput& input, const CompletionOptions& options) {
    const std::size_t n = input.names.size();
    LONGHAUL_ASSERT(input.classes.size() == n && input.rtt_ms.rows() == n &&
                    input.beta_gbps.rows() == n);
    Completion all;
    const auto rtt_ms = whole_rtts(input, all.filled_rtts);
    if (!rtt_ms) {
        return tl::unexpected(rtt_ms.error());
    }
    const Measurements used = measurements_of(input, options);
    if (used.pairs.size() < kLeastMeasurements) {
        return core::fail({"",
                           "",
                           fmt::format("only {} pairs have a bandwidth", used.pairs.size()),
                           fmt::format("measure {} pairs at least", kLeastMeasurements)});
    }
    const std::vector<Candidate> tried =
        options.only ? std::vector<Candidate>{{"given", *options.only}} : candidates();
    Model model = best_regression(input, *rtt_ms, used, tried);
    if (!options.only) {
        add_factors(n, used, model);
    }
    all.beta_gbps = all.lower = all.upper = core::Grid<double>(n, n, 0.0);
    all.estimated = core::Grid<char>(n, n, 0);
    fill_entries(input, model, options.level, all);
    all.measured =
        n * (n - 1) - static_cast<std::size_t>(std::ranges::count(all.estimated.cells(), 1));
    all.model = model.name;
    all.rank = model.rank;
    all.rtt_ms = *rtt_ms;
    std::vector<double> relative;
    for (const double error : model.errors.log_ratio) {
        relative.push_back(std::abs(std::expm1(-error)));
    }
    std::ranges::sort(relative);
    all.median_error = core::quantile(relative, 0.5);
    all.p90_error = core::quantile(relative, 0.9);
    return all;
}

std::string class_of_site(const std::string& site) {
    const std::size_t colon = site.find(':');
    return colon == std::string::npos ? "" : site.substr(0, colon);
}

}  // namespace longhaul::measure
