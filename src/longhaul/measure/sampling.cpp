#include "longhaul/measure/sampling.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace longhaul::measure {
namespace {

/// Union-find whose sets remember the declared name of a member.
class SiteSets {
public:
    explicit SiteSets(const std::vector<std::string>& declared)
        : parent_(declared.size()), name_(declared) {
        std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    }

    [[nodiscard]] std::size_t root(std::size_t i) {
        while (parent_[i] != i) {
            parent_[i] = parent_[parent_[i]];
            i = parent_[i];
        }
        return i;
    }

    void join(std::size_t i, std::size_t j) {
        const std::size_t a = std::min(root(i), root(j));
        const std::size_t b = std::max(root(i), root(j));
        const bool clash = !name_[a].empty() && !name_[b].empty() && name_[a] != name_[b];
        if (a != b && !clash) {
            parent_[b] = a;
            name_[a] = name_[a].empty() ? name_[b] : name_[a];
        }
    }

    [[nodiscard]] const std::string& name(std::size_t root_of_set) const {
        return name_[root_of_set];
    }

private:
    std::vector<std::size_t> parent_;
    std::vector<std::string> name_;
};

void join_declared(const std::vector<std::string>& declared, SiteSets& sets) {
    std::map<std::string, std::size_t> first;
    for (std::size_t i = 0; i < declared.size(); ++i) {
        if (!declared[i].empty()) {
            sets.join(first.try_emplace(declared[i], i).first->second, i);
        }
    }
}

void join_near(const core::Grid<double>& rtt_ms, double near_ms, SiteSets& sets) {
    std::vector<std::tuple<double, std::size_t, std::size_t>> near;
    for (std::size_t i = 0; i < rtt_ms.rows(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const double rtt = rtt_ms(i, j) > 0 && rtt_ms(j, i) > 0
                                   ? std::min(rtt_ms(i, j), rtt_ms(j, i))
                                   : std::max(rtt_ms(i, j), rtt_ms(j, i));
            if (rtt > 0 && rtt < near_ms) {
                near.emplace_back(rtt, j, i);
            }
        }
    }
    std::ranges::sort(near);
    for (const auto& [rtt, j, i] : near) {
        sets.join(j, i);
    }
}

}  // namespace

Sites cluster_sites(const std::vector<std::string>& hosts,
                    const std::vector<std::string>& declared,
                    const core::Grid<double>& rtt_ms,
                    double near_ms) {
    LONGHAUL_ASSERT(declared.size() == hosts.size() && rtt_ms.rows() == hosts.size());
    SiteSets sets(declared);
    join_declared(declared, sets);
    join_near(rtt_ms, near_ms, sets);
    Sites sites;
    std::map<std::size_t, std::size_t> index_of_root;
    for (std::size_t host = 0; host < hosts.size(); ++host) {
        const std::size_t root = sets.root(host);
        const auto [found, fresh] = index_of_root.try_emplace(root, sites.hosts.size());
        if (fresh) {
            sites.hosts.emplace_back();
            sites.names.push_back(sets.name(root).empty() ? hosts[host] : sets.name(root));
        }
        sites.hosts[found->second].push_back(host);
        sites.site_of_host.push_back(found->second);
    }
    return sites;
}

SamplePlan plan_samples(const Sites& sites, const SampleOptions& options) {
    SamplePlan plan;
    std::vector<std::size_t> turn(sites.size(), 0);
    const auto next_host = [&](std::size_t site) {
        return sites.hosts[site][turn[site]++ % sites.hosts[site].size()];
    };
    for (std::size_t a = 0; a < sites.size(); ++a) {
        for (std::size_t b = a + 1; b < sites.size(); ++b) {
            const std::size_t tests =
                std::min({options.hosts_a_side, sites.hosts[a].size(), sites.hosts[b].size()});
            for (std::size_t k = 0; k < tests; ++k) {
                const std::size_t left = next_host(a);
                const std::size_t right = next_host(b);
                plan.between.push_back({left, right});
                plan.between.push_back({right, left});
            }
        }
    }
    for (const std::vector<std::size_t>& hosts : sites.hosts) {
        for (std::size_t i = 0; options.inside && hosts.size() > 1 && i < hosts.size(); ++i) {
            plan.inside.push_back({hosts[i], hosts[(i + 1) % hosts.size()]});
        }
    }
    const std::size_t n = sites.site_of_host.size();
    plan.all_pairs = n < 2 ? 0 : n * (n - 1);
    return plan;
}

}  // namespace longhaul::measure
