// A campaign: the hosts to measure, what they share, and the tasks with the slot that each runs in.
// Plain data; schedule.hpp makes it, plan.hpp reads and writes it, coordinator.hpp runs it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "longhaul/measure/raw.hpp"

namespace longhaul::measure {

/// A machine that runs an agent.
struct CampaignHost {
    std::string id;
    std::string address;  ///< where the other hosts and the coordinator reach its agent
    int port = 0;
    std::string site;                 ///< locality label; empty when unknown
    std::vector<std::string> groups;  ///< names of CampaignGroup
    int devices = 0;                  ///< 0 when not told

    friend bool operator==(const CampaignHost&, const CampaignHost&) = default;
};

/// Something that the hosts of a group share: an uplink, a network card, a switch.
struct CampaignGroup {
    std::string name;
    bool half_duplex = false;  ///< both directions are one resource
    bool inside = false;       ///< transfers between two members use it too (a hub, a switch)

    friend bool operator==(const CampaignGroup&, const CampaignGroup&) = default;
};

/// One experiment. Hosts are indices.
struct CampaignTask {
    std::string id;  ///< says what it is: the same experiment has the same id in every plan
    Pattern pattern = Pattern::kPeer;
    State state = State::kWarm;
    double idle_s = 0;
    int streams = 1;
    std::vector<int> hosts;  ///< ping and pairs: from, to; fans: root, then peers; relay: the ring;
                             ///< crossings: from, to, from, to, ...
    int block = 0;
    int slot = 0;
    double seconds = 0;     ///< expected
    double bytes = 0;       ///< expected payload of all its transfers
    double most_bytes = 0;  ///< never more
};

/// What holds for all tasks.
struct CampaignRules {
    std::string transport = "tcp";
    std::string congestion_control;  ///< empty: what each host has as default
    double smallest_bytes = 0;       ///< of messages; 0: chosen from the round trip
    double largest_bytes = 0;        ///< 0: chosen from a probe
    int repeats = 2;                 ///< of each size in one block, at least
    int most_repeats = 7;            ///< until the interval is narrow enough
    double half_width = 0.05;        ///< of the median, relative: narrow enough
    double skew_factor = 20;         ///< transfers of several hosts last that often their skew
    double pair_bytes = 0;           ///< most bytes from one host to another in one task
    double task_seconds = 120;       ///< longest that one task may take
};

struct Campaign {
    CampaignRules rules;
    std::vector<CampaignHost> hosts;
    std::vector<CampaignGroup> groups;
    std::vector<CampaignTask> tasks;  ///< by slot
};

/// A transfer of a task.
struct Flow {
    int from = 0;
    int to = 0;
    friend auto operator<=>(const Flow&, const Flow&) = default;
};

/// Who sends to whom in a task, in the order of its hosts.
[[nodiscard]] std::vector<Flow> flows_of(Pattern pattern, const std::vector<int>& hosts);

struct CampaignTotals {
    int tasks = 0;
    int slots = 0;
    double seconds = 0;     ///< slots one after the other, each as long as its longest task
    double bytes = 0;       ///< expected
    double most_bytes = 0;  ///< never more
};
[[nodiscard]] CampaignTotals totals_of(const Campaign& campaign);

/// "intra_site" or "inter_site"; empty when a site is unknown.
[[nodiscard]] std::string path_label(const CampaignHost& from, const CampaignHost& to);

}  // namespace longhaul::measure
