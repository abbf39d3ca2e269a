// Fits of raw samples: relative least squares on the medians of every size, segments where one line
// does not hold, bootstrap intervals. Formulas: docs/mathematics/measure.md.
#pragma once

#include <cstdint>

#include "longhaul/measure/link_fit.hpp"
#include "longhaul/measure/raw.hpp"

namespace longhaul::measure {

struct FitOptions {
    std::uint64_t seed = 7;
    int resamples = 1000;  ///< of the bootstrap, >= 1
    int threads = 1;       ///< never changes the result
};

/// Fits everything that the usable samples hold. A size that was measured once is used as it is. A
/// group of samples that cannot be fitted (no time above zero) is left out with a warning.
/// O(samples log samples + groups x sizes x resamples).
[[nodiscard]] LinkFits fit_links(const Raw& raw, const FitOptions& options);

}  // namespace longhaul::measure
