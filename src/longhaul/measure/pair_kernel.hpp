// How alike the bandwidths of two ordered pairs of sites are expected to be, before anything is
// measured: the covariance of a Gaussian process over pairs.
#pragma once

#include <string>
#include <vector>

#include "longhaul/core/grid.hpp"

namespace longhaul::measure {

/// Ordered pair of sites (or hosts): sender, receiver.
struct SitePair {
    std::size_t from = 0;
    std::size_t to = 0;
    friend auto operator<=>(const SitePair&, const SitePair&) = default;
};

/// Standard deviations of what makes up log(bandwidth), in nepers (0.1 is about 10 %). "Class" is a
/// label of a site such as its provider; a pair has the class pair of its two ends.
struct KernelScales {
    double mean = 0.5;              ///< common to all pairs
    double class_pair = 0.5;        ///< of a class pair
    double slope = 0.5;             ///< of log(round trip), for all pairs
    double slope_class_pair = 0.3;  ///< the same, of a class pair
    double curve = 0.4;             ///< smooth function of log(round trip), for all pairs
    double curve_class_pair = 0.2;  ///< the same, of a class pair
    double out = 0;                 ///< of a sender, to all
    double in = 0;                  ///< of a receiver, from all
    double out_to_class = 0.15;     ///< of a sender, to receivers of one class
    double in_from_class = 0.15;    ///< of a receiver, from senders of one class
    double near = 0.2;              ///< pairs with near senders and near receivers are alike
    double near_class_pair = 0.35;  ///< the same, inside a class pair
    double both_ways = 0.15;        ///< common to the two directions of a pair
    double distance = 0.2;          ///< what is near, in medians of the round trips
    double curve_width = 0.7;       ///< over which a smooth function changes, in log(round trip)
    double noise = 0.2;             ///< of one measurement against all this
};

/// Covariances of pairs of n sites. "Near" compares the round trips of two sites to all sites, so
/// that it is the distance of points in space and the covariance is positive definite.
class PairKernel {
public:
    /// `classes` has n entries (equal text = equal class); `rtt_ms` is n x n, positive off the
    /// diagonal; the mean of both directions counts. O(n^3).
    PairKernel(const std::vector<std::string>& classes,
               const core::Grid<double>& rtt_ms,
               const KernelScales& scales);

    [[nodiscard]] double operator()(SitePair a, SitePair b) const;
    [[nodiscard]] const KernelScales& scales() const { return scales_; }

private:
    KernelScales scales_;
    std::vector<int> class_of_;
    core::Grid<double> log_rtt_;  // centred on the mean of all pairs
    core::Grid<double> near_;     // 1 on the diagonal, falls to 0
};

}  // namespace longhaul::measure
