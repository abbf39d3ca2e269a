// How long the rest of a campaign takes, from what its tasks really took.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "longhaul/measure/campaign.hpp"

namespace longhaul::measure {

class Pace {
public:
    void took(const CampaignTask& task, double seconds);

    /// Seconds of a task: what it took the last time; else what the plan says times what tasks of
    /// its pattern (else all tasks) took over what the plan said of them.
    [[nodiscard]] double expected(const CampaignTask& task) const;

    /// Slots one after the other from task `at` on, each as long as its longest task. O(tasks).
    [[nodiscard]] double left(const std::vector<const CampaignTask*>& tasks, std::size_t at) const;

private:
    struct Sums {
        double took = 0;
        double planned = 0;
        [[nodiscard]] double ratio() const { return planned > 0 ? took / planned : 1; }
    };
    Sums all_;
    std::map<Pattern, Sums> by_pattern_;
    std::map<std::string, double> last_;
};

}  // namespace longhaul::measure
