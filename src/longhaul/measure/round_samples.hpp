// From the times of one round of a task to the samples of a raw file.
#pragma once

#include <vector>

#include "longhaul/measure/program.hpp"

namespace longhaul::measure {

/// One sample a flow, without `concurrent` and path labels. A fan has its peers and when its root
/// was done. A relay's sample is one process's own time, done with sending and with receiving: it
/// names that process as `to`, and whom it received from as `from`. O(flows^2).
[[nodiscard]] std::vector<Sample> round_samples(const TaskOrder& order,
                                                const RoundTimes& times,
                                                double bytes,
                                                int rep);

}  // namespace longhaul::measure
