// Hosts and pairs that are slower or faster than what is usual around them.
#pragma once

#include <vector>

#include "longhaul/measure/pair_facts.hpp"
#include "longhaul/measure/pair_kernel.hpp"

namespace longhaul::measure {

/// What a host does beside comparable hosts: 0.5 = half their rate.
struct HostEffect {
    std::size_t host = 0;
    double send = 1;
    double receive = 1;
    bool outlier = false;
};

/// A pair beside comparable pairs.
struct PairEffect {
    SitePair pair;
    double ratio = 1;
};

/// Median ratio of a host's rates to the medians of its site-mates to the same partner; where a
/// site has fewer than three hosts, to the medians of all hosts. Outliers are beyond `factor` and
/// 3.5 robust standard deviations of all effects.
[[nodiscard]] std::vector<HostEffect> host_effects(const PairFacts& facts, double factor);

/// Pairs beyond `factor` and 3.5 robust deviations of what their two hosts and the pairs of their
/// two sites lead to expect; pairs of `hosts` that are outliers themselves are left out. Needs
/// three pairs between two sites. Strongest first.
[[nodiscard]] std::vector<PairEffect> pair_outliers(const PairFacts& facts,
                                                    const std::vector<HostEffect>& hosts,
                                                    double factor);

}  // namespace longhaul::measure
