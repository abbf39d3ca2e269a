#include "longhaul/study/critical_path.hpp"

#include <algorithm>

namespace longhaul::study {

std::vector<CriticalTask> critical_path(const StepTimes& times) {
    const auto& tasks = times.tasks;
    const auto last = std::ranges::max_element(tasks, {}, &TaskTimes::end);
    std::vector<CriticalTask> chain;
    Time end = times.end;
    for (int task = tasks.empty() ? -1 : static_cast<int>(last - tasks.begin()); task >= 0;) {
        const TaskTimes& at = tasks[static_cast<std::size_t>(task)];
        const Time begin = std::min(at.start, end);
        chain.push_back({task, begin, end});
        end = begin;
        task = at.start > at.ready && at.behind >= 0 ? at.behind : at.waited_for;
    }
    std::ranges::reverse(chain);
    return chain;
}

}  // namespace longhaul::study
