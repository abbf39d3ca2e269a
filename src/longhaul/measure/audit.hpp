// Finds what transfers share without anybody having said so: pairs that ran beside others run again
// alone, and those that are quicker alone run beside each of the others in turn.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "longhaul/measure/campaign.hpp"
#include "longhaul/measure/raw.hpp"

namespace longhaul::measure {

inline constexpr std::string_view kHiddenPrefix = "hidden:";  ///< of groups that an audit found
inline constexpr double kSlowedRatio = 1.1;  ///< median time beside others over alone

/// What is known of a pair that ran beside others: the largest size with two samples or more.
struct BesideTimes {
    double bytes = 0;
    double median_s = 0;
};
[[nodiscard]] BesideTimes beside_times(const std::vector<Sample>& samples);

/// Median of the samples of that size; 0 when there are none.
[[nodiscard]] double median_of(const std::vector<Sample>& samples, double bytes);

/// A share of the candidates, at least `least`, spread evenly by a shuffle with that seed.
[[nodiscard]] std::vector<std::string> choose_audited(const std::set<std::string>& candidates,
                                                      double share,
                                                      int least,
                                                      std::uint64_t seed);

/// Two transfers of which one slows the other.
struct Sharing {
    Flow slowed;
    Flow beside;
};

/// Sets of hosts that have to count as one resource: senders that share, receivers that share. When
/// the hosts of a set are of one site, all hosts of that site belong to it, since only a few pairs
/// are audited. Sets that overlap become one.
[[nodiscard]] std::vector<std::set<int>> hidden_sets(const std::vector<CampaignHost>& hosts,
                                                     const std::vector<Sharing>& found);

/// Adds a group for each set (unless a group has those hosts already); returns how many were added.
int add_hidden_groups(Campaign& campaign, const std::vector<std::set<int>>& sets);

/// The sets as text in an event, and back: "a b; c d".
[[nodiscard]] std::string sets_text(const std::vector<CampaignHost>& hosts,
                                    const std::vector<std::set<int>>& sets);
[[nodiscard]] std::vector<std::set<int>> sets_of_events(const std::vector<CampaignHost>& hosts,
                                                        const std::vector<Event>& events);

/// Tasks that ran beside one with which they share a resource, as the campaign stands now.
/// `beside`: what each task ran beside.
[[nodiscard]] std::set<std::string> clashing_tasks(
    const Campaign& campaign, const std::map<std::string, std::set<std::string>>& beside);

}  // namespace longhaul::measure
