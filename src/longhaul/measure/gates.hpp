// Whether to trust a fit. No gate looks at r^2: a wrong fit can have 0.9995, a right one 0.89.
#pragma once

#include "longhaul/measure/link_fit.hpp"

namespace longhaul::measure {

/// What the samples of a fit are of.
struct FitScope {
    bool several_pairs = false;  ///< of a class of pairs
    bool alone = true;           ///< of transfers with no other of the same task beside them
};

/// Fills verdict and findings from the numbers of the fit: errors of at most 10 % (5 % warns), an
/// interval of beta of at most +-10 %, one segment where the connection was warm, p90 / median of
/// at most 1.5, at most 1 % retransmitted, the link itself as the limit, no change over the blocks,
/// two sizes or more, and (warm echoes over a known round trip of 2 ms or more) large messages that
/// run as fast as small ones: the line does not start at less than 0.95 round trips, interval
/// included, and no size has 1.25 times its rate beyond the round trip. A largest message of fewer
/// than two bandwidth-delay products (four where bytes were sent again) is noted, too; of transfers
/// that ran beside others (`alone`
/// is false) neither is. A fit that does not pass is `suspect`, and stays. Of `several_pairs`, what
/// comes of pairs that differ (errors, intervals, segments, spread, blocks) makes no fit suspect;
/// one note says it instead (gate `class`).
void apply_gates(LinkFit& fit, const FitScope& scope = {});

}  // namespace longhaul::measure
