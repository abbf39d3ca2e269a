// What changed between two campaigns.
#pragma once

#include <string>
#include <vector>

#include "longhaul/core/value.hpp"
#include "longhaul/measure/pair_facts.hpp"
#include "longhaul/measure/pair_kernel.hpp"

namespace longhaul::measure {

struct CompareOptions {
    double tolerance = 0.1;     ///< change of a rate or latency that does not matter
    double least_alpha_ms = 1;  ///< change of a latency that never matters
};

/// One ordered pair that both have. Ratios are new / old.
struct PairChange {
    std::string from;
    std::string to;
    double beta_ratio = 1;
    double alpha_ratio = 1;  ///< 1 where the old one is 0
    double old_alpha_ms = 0;
    double new_alpha_ms = 0;
    bool beta_changed = false;  ///< beyond the tolerance, and the intervals do not meet
    bool alpha_changed = false;
    [[nodiscard]] bool changed() const { return beta_changed || alpha_changed; }
};

/// A host of whose pairs more than half changed the same way.
struct HostChange {
    std::string host;
    double send_ratio = 1;  ///< medians over its pairs
    double receive_ratio = 1;
};

struct Comparison {
    std::vector<PairChange> changes;  ///< pairs that changed, largest change of rate first
    std::vector<HostChange> hosts;
    std::vector<std::string> gone;   ///< hosts of the old campaign only
    std::vector<std::string> added;  ///< of the new one only
    std::size_t pairs = 0;           ///< that both measured (estimates do not count)
    double median_ratio = 1;         ///< of rates, over all these pairs
    double p10_ratio = 1;
    double p90_ratio = 1;
    bool same = true;  ///< no pair changed
};

/// Pairs are matched by the names of their hosts. Where a file has no intervals its values count as
/// exact. O(n^2 log n).
[[nodiscard]] Comparison compare(const PairFacts& before,
                                 const PairFacts& after,
                                 const CompareOptions& options);

[[nodiscard]] core::Value to_value(const Comparison& comparison);

}  // namespace longhaul::measure
