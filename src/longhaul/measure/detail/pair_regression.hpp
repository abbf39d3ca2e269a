// Regression over pairs: a Gaussian process with Student-t noise.
#pragma once

#include <vector>

#include "longhaul/measure/detail/cholesky.hpp"
#include "longhaul/measure/pair_kernel.hpp"

namespace longhaul::measure::detail {

/// Mean and standard deviation of one new measurement.
struct PairPrediction {
    double mean = 0;
    double deviation = 0;
};

/// Conditioned on log-bandwidths of some pairs. Measurements that the others contradict count less
/// (weights of a t distribution with 4 degrees of freedom, iterated).
class PairRegression {
public:
    PairRegression(const PairKernel& kernel,
                   std::vector<SitePair> pairs,
                   std::vector<double> log_beta);

    [[nodiscard]] PairPrediction at(SitePair pair) const;
    /// What the others say of measurement i. O(1).
    [[nodiscard]] PairPrediction without(std::size_t i) const;

private:
    const PairKernel* kernel_;
    std::vector<SitePair> pairs_;
    std::vector<double> log_beta_;
    double centre_ = 0;
    std::vector<double> noise_;  // variances
    Cholesky factor_;
    std::vector<double> alpha_;
    std::vector<double> inverse_diagonal_;
};

/// U V' of a given rank, fitted to values at some pairs by alternating ridge regressions.
class LowRank {
public:
    LowRank(std::size_t sites,
            int rank,
            const std::vector<SitePair>& pairs,
            const std::vector<double>& values);
    [[nodiscard]] double operator()(SitePair pair) const;

private:
    core::Grid<double> out_;
    core::Grid<double> in_;
};

}  // namespace longhaul::measure::detail
