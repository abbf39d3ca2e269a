// What a raw file says about a campaign that is to go on: which tasks need not run again. Pure.
#pragma once

#include <map>
#include <set>
#include <string>

#include "longhaul/measure/campaign.hpp"
#include "longhaul/measure/raw.hpp"

namespace longhaul::measure {

/// Tasks that need not run again: the last attempt is complete, it was the same experiment between
/// the same hosts, and its samples are not older than `oldest` (UTC text; empty: any age).
[[nodiscard]] std::set<std::string> finished_tasks(const Campaign& campaign,
                                                   const Raw& raw,
                                                   const std::string& oldest);

/// Number of the next attempt of every task that the file knows.
[[nodiscard]] std::map<std::string, int> next_attempts(const Raw& raw);

/// What makes a task the same experiment: rules, hosts with address and groups. Short hash.
[[nodiscard]] std::string experiment_of(const Campaign& campaign, const CampaignTask& task);

}  // namespace longhaul::measure
