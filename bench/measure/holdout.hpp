// Hides most measured bandwidths of a set of regions, completes them, and compares.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longhaul/measure/completion.hpp"
#include "skyplane.hpp"

namespace longhaul::bench {

/// How the measured pairs are chosen.
enum class Choice { kRandom, kDesigned };

/// A way to complete: the default, or one covariance (for comparisons).
struct Method {
    std::string name;
    std::optional<measure::KernelScales> only;
    Choice choice = Choice::kRandom;
};

/// Sender and receiver effects; round trips, provider pairs and effects; the default; the default
/// on pairs that were chosen instead of drawn.
[[nodiscard]] std::vector<Method> methods();

/// Means over the draws. Errors are |predicted / measured - 1| of the pairs that were hidden.
struct Holdout {
    double median = 0;
    double p90 = 0;
    double covered = 0;  ///< share of hidden pairs inside their interval
    double width = 0;    ///< median of upper / lower
    int measured = 0;
};

/// `share` of the ordered pairs is shown, in each of `draws` draws (seeds seed, seed + 1, ...).
[[nodiscard]] core::Result<Holdout> hold_out(const MeasuredRegions& regions,
                                             const Method& method,
                                             double share,
                                             int draws,
                                             std::uint64_t seed,
                                             int threads);

}  // namespace longhaul::bench
