// Whether a link stayed the same over a campaign: samples of blocks that were taken far apart.
#pragma once

#include <span>
#include <vector>

#include "longhaul/measure/link_fit.hpp"

namespace longhaul::measure {

/// Median of every block's samples over the median of their sizes, in order of the blocks.
/// O(samples log samples).
[[nodiscard]] std::vector<BlockMedian> block_medians(std::span<const Sample* const> samples);

/// Two blocks of three samples or more differ by more than 10 %, and by more than three standard
/// errors of their difference.
[[nodiscard]] bool differ(std::span<const Sample* const> samples);

}  // namespace longhaul::measure
