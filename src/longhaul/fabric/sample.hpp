// Draws of a fabric whose links are known up to intervals or noise.
#pragma once

#include "longhaul/core/random.hpp"
#include "longhaul/fabric/fabric.hpp"

namespace longhaul::fabric {

/// How links without an interval vary.
struct Noise {
    double relative =
        0.1;  ///< alpha and beta times a factor, uniform in [1 - r, 1 + r]; 0 <= r < 1
    bool by_label = false;  ///< links between the same two labels share a factor (per direction)
};

/// One draw. Every directed link draws its alpha and its beta uniformly between the ends of their
/// intervals where the fabric has them (alpha_interval, beta_interval), and by the noise elsewhere.
/// The result has no intervals. Consumes a number of draws that depends on the fabric only. O(n^2).
[[nodiscard]] Fabric draw_links(const Fabric& fabric, const Noise& noise, core::Random random);

}  // namespace longhaul::fabric
