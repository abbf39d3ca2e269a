// Which experiments a campaign has, and which of them may run at once. Every host, and every
// declared group in each direction, is a resource that one task holds at a time; a slot is a set of
// tasks without a common resource.
//
// Pairs come in the order of the circle method (N - 1 rounds of N / 2 disjoint pairs, each pair in
// both directions), so that greedy first fit finds full slots where nothing is shared.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/measure/campaign.hpp"

namespace longhaul::measure {

inline constexpr int kPings = 20;  ///< repetitions of a ping task
/// Messages of the largest size before a warm task counts: at least, and until two in a row take
/// the same time (the congestion window has opened), at most.
inline constexpr int kWarmMessages = 2;
inline constexpr int kMostWarmMessages = 8;

/// What to measure, and what is assumed of links that nobody has measured yet.
struct ScheduleOptions {
    std::vector<Pattern> patterns{Pattern::kPing, Pattern::kPeer};
    std::vector<State> states{State::kWarm};
    double idle_s = 1;            ///< pause of State::kIdle
    std::vector<int> streams{1};  ///< of pairs; fans, relays and crossings use the first
    std::vector<int> fan_widths;  ///< transfers of fans and crossings; empty: 2, 4, ... and all
    int blocks = 3;               ///< every experiment runs once in each, far apart in time
    CampaignRules rules;
    std::vector<Flow> pairs;  ///< ordered pairs for ping, peer and both_ways; empty: all
    double assumed_rtt_s = 0.08;
    double assumed_gbps = 0.2;
};

/// Rounds of the circle method over n players: every unordered pair once, disjoint in each round.
[[nodiscard]] std::vector<std::vector<std::pair<int, int>>> circle_rounds(int n);

/// Resources of a task as numbers, ascending: host i is i; behind them come the groups.
[[nodiscard]] std::vector<int> resources_of(const CampaignTask& task,
                                            const std::vector<CampaignHost>& hosts,
                                            const std::vector<CampaignGroup>& groups);

/// Gives every task a slot from `first_slot` on: longest first, each into the first slot in which
/// its resources are free. Returns the first slot behind them. Within equal lengths, the order of
/// the tasks counts. O(tasks x slots x resources of a task).
int assign_slots(std::vector<CampaignTask*> tasks,
                 const std::vector<CampaignHost>& hosts,
                 const std::vector<CampaignGroup>& groups,
                 int first_slot);

/// Message sizes, each twice the one before; `largest` is lowered until warm-up and `repeats` of
/// each fit into `pair_bytes` (0: no limit).
[[nodiscard]] std::vector<double> size_grid(double smallest,
                                            double largest,
                                            int repeats,
                                            double pair_bytes);

/// All tasks of a campaign with their slots. The hosts must be at least two.
[[nodiscard]] Campaign make_campaign(const std::vector<CampaignHost>& hosts,
                                     const std::vector<CampaignGroup>& groups,
                                     const ScheduleOptions& options);

}  // namespace longhaul::measure
