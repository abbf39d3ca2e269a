// Bandwidths of all ordered pairs from those of a few and the round trips of all: Gaussian process
// regression of log(bandwidth) with a likelihood that tolerates outliers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/core/grid.hpp"
#include "longhaul/measure/pair_kernel.hpp"

namespace longhaul::measure {

struct CompletionInput {
    std::vector<std::string> names;    ///< n sites (or hosts), for messages
    std::vector<std::string> classes;  ///< n labels such as the provider; all equal when unknown
    core::Grid<double> rtt_ms;         ///< n x n; 0 where unknown, the other direction then counts
    core::Grid<double> beta_gbps;      ///< n x n; 0 where not measured
};

struct CompletionOptions {
    double level = 0.9;                  ///< of the intervals
    std::size_t max_measurements = 800;  ///< that the regression uses; more are drawn from
    std::uint64_t seed = 7;              ///< of that draw
    /// One covariance instead of a choice, and no factors: for comparisons.
    std::optional<KernelScales> only;
};

/// All matrices n x n with a zero diagonal.
struct Completion {
    core::Grid<double> beta_gbps;  ///< measured where measured
    core::Grid<double> lower;      ///< ends of the interval; equal to beta where measured
    core::Grid<double> upper;
    core::Grid<char> estimated;  ///< 1 where not measured
    std::size_t measured = 0;    ///< pairs with a measurement
    std::string model;           ///< which of the candidate covariances was chosen
    int rank = 0;                ///< of the factors that were added, 0 for none
    double median_error = 0;     ///< of measured pairs, each predicted without itself: |p/m - 1|
    double p90_error = 0;
    core::Grid<double> rtt_ms;    ///< as used: symmetric, without gaps
    std::size_t filled_rtts = 0;  ///< round trips that came from the triangle inequality
};

/// Needs 4 measured pairs at least. Round trips that both directions lack are put in the middle of
/// what the triangle inequality allows. The covariance is chosen among a few by leave-one-out
/// error; factors of low rank are added when they reduce the error in cross-validation. The
/// intervals are scaled so that they would have held `level` of the leave-one-out errors.
/// O(m^3 + n^2 m^2) for m measurements. Sources: Rasmussen and Williams, "Gaussian Processes for
/// Machine Learning", 2006, sections 2.2 and 5.4.2; Student-t weights: Lange, Little, Taylor,
/// "Robust statistical modeling using the t distribution", JASA 1989.
[[nodiscard]] core::Result<Completion> complete(const CompletionInput& input,
                                                const CompletionOptions& options = {});

/// "aws" of "aws:us-east-1": what stands before the first colon, else "".
[[nodiscard]] std::string class_of_site(const std::string& site);

}  // namespace longhaul::measure
