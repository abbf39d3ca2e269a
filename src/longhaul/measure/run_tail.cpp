#include "longhaul/measure/run_tail.hpp"

#include "longhaul/transport/clock.hpp"

namespace longhaul::measure {

std::string count_tasks(const Campaign& campaign,
                        const std::set<std::string>& done,
                        const Fleet& fleet,
                        CoordinatorResult& result) {
    std::string lines;
    for (const CampaignTask& task : campaign.tasks) {
        ++result.total;
        if (done.contains(task.id)) {
            ++result.complete;
            continue;
        }
        result.missing.push_back(task.id);
        for (const int host : task.hosts) {
            if (fleet.out(host)) {
                const std::string& id = campaign.hosts[static_cast<std::size_t>(host)].id;
                lines += to_line(
                    Event{transport::utc_now(), task.id, "skipped", id, fleet.link(host).problem});
            }
        }
    }
    for (std::size_t i = 0; i < campaign.hosts.size(); ++i) {
        if (const auto host = static_cast<int>(i); !fleet.up(host)) {
            result.lost.push_back(campaign.hosts[i].id + ": " + fleet.link(host).problem);
        }
    }
    return lines;
}

}  // namespace longhaul::measure
