// Large worlds: hosts become sites, and a few pairs of hosts are measured for each pair of sites.
#pragma once

#include <string>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/measure/completion.hpp"

namespace longhaul::measure {

/// Site of every host: a small index, in order of the first host of each.
struct Sites {
    std::vector<std::size_t> site_of_host;
    std::vector<std::vector<std::size_t>> hosts;  ///< of each site, ascending
    std::vector<std::string> names;  ///< declared name, else the name of the first host
    [[nodiscard]] std::size_t size() const { return hosts.size(); }
};

/// Hosts of one declared site belong together. Others join whom they are near: single linkage over
/// round trips below `near_ms`, nearest first; sites with different declared names never merge.
/// `declared` has n names, "" where unknown; `rtt_ms` is n x n, 0 where unknown. O(n^2 log n).
[[nodiscard]] Sites cluster_sites(const std::vector<std::string>& hosts,
                                  const std::vector<std::string>& declared,
                                  const core::Grid<double>& rtt_ms,
                                  double near_ms = 2);

/// Directed tests between hosts: sender, receiver.
struct Sample_plan;

struct SamplePlan {
    std::vector<SitePair> between;  ///< of different sites: pairs of hosts
    std::vector<SitePair> inside;   ///< of one site: pairs of hosts
    std::size_t all_pairs = 0;      ///< n (n - 1), what measuring everything would take
    [[nodiscard]] std::size_t size() const { return between.size() + inside.size(); }
};

struct SampleOptions {
    std::size_t hosts_a_side = 2;  ///< of every pair of sites; fewer where a site has fewer
    bool inside = true;            ///< every host sends once and receives once inside its site
};

/// Both directions of every pair of sites, `hosts_a_side` disjoint pairs of hosts each; the hosts
/// of a site take turns. Inside a site a ring. For S sites and N hosts about S (S - 1) hosts_a_side
/// + N tests: 368 for 8 sites of 32 hosts instead of 65,280. O(result).
[[nodiscard]] SamplePlan plan_samples(const Sites& sites, const SampleOptions& options = {});

/// Bandwidths of all pairs of hosts from those of some: completed between sites, times what each
/// host sends and receives beside its site.
struct HostCompletion {
    Completion hosts;          ///< n x n
    Completion sites;          ///< S x S; its diagonal is 0
    std::vector<double> send;  ///< n factors, 1 = like its site
    std::vector<double> receive;
};

/// `beta_gbps` and `rtt_ms` are n x n over hosts, 0 where not measured. The value of a pair of
/// sites is the median of its measured pairs, that inside a site the median of its ring. A host's
/// factor is the median ratio of its tests to those values, drawn towards 1 as if one more test had
/// said 1. A site without a test inside gets the smallest inside another site, as an estimate.
/// O(n^2 + complete).
[[nodiscard]] core::Result<HostCompletion> complete_hosts(const std::vector<std::string>& hosts,
                                                          const Sites& sites,
                                                          const core::Grid<double>& rtt_ms,
                                                          const core::Grid<double>& beta_gbps,
                                                          const CompletionOptions& options = {});

}  // namespace longhaul::measure
