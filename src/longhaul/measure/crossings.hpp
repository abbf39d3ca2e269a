// Which transfers between sites run at once to tell what sites share: the link from one to another,
// or what all leave over and enter by.
#pragma once

#include <vector>

#include "longhaul/measure/campaign.hpp"

namespace longhaul::measure {

/// Sets of transfers between different sites, two or more each, in which no host takes part twice;
/// each set as from, to, from, to, ... For each ordered pair of sites, `width` transfers from the
/// one to the other: by the first hosts of both, on the way back by the last. From each site, and
/// into each, transfers with as many different other sites, at most the largest width: what a site
/// leaves over is then loaded twice, links to other sites once each. Widths that a pair of sites
/// has no hosts for are left out; without any: 2, 4, ... and all. Hosts without a site take no
/// part. O(sites^2 hosts widths).
[[nodiscard]] std::vector<std::vector<int>> crossings(const std::vector<CampaignHost>& hosts,
                                                      const std::vector<int>& widths);

}  // namespace longhaul::measure
