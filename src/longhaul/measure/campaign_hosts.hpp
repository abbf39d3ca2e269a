// The file that a person writes about the hosts of a campaign: docs/formats/measure-hosts.md.
#pragma once

#include <string_view>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/measure/campaign.hpp"

namespace longhaul::measure {

inline constexpr int kDefaultAgentPort = 7711;

struct CampaignHosts {
    std::vector<CampaignHost> hosts;
    std::vector<CampaignGroup> groups;  ///< declared, or only named by a host
};

/// Reads a hosts file (TOML); every problem is reported with its place.
[[nodiscard]] core::Result<CampaignHosts> read_campaign_hosts(std::string_view text,
                                                              std::string_view name);

/// Pairs from text: "FROM TO" a line, ids of hosts; blank lines and what stands behind # do not
/// count.
[[nodiscard]] core::Result<std::vector<Flow>> read_pairs(std::string_view text,
                                                         std::string_view name,
                                                         const std::vector<CampaignHost>& hosts);

}  // namespace longhaul::measure
