#include "longhaul/measure/pace.hpp"

#include <algorithm>

namespace longhaul::measure {

void Pace::took(const CampaignTask& task, double seconds) {
    for (Sums* sums : {&all_, &by_pattern_[task.pattern]}) {
        sums->took += seconds;
        sums->planned += task.seconds;
    }
    last_[task.id] = seconds;
}

double Pace::expected(const CampaignTask& task) const {
    if (const auto last = last_.find(task.id); last != last_.end()) {
        return last->second;
    }
    const auto sums = by_pattern_.find(task.pattern);
    return task.seconds * (sums == by_pattern_.end() ? all_ : sums->second).ratio();
}

double Pace::left(const std::vector<const CampaignTask*>& tasks, std::size_t at) const {
    double seconds = 0;
    double longest = 0;
    for (std::size_t i = at; i < tasks.size(); ++i) {
        const bool next = i > at && tasks[i]->slot != tasks[i - 1]->slot;
        seconds += next ? longest : 0;
        longest = std::max(next ? 0 : longest, expected(*tasks[i]));
    }
    return seconds + longest;
}

}  // namespace longhaul::measure
