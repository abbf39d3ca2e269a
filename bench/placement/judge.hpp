// Medians of the runs of a row, and whether it reaches what is asked.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "best_known.hpp"
#include "instance.hpp"
#include "measure.hpp"

namespace longhaul::bench {

/// One requirement of a row.
struct Verdict {
    std::string asked;
    bool reached = false;
};

struct RowResult {
    Instance row;
    int runs = 0;
    double score_min = 0, score_median = 0, score_max = 0;
    double bound = 0;  ///< least over the runs
    double gap = 0;    ///< largest over the runs; infinite under a bound of 0
    bool proved = false;
    double nodes = 0, evaluations = 0;  ///< medians, like all that follow
    double first_cpu_s = 0, final_cpu_s = 0, final_wall_s = 0;
    double early_max = 0;  ///< largest
    double peak_mb = 0;    ///< largest
    double seed_score = 0;
    double best = 0;  ///< what the row is compared with; 0: nothing
    std::vector<Verdict> verdicts;
    [[nodiscard]] bool passed() const;
};

/// `runs` must not be empty. Every seed must reach what is asked of scores and gaps, the median
/// what is asked of times. A row without an entry in best_known.json misses when one is asked.
[[nodiscard]] RowResult judge(const Instance& row,
                              std::span<const Measurement> runs,
                              const BestKnownTable& best_known);

}  // namespace longhaul::bench
