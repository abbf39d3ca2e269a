// Proved lower limits of the score: what no placement can beat.
#pragma once

#include <cstdint>
#include <string>

#include "longhaul/placement/evaluate.hpp"

namespace longhaul::placement {

struct Bound {
    double value = 0;          ///< no placement scores less, seconds
    std::string method;        ///< how that was proved
    double data_parallel = 0;  ///< elementary bound of the data-parallel term alone
    double pipeline = 0;       ///< elementary bound of the pipeline term alone
    std::uint64_t nodes = 0;   ///< nodes of branch and bound that the proof took
    double incumbent = 0;      ///< score that the proof of a plan started with; 0: not known
};

/// Elementary bounds, valid for any costs: every device sits with dp - 1 others, so DataP is at
/// least the largest over devices of the sum of its dp - 1 cheapest exchanges; a path has pp - 1
/// edges, each at least the cheapest pair. O(kinds^2 log kinds + kinds dp).
[[nodiscard]] Bound elementary_bound(const Problem& problem);

/// What the elementary bounds are made of, by kind of device.
struct NearestCosts {
    std::vector<int> devices;      ///< of each kind
    std::vector<double> exchange;  ///< of a device of each kind: the sum of its dp - 1 cheapest
    double pipeline = 0;           ///< the cheapest pair
};
[[nodiscard]] NearestCosts nearest_costs(const Costs& costs, int dp);

/// score / bound - 1.
struct Gap {
    bool known = false;    ///< false under a bound of 0 and a positive score
    double value = 0;      ///< >= 0
    bool optimal = false;  ///< the bound meets the score, up to rounding of the sums (1e-12)
};
[[nodiscard]] Gap gap_between(double score, double bound);

}  // namespace longhaul::placement
