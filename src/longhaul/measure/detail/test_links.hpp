// What tests of fits share: a link with noise, and looking things up in fits.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "longhaul/measure/detail/test_samples.hpp"
#include "longhaul/measure/fit.hpp"

namespace longhaul::measure::detail {

inline std::vector<double> wan_sizes() {
    return sizes_between(65'536, 16 * kMiB, 2);
}

/// A link with 1 % of noise.
class Link {
public:
    Link(double alpha_ms, double beta_gbps, std::uint64_t stream = 0)
        : alpha_ms_(alpha_ms), beta_gbps_(beta_gbps), random_(7, stream) {}
    double operator()(double bytes) {
        const double noise = 1 + 0.01 * normal(random_);
        return affine_seconds(bytes, alpha_ms_, beta_gbps_) * noise;
    }

private:
    double alpha_ms_;
    double beta_gbps_;
    core::Random random_;
};

inline const LinkFit& pair_of(const LinkFits& fits,
                              const std::string& from,
                              const std::string& to) {
    const auto found = std::ranges::find_if(
        fits.pairs, [&](const LinkFit& fit) { return fit.from == from && fit.to == to; });
    if (found == fits.pairs.end()) {
        throw std::out_of_range(from + ">" + to);
    }
    return *found;
}

inline LinkFit only_pair(const Raw& raw) {
    return fit_links(raw, {}).pairs.at(0);
}

inline bool has_finding(const LinkFit& fit, const std::string& gate) {
    return std::ranges::any_of(fit.findings,
                               [&](const Finding& finding) { return finding.gate == gate; });
}

}  // namespace longhaul::measure::detail
