// The bench over random subsets of measured regions: score, bound, gap and time, no requirement.
#pragma once

#include <string>
#include <vector>

#include "judge.hpp"
#include "skyplane.hpp"

namespace longhaul::bench {

/// Every case once a round, round r over the subset and with the search of seed 6 + r, 512 MB and
/// 650 MB, one message. Scores of different rounds belong to different subsets. `each` is called
/// with a line of JSON for every run.
[[nodiscard]] core::Result<std::vector<RowResult>> measure_subsets(
    const MeasuredRegions& measured,
    int rounds,
    double limit_s,
    const std::function<void(const std::string&)>& each);

}  // namespace longhaul::bench
