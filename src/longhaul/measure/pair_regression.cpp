#include <algorithm>
#include <cmath>
#include <numeric>

#include "longhaul/core/random.hpp"
#include "longhaul/core/statistics.hpp"
#include "longhaul/measure/detail/pair_regression.hpp"

namespace longhaul::measure::detail {
namespace {

constexpr double kFreedom = 4;  // of the t distribution
constexpr int kWeightRounds = 6;
constexpr int kFactorRounds = 25;
constexpr double kFactorRidge = 0.8;

core::Grid<double> covariance(const PairKernel& kernel, const std::vector<SitePair>& pairs) {
    const std::size_t m = pairs.size();
    core::Grid<double> matrix(m, m);
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            matrix(i, j) = matrix(j, i) = kernel(pairs[i], pairs[j]);
        }
    }
    return matrix;
}

core::Grid<double> plus_diagonal(core::Grid<double> matrix, const std::vector<double>& diagonal) {
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
        matrix(i, i) += diagonal[i];
    }
    return matrix;
}

}  // namespace

PairRegression::PairRegression(const PairKernel& kernel,
                               std::vector<SitePair> pairs,
                               std::vector<double> log_beta)
    : kernel_(&kernel),
      pairs_(std::move(pairs)),
      log_beta_(std::move(log_beta)),
      centre_(core::summarise(log_beta_).median),
      noise_(pairs_.size(), kernel.scales().noise * kernel.scales().noise),
      factor_(core::Grid<double>()) {
    const core::Grid<double> prior = covariance(kernel, pairs_);
    const double variance = kernel.scales().noise * kernel.scales().noise;
    std::vector<double> centred = log_beta_;
    for (double& value : centred) {
        value -= centre_;
    }
    for (int round = 0; round < kWeightRounds; ++round) {
        factor_ = Cholesky(plus_diagonal(prior, noise_));
        alpha_ = factor_.solve(centred);
        inverse_diagonal_ = factor_.inverse_diagonal();
        if (round + 1 == kWeightRounds) {
            break;
        }
        for (std::size_t i = 0; i < noise_.size(); ++i) {
            const double residual = noise_[i] * alpha_[i];
            const double spread = noise_[i] - noise_[i] * noise_[i] * inverse_diagonal_[i];
            const double misfit = (residual * residual + std::max(0.0, spread)) / variance;
            noise_[i] = variance * (kFreedom + misfit) / (kFreedom + 1);
        }
    }
}

PairPrediction PairRegression::at(SitePair pair) const {
    std::vector<double> shared(pairs_.size());
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
        shared[i] = (*kernel_)(pair, pairs_[i]);
    }
    const std::vector<double> half = factor_.forward(shared);
    const double noise = kernel_->scales().noise * kernel_->scales().noise;
    const double variance = std::max(0.0, (*kernel_)(pair, pair) - dot(half, half)) + noise;
    return {centre_ + dot(shared, alpha_), std::sqrt(variance)};
}

PairPrediction PairRegression::without(std::size_t i) const {
    const double noise = kernel_->scales().noise * kernel_->scales().noise;
    const double variance = std::max(0.0, 1 / inverse_diagonal_[i] - noise_[i]) + noise;
    return {log_beta_[i] - alpha_[i] / inverse_diagonal_[i], std::sqrt(variance)};
}

namespace {

/// Ridge regression of the values of one site on the factors of its partners.
std::vector<double> solve_site(const core::Grid<double>& partners,
                               const std::vector<std::pair<std::size_t, double>>& entries) {
    const std::size_t rank = partners.columns();
    core::Grid<double> normal(rank, rank, 0.0);
    std::vector<double> right(rank, 0.0);
    for (const auto& [partner, value] : entries) {
        for (std::size_t a = 0; a < rank; ++a) {
            right[a] += partners(partner, a) * value;
            for (std::size_t b = 0; b < rank; ++b) {
                normal(a, b) += partners(partner, a) * partners(partner, b);
            }
        }
    }
    for (std::size_t a = 0; a < rank; ++a) {
        normal(a, a) += kFactorRidge;
    }
    return Cholesky(std::move(normal)).solve(right);
}

}  // namespace

LowRank::LowRank(std::size_t sites,
                 int rank,
                 const std::vector<SitePair>& pairs,
                 const std::vector<double>& values)
    : out_(sites, static_cast<std::size_t>(rank), 0.0),
      in_(sites, static_cast<std::size_t>(rank), 0.0) {
    core::Random random(7);
    for (double& cell : in_.cells()) {
        cell = 2 * random.uniform() - 1;
    }
    std::vector<std::vector<std::pair<std::size_t, double>>> sent(sites);
    std::vector<std::vector<std::pair<std::size_t, double>>> received(sites);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        sent[pairs[k].from].emplace_back(pairs[k].to, values[k]);
        received[pairs[k].to].emplace_back(pairs[k].from, values[k]);
    }
    for (int round = 0; round < kFactorRounds; ++round) {
        for (std::size_t i = 0; i < sites; ++i) {
            std::ranges::copy(solve_site(in_, sent[i]), out_.row(i).begin());
        }
        for (std::size_t j = 0; j < sites; ++j) {
            std::ranges::copy(solve_site(out_, received[j]), in_.row(j).begin());
        }
    }
}

double LowRank::operator()(SitePair pair) const {
    return dot(out_.row(pair.from), in_.row(pair.to));
}

}  // namespace longhaul::measure::detail
