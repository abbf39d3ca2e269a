// Whether to trust a fit. No gate looks at r^2: a wrong fit can have 0.9995, a right one 0.89.
#pragma once

#include "longhaul/measure/link_fit.hpp"

namespace longhaul::measure {

/// Fills verdict and findings from the numbers of the fit: errors of at most 10 % (5 % warns), an
/// interval of beta of at most +-10 %, one segment where the connection was warm, p90 / median of
/// at most 1.5, at most 1 % retransmitted, the link itself as the limit, no change over the blocks,
/// two sizes or more. A fit that does not pass is `suspect`, and stays. `several_pairs`: the
/// samples are of a class of pairs. What comes of pairs that differ (errors, intervals, segments,
/// spread, blocks) then makes no fit suspect; one note says it instead (gate `class`).
void apply_gates(LinkFit& fit, bool several_pairs = false);

}  // namespace longhaul::measure
