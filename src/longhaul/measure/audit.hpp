// Finds what transfers share without anybody having said so: pairs that ran beside others run again
// alone, and those that are quicker alone run beside each of the others in turn, and once more
// alone and beside those that slowed them.
#pragma once

#include <cstdint>
#include <functional>
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

/// Whether a transfer shares something with another: every time beside it took longer than every
/// time alone by kSlowedRatio, and there are two of each or more; one slow message of a busy
/// machine is no sign. With three times alone or more the slowest of them does not count. Times in
/// seconds; one that is not positive failed.
[[nodiscard]] bool slowed_each_time(const std::vector<double>& alone,
                                    const std::vector<double>& beside);

/// The sharings as text: "a>b beside c>d, ...".
[[nodiscard]] std::string sharings_text(const std::vector<CampaignHost>& hosts,
                                        const std::vector<Sharing>& found);

/// The warning about sets of hosts that share something, given as text.
[[nodiscard]] std::string hidden_text(const std::string& sets);

/// The warning about sharings that nothing explains, given as text.
[[nodiscard]] std::string busy_text(const std::string& sharings);

/// What came of a pair that ran again.
struct AuditedPair {
    std::vector<Sharing> found;
    std::vector<Event> events;  ///< without a time: "slowed" for each that was found; else "drift"
                                ///< when it was quicker alone
};

/// A pair alone, and where that is quicker than `before_s`, beside each of the mates; a mate that
/// slows it has to do so again, with the pair alone between, and a third time where it was slow
/// alone once. `timed` runs the pair beside a mate
/// (nullptr: alone) and returns its seconds, 0 when it failed.
[[nodiscard]] AuditedPair audit_pair(const CampaignTask& task,
                                     double before_s,
                                     const std::vector<const CampaignTask*>& mates,
                                     const std::function<double(const CampaignTask*)>& timed);

/// What was found, by what it says.
struct Explained {
    std::vector<Sharing> shared;  ///< a site, a pair of sites or an unknown site explains it
    std::vector<Sharing> busy;    ///< nothing common does: a machine or a queue was busy
};

/// Transfers whose senders or receivers are of one site, or that run between the same two sites,
/// may share something; so may those of hosts without a site. Others may meet on one link inside
/// the network, so that they are taken for sharing when all of them run between the same sites:
/// with more combinations than one, something was busy.
[[nodiscard]] Explained explain(const std::vector<CampaignHost>& hosts,
                                const std::vector<Sharing>& found);

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
