// The chain of work that decides how long a step takes.
#pragma once

#include <vector>

#include "longhaul/study/step_graph.hpp"
#include "longhaul/study/step_times.hpp"

namespace longhaul::study {

/// A task of the chain; its share of the step runs from `begin` to `end`, and the shares of a chain
/// follow each other from 0 to the end of the step.
struct CriticalTask {
    int task = 0;
    Time begin{};
    Time end{};
};

/// From the task that ends last back to the beginning: what made a task ready, or what held its
/// device or connection. Ties go to the smaller number. In order of time. O(chain + tasks).
[[nodiscard]] std::vector<CriticalTask> critical_path(const StepTimes& times);

}  // namespace longhaul::study
