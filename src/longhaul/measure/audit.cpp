#include "longhaul/measure/audit.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "longhaul/core/random.hpp"
#include "longhaul/core/statistics.hpp"
#include "longhaul/measure/schedule.hpp"

namespace longhaul::measure {
namespace {

constexpr std::string_view kSetsMark = "one resource:";

const std::string& site_of_host(const std::vector<CampaignHost>& hosts, int host) {
    return hosts[static_cast<std::size_t>(host)].site;
}

using Route = std::pair<std::string, std::string>;  // sites of sender and receiver

Route route_of(const std::vector<CampaignHost>& hosts, const Flow& flow) {
    return {site_of_host(hosts, flow.from), site_of_host(hosts, flow.to)};
}

/// Whether a site can explain that two transfers share something, or one is unknown.
bool related(const Route& a, const Route& b) {
    const bool known =
        !a.first.empty() && !a.second.empty() && !b.first.empty() && !b.second.empty();
    return !known || a.first == b.first || a.second == b.second ||
           (a.first == b.second && a.second == b.first);
}

/// Joins a set with all that overlap it.
void merge_set(std::vector<std::set<int>>& sets, std::set<int> more) {
    for (auto set = sets.begin(); set != sets.end();) {
        const bool overlaps =
            std::ranges::any_of(*set, [&](int host) { return more.contains(host); });
        if (overlaps) {
            more.insert(set->begin(), set->end());
            set = sets.erase(set);
        } else {
            ++set;
        }
    }
    sets.push_back(std::move(more));
}

/// The whole site, when all hosts are of one.
void widen_to_site(const std::vector<CampaignHost>& hosts, std::set<int>& set) {
    const std::string& site = site_of_host(hosts, *set.begin());
    const bool one_site = !site.empty() && std::ranges::all_of(set, [&](int host) {
        return site_of_host(hosts, host) == site;
    });
    for (int host = 0; one_site && host < static_cast<int>(hosts.size()); ++host) {
        if (site_of_host(hosts, host) == site) {
            set.insert(host);
        }
    }
}

std::set<int> members_of(const Campaign& campaign, const std::string& group) {
    std::set<int> members;
    for (std::size_t i = 0; i < campaign.hosts.size(); ++i) {
        if (std::ranges::count(campaign.hosts[i].groups, group) > 0) {
            members.insert(static_cast<int>(i));
        }
    }
    return members;
}

}  // namespace

double median_of(const std::vector<Sample>& samples, double bytes) {
    std::vector<double> times;
    for (const Sample& sample : samples) {
        if (sample.bytes == bytes) {
            times.push_back(sample.elapsed_s);
        }
    }
    std::ranges::sort(times);
    return times.empty() ? 0 : core::quantile(times, 0.5);
}

BesideTimes beside_times(const std::vector<Sample>& samples) {
    std::map<double, int> counts;
    for (const Sample& sample : samples) {
        ++counts[sample.bytes];
    }
    BesideTimes best;
    for (const auto& [bytes, count] : counts) {
        if (count >= 2) {
            best = {bytes, median_of(samples, bytes)};
        }
    }
    return best;
}

std::vector<std::string> choose_audited(const std::set<std::string>& candidates,
                                        double share,
                                        int least,
                                        std::uint64_t seed) {
    std::vector<std::string> chosen(candidates.begin(), candidates.end());
    core::Random random(seed);
    random.shuffle(std::span(chosen));
    const double wanted = std::ceil(share * static_cast<double>(chosen.size()));
    const auto count = static_cast<std::size_t>(std::max(wanted, static_cast<double>(least)));
    chosen.resize(std::min(count, chosen.size()));
    return chosen;
}

bool slowed_each_time(const std::vector<double>& alone, const std::vector<double>& beside) {
    if (alone.size() < 2 || beside.size() < 2) {
        return false;
    }
    std::vector<double> sorted = alone;
    std::ranges::sort(sorted);
    const double slowest = sorted.size() > 2 ? *std::prev(sorted.end(), 2) : sorted.back();
    return sorted.front() > 0 && std::ranges::min(beside) > kSlowedRatio * slowest;
}

std::string sharings_text(const std::vector<CampaignHost>& hosts,
                          const std::vector<Sharing>& found) {
    const auto name = [&](const Flow& flow) {
        return hosts[static_cast<std::size_t>(flow.from)].id + ">" +
               hosts[static_cast<std::size_t>(flow.to)].id;
    };
    std::string text;
    for (const Sharing& each : found) {
        text += (text.empty() ? "" : ", ") + name(each.slowed) + " beside " + name(each.beside);
    }
    return text;
}

std::string hidden_text(const std::string& sets) {
    return "hidden sharing: transfers slowed each other and were measured again one by one; " +
           sets +
           "; give these hosts a group in the hosts file, with half_duplex = true where only "
           "opposite directions meet";
}

std::string busy_text(const std::string& sharings) {
    return "busy: transfers were slower beside others that share no site with them (" + sharings +
           "): a machine or a queue was busy, or their paths meet inside the network; measure "
           "again at a quieter time";
}

AuditedPair audit_pair(const CampaignTask& task,
                       double before_s,
                       const std::vector<const CampaignTask*>& mates,
                       const std::function<double(const CampaignTask*)>& timed) {
    AuditedPair pair;
    const auto note = [&](std::string kind, std::string detail) {
        pair.events.push_back({"", task.id, std::move(kind), "", std::move(detail)});
    };
    std::vector<double> alone{timed(nullptr)};
    if (alone.front() <= 0 || before_s <= kSlowedRatio * alone.front()) {
        return pair;
    }
    for (const CampaignTask* mate : mates) {
        std::vector<double> beside{timed(mate)};
        if (beside.front() <= kSlowedRatio * std::ranges::max(alone)) {
            continue;
        }
        const auto once_more = [&] {
            alone.push_back(timed(nullptr));
            beside.push_back(timed(mate));
        };
        once_more();
        if (!slowed_each_time(alone, beside) &&
            std::ranges::min(beside) > kSlowedRatio * std::ranges::min(alone)) {
            once_more();  // something else may have slowed it while it was alone
        }
        if (slowed_each_time(alone, beside)) {
            pair.found.push_back(
                {{task.hosts[0], task.hosts[1]}, {mate->hosts[0], mate->hosts[1]}});
            note("slowed",
                 fmt::format("{:.4g} s alone at most, {:.4g} s beside {} at least",
                             std::ranges::max(alone),
                             std::ranges::min(beside),
                             mate->id));
        }
    }
    if (pair.found.empty()) {
        note("drift",
             fmt::format("{:.4g} s beside others, {:.4g} s alone, but none of the others slows it "
                         "each time",
                         before_s,
                         alone.front()));
    }
    return pair;
}

Explained explain(const std::vector<CampaignHost>& hosts, const std::vector<Sharing>& found) {
    Explained explained;
    std::set<std::set<Route>> combinations;
    for (const Sharing& sharing : found) {
        const Route slowed = route_of(hosts, sharing.slowed);
        const Route beside = route_of(hosts, sharing.beside);
        if (related(slowed, beside)) {
            explained.shared.push_back(sharing);
        } else {
            explained.busy.push_back(sharing);
            combinations.insert({slowed, beside});
        }
    }
    if (combinations.size() == 1) {
        explained.shared.insert(
            explained.shared.end(), explained.busy.begin(), explained.busy.end());
        explained.busy.clear();
    }
    return explained;
}

std::vector<std::set<int>> hidden_sets(const std::vector<CampaignHost>& hosts,
                                       const std::vector<Sharing>& found) {
    std::vector<std::set<int>> sets;
    for (const Sharing& sharing : found) {
        for (std::set<int> set : {std::set<int>{sharing.slowed.from, sharing.beside.from},
                                  std::set<int>{sharing.slowed.to, sharing.beside.to}}) {
            if (set.size() > 1) {
                widen_to_site(hosts, set);
                merge_set(sets, std::move(set));
            }
        }
    }
    std::ranges::sort(sets);
    return sets;
}

int add_hidden_groups(Campaign& campaign, const std::vector<std::set<int>>& sets) {
    int added = 0;
    for (const std::set<int>& set : sets) {
        const bool known = std::ranges::any_of(campaign.groups, [&](const CampaignGroup& group) {
            return members_of(campaign, group.name) == set;
        });
        if (known) {
            continue;
        }
        const auto hidden = std::ranges::count_if(campaign.groups, [](const CampaignGroup& group) {
            return group.name.starts_with(kHiddenPrefix);
        });
        const std::string name = fmt::format("{}{}", kHiddenPrefix, hidden + 1);
        campaign.groups.push_back({name, false, false});
        for (const int host : set) {
            campaign.hosts[static_cast<std::size_t>(host)].groups.push_back(name);
        }
        ++added;
    }
    return added;
}

std::string sets_text(const std::vector<CampaignHost>& hosts,
                      const std::vector<std::set<int>>& sets) {
    std::string text(kSetsMark);
    for (std::size_t i = 0; i < sets.size(); ++i) {
        text += i > 0 ? ";" : "";
        for (const int host : sets[i]) {
            text += " " + hosts[static_cast<std::size_t>(host)].id;
        }
    }
    return text;
}

std::vector<std::set<int>> sets_of_events(const std::vector<CampaignHost>& hosts,
                                          const std::vector<Event>& events) {
    std::vector<std::set<int>> sets;
    for (const Event& event : events) {
        const std::size_t mark = event.detail.find(kSetsMark);
        if (event.kind != "hidden_sharing" || mark == std::string::npos) {
            continue;
        }
        std::istringstream parts(event.detail.substr(mark + kSetsMark.size()));
        std::string part;
        while (std::getline(parts, part, ';')) {
            std::istringstream names(part);
            std::string name;
            std::set<int> set;
            while (names >> name) {
                const auto host = std::ranges::find(hosts, name, &CampaignHost::id);
                if (host != hosts.end()) {
                    set.insert(static_cast<int>(host - hosts.begin()));
                }
            }
            if (set.size() > 1) {
                merge_set(sets, std::move(set));
            }
        }
    }
    return sets;
}

std::set<std::string> clashing_tasks(const Campaign& campaign,
                                     const std::map<std::string, std::set<std::string>>& beside) {
    std::map<std::string, std::vector<int>> resources;
    for (const CampaignTask& task : campaign.tasks) {
        resources[task.id] = resources_of(task, campaign.hosts, campaign.groups);
    }
    std::set<std::string> clashing;
    for (const auto& [task, mates] : beside) {
        const auto mine = resources.find(task);
        for (const std::string& mate : mates) {
            const auto other = resources.find(mate);
            if (mine == resources.end() || other == resources.end()) {
                continue;
            }
            std::vector<int> shared;
            std::ranges::set_intersection(mine->second, other->second, std::back_inserter(shared));
            if (!shared.empty()) {
                clashing.insert(task);
            }
        }
    }
    return clashing;
}

}  // namespace longhaul::measure
