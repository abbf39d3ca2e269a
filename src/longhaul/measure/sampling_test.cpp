#include "longhaul/measure/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

namespace longhaul::measure {
namespace {

/// Round trips of hosts at places on a line, 0.1 ms + the distance.
core::Grid<double> on_a_line(const std::vector<double>& places) {
    core::Grid<double> rtt(places.size(), places.size(), 0.0);
    for (std::size_t i = 0; i < places.size(); ++i) {
        for (std::size_t j = 0; j < places.size(); ++j) {
            rtt(i, j) = i == j ? 0 : 0.1 + std::abs(places[i] - places[j]);
        }
    }
    return rtt;
}

TEST(Sites, NearHostsFormChains) {
    // 0, 1.5, 3 are linked by steps of 1.6 ms although the ends are 3.1 ms apart; 10 is alone.
    const Sites sites =
        cluster_sites({"a", "b", "c", "d"}, {"", "", "", ""}, on_a_line({0, 10, 1.5, 3}));
    EXPECT_EQ(sites.site_of_host, (std::vector<std::size_t>{0, 1, 0, 0}));
    EXPECT_EQ(sites.names, (std::vector<std::string>{"a", "b"}));
}

TEST(Sites, DeclaredNamesRule) {
    // x and y are near each other but declared apart; the fourth host is nearest to y; the two
    // hosts of z are far apart but declared together.
    const Sites sites = cluster_sites(
        {"a", "b", "c", "d", "e"}, {"x", "y", "z", "", "z"}, on_a_line({0, 1, 50, 1.2, 90}));
    EXPECT_EQ(sites.site_of_host, (std::vector<std::size_t>{0, 1, 2, 1, 2}));
    EXPECT_EQ(sites.names, (std::vector<std::string>{"x", "y", "z"}));
}

Sites eight_sites() {
    Sites sites;
    for (std::size_t site = 0; site < 8; ++site) {
        sites.hosts.emplace_back();
        sites.names.push_back("s" + std::to_string(site));
        for (std::size_t k = 0; k < 32; ++k) {
            sites.hosts[site].push_back(sites.site_of_host.size());
            sites.site_of_host.push_back(site);
        }
    }
    return sites;
}

TEST(SamplePlan, CountsOfEightSites) {
    const SamplePlan plan = plan_samples(eight_sites());
    EXPECT_EQ(plan.between.size(), 8U * 7 * 2);
    EXPECT_EQ(plan.inside.size(), 256U);
    EXPECT_EQ(plan.size(), 368U);
    EXPECT_EQ(plan.all_pairs, 65280U);
}

TEST(SamplePlan, EveryPairOfSitesInBothDirectionsAndEveryHostOnce) {
    const Sites sites = eight_sites();
    const SamplePlan plan = plan_samples(sites);
    core::Grid<int> tests(8, 8, 0);
    std::set<SitePair> once;
    for (const SitePair& pair : plan.between) {
        ++tests(sites.site_of_host[pair.from], sites.site_of_host[pair.to]);
        EXPECT_TRUE(once.insert(pair).second);
    }
    for (std::size_t a = 0; a < 8; ++a) {
        for (std::size_t b = 0; b < 8; ++b) {
            EXPECT_EQ(tests(a, b), a == b ? 0 : 2);
        }
    }
    std::vector<int> sends(256, 0);
    std::vector<int> receives(256, 0);
    for (const SitePair& pair : plan.inside) {
        EXPECT_EQ(sites.site_of_host[pair.from], sites.site_of_host[pair.to]);
        ++sends[pair.from];
        ++receives[pair.to];
    }
    EXPECT_EQ(std::ranges::count(sends, 1), 256);
    EXPECT_EQ(std::ranges::count(receives, 1), 256);
}

TEST(SamplePlan, SmallSites) {
    Sites sites;
    sites.hosts = {{0}, {1, 2}};
    sites.site_of_host = {0, 1, 1};
    sites.names = {"a", "b"};
    const SamplePlan plan = plan_samples(sites);
    EXPECT_EQ(plan.between.size(), 2U);  // one host a side is all that a has
    EXPECT_EQ(plan.inside.size(), 2U);
}

/// Two sites of five hosts, 10 Gbit/s inside, 2 between; host 6 sends and receives at half rate.
TEST(CompleteHosts, FillsAllPairsAndFindsTheSlowHost) {
    const std::vector<std::string> hosts{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
    const auto rtt = on_a_line({0, 0, 0, 0, 0, 50, 50, 50, 50, 50});
    const Sites sites = cluster_sites(hosts, std::vector<std::string>(10, ""), rtt);
    ASSERT_EQ(sites.size(), 2U);
    const SamplePlan plan = plan_samples(sites, {5, true});
    core::Grid<double> beta(10, 10, 0.0);
    const auto truth = [&](SitePair p) {
        const double usual = sites.site_of_host[p.from] == sites.site_of_host[p.to] ? 10 : 2;
        return p.from == 6 || p.to == 6 ? usual / 2 : usual;
    };
    for (const auto* list : {&plan.between, &plan.inside}) {
        for (const SitePair& pair : *list) {
            beta(pair.from, pair.to) = truth(pair);
        }
    }
    const auto done = complete_hosts(hosts, sites, rtt, beta);
    ASSERT_TRUE(done);
    EXPECT_EQ(done->hosts.measured, plan.size());
    // Two tests say 1/2: (1/2)^(2/3) after drawing towards 1. Its partners have one test that is
    // not.
    for (std::size_t i = 0; i < 10; ++i) {
        EXPECT_NEAR(done->send[i], i == 6 ? 0.63 : 1, 0.01) << i;
        EXPECT_NEAR(done->receive[i], i == 6 ? 0.63 : 1, 0.01) << i;
        for (std::size_t j = 0; j < 10; ++j) {
            if (i != j) {
                EXPECT_EQ(done->hosts.estimated(i, j) == 0, beta(i, j) > 0);
                EXPECT_NEAR(done->hosts.beta_gbps(i, j) / truth({i, j}), 1, 0.27) << i << j;
                EXPECT_GE(done->hosts.upper(i, j), truth({i, j})) << i << j;
            }
        }
    }
}

TEST(CompleteHosts, NeedsATestInsideSomeSite) {
    const Sites sites = cluster_sites({"a", "b", "c"}, {"x", "x", "y"}, on_a_line({0, 0, 50}));
    core::Grid<double> beta(3, 3, 0.0);
    beta(0, 2) = beta(2, 0) = 1;
    const auto done = complete_hosts({"a", "b", "c"}, sites, on_a_line({0, 0, 50}), beta);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().front().fix, "measure every host once inside its site");
}

}  // namespace
}  // namespace longhaul::measure
