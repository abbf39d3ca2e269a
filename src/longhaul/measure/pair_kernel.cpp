#include "longhaul/measure/pair_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "longhaul/core/statistics.hpp"

namespace longhaul::measure {
namespace {

double square(double x) {
    return x * x;
}

core::Grid<double> symmetric_mean(const core::Grid<double>& rtt_ms) {
    const std::size_t n = rtt_ms.rows();
    core::Grid<double> mean(n, n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            mean(i, j) = i == j ? 0 : (rtt_ms(i, j) + rtt_ms(j, i)) / 2;
        }
    }
    return mean;
}

double median_off_diagonal(const core::Grid<double>& values) {
    std::vector<double> all;
    for (std::size_t i = 0; i < values.rows(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            all.push_back(values(i, j));
        }
    }
    return all.empty() ? 1 : core::summarise(std::move(all)).median;
}

/// exp(-d^2 / 2) where d is the root mean square difference of the round trips to all sites.
core::Grid<double> nearness(const core::Grid<double>& rtt_ms, double scale_ms) {
    const std::size_t n = rtt_ms.rows();
    core::Grid<double> near(n, n, 1.0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            double sum = 0;
            for (std::size_t m = 0; m < n; ++m) {
                sum += square(rtt_ms(i, m) - rtt_ms(k, m));
            }
            const double d2 = sum / static_cast<double>(n) / square(scale_ms);
            near(i, k) = near(k, i) = std::exp(-d2 / 2);
        }
    }
    return near;
}

}  // namespace

PairKernel::PairKernel(const std::vector<std::string>& classes,
                       const core::Grid<double>& rtt_ms,
                       const KernelScales& scales)
    : scales_(scales), log_rtt_(rtt_ms.rows(), rtt_ms.rows(), 0.0) {
    std::map<std::string, int> numbers;
    for (const std::string& name : classes) {
        class_of_.push_back(
            numbers.try_emplace(name, static_cast<int>(numbers.size())).first->second);
    }
    const core::Grid<double> rtt = symmetric_mean(rtt_ms);
    const std::size_t n = rtt.rows();
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            log_rtt_(i, j) = i == j ? 0 : std::log(rtt(i, j));
            sum += log_rtt_(i, j);
        }
    }
    const double mean = n < 2 ? 0 : sum / (static_cast<double>(n) * (static_cast<double>(n) - 1));
    for (double& value : log_rtt_.cells()) {
        value -= mean;
    }
    near_ = nearness(rtt, scales.distance * median_off_diagonal(rtt));
}

double PairKernel::operator()(SitePair a, SitePair b) const {
    const bool same_from_class = class_of_[a.from] == class_of_[b.from];
    const bool same_to_class = class_of_[a.to] == class_of_[b.to];
    const double class_pair = same_from_class && same_to_class ? 1 : 0;
    const double x = log_rtt_(a.from, a.to);
    const double y = log_rtt_(b.from, b.to);
    const double curve = std::exp(-square((x - y) / scales_.curve_width) / 2);
    const double near = near_(a.from, b.from) * near_(a.to, b.to);
    double sum = square(scales_.mean) + square(scales_.slope) * x * y +
                 square(scales_.curve) * curve + square(scales_.near) * near;
    sum += class_pair *
           (square(scales_.class_pair) + square(scales_.slope_class_pair) * x * y +
            square(scales_.curve_class_pair) * curve + square(scales_.near_class_pair) * near);
    if (a.from == b.from) {
        sum += square(scales_.out) + (same_to_class ? square(scales_.out_to_class) : 0);
    }
    if (a.to == b.to) {
        sum += square(scales_.in) + (same_from_class ? square(scales_.in_from_class) : 0);
    }
    if (a == b || (a.from == b.to && a.to == b.from)) {
        sum += square(scales_.both_ways);
    }
    return sum;
}

}  // namespace longhaul::measure
