// Proved lower limits of the score: what no placement can beat.
#pragma once

#include <string>

#include "longhaul/placement/evaluate.hpp"

namespace longhaul::placement {

struct Bound {
    double data_parallel = 0;
    double pipeline = 0;
    std::string method;
    [[nodiscard]] double total() const { return data_parallel + pipeline; }
};

/// Elementary bounds, valid for any costs: every device sits with dp - 1 others, so DataP is at
/// least the largest over devices of the sum of its dp - 1 cheapest exchanges; a path has pp - 1
/// edges, each at least the cheapest pair. O(n^2 log n).
[[nodiscard]] Bound elementary_bound(const Problem& problem);

/// score / bound - 1; 0 when both are 0, and infinity never: a bound of 0 under a positive score
/// gives no gap, told by `known` = false.
struct Gap {
    bool known = false;
    double value = 0;
    bool optimal = false;  ///< the bound meets the score, up to rounding of the sums (1e-12)
};
[[nodiscard]] Gap gap_between(double score, double bound);

}  // namespace longhaul::placement
