#include "longhaul/measure/campaign.hpp"

#include <algorithm>
#include <map>

namespace longhaul::measure {

std::vector<Flow> flows_of(Pattern pattern, const std::vector<int>& hosts) {
    std::vector<Flow> flows;
    switch (pattern) {
        case Pattern::kLocal:
            break;
        case Pattern::kPing:
        case Pattern::kPeer:
            flows.push_back({hosts[0], hosts[1]});
            break;
        case Pattern::kBothWays:
            flows = {{hosts[0], hosts[1]}, {hosts[1], hosts[0]}};
            break;
        case Pattern::kFanOut:
            for (std::size_t i = 1; i < hosts.size(); ++i) {
                flows.push_back({hosts[0], hosts[i]});
            }
            break;
        case Pattern::kFanIn:
            for (std::size_t i = 1; i < hosts.size(); ++i) {
                flows.push_back({hosts[i], hosts[0]});
            }
            break;
        case Pattern::kRelay:
            for (std::size_t i = 0; i < hosts.size(); ++i) {
                flows.push_back({hosts[i], hosts[(i + 1) % hosts.size()]});
            }
            break;
        case Pattern::kCrossing:
            for (std::size_t i = 0; i + 1 < hosts.size(); i += 2) {
                flows.push_back({hosts[i], hosts[i + 1]});
            }
            break;
    }
    return flows;
}

CampaignTotals totals_of(const Campaign& campaign) {
    CampaignTotals totals;
    std::map<int, double> longest;
    for (const CampaignTask& task : campaign.tasks) {
        double& slot = longest[task.slot];
        slot = std::max(slot, task.seconds);
        ++totals.tasks;
        totals.bytes += task.bytes;
        totals.most_bytes += task.most_bytes;
    }
    for (const auto& [slot, seconds] : longest) {
        totals.seconds += seconds;
    }
    totals.slots = static_cast<int>(longest.size());
    return totals;
}

std::string path_label(const CampaignHost& from, const CampaignHost& to) {
    if (from.site.empty() || to.site.empty()) {
        return "";
    }
    return from.site == to.site ? "intra_site" : "inter_site";
}

}  // namespace longhaul::measure
