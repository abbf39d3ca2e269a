#include "longhaul/topology/routes.hpp"

#include <map>

#include <gtest/gtest.h>

#include "longhaul/topology/check.hpp"
#include "longhaul/topology/detail/test_networks.hpp"
#include "longhaul/topology/search.hpp"

namespace longhaul::topology {
namespace {

using detail::compiled;
using detail::network;

/// All pairs against searches over the whole network.
void expect_good(const Routes& routes) {
    const CheckReport report = check(routes, {});
    EXPECT_EQ(report.wrong, 0U);
    for (const std::string& problem : report.problems) {
        ADD_FAILURE() << problem;
    }
}

TEST(Routes, FatTreeHasTheSizesOfThePaper) {
    // Al-Fares et al. (SIGCOMM 2008), section 2.2: k^3/4 hosts, 5 k^2/4 switches; every layer of
    // links has k^3/4 cables.
    const Topology net = network(detail::fat_tree_text(6));
    EXPECT_EQ(net.endpoints(), 54U);
    EXPECT_EQ(net.nodes() - net.endpoints(), 45U);
    EXPECT_EQ(net.undirected_links(), 3 * 54U);
}

TEST(Routes, FatTreeEqualsTheSearch) {
    for (const int k : {2, 4, 6, 8}) {
        expect_good(compiled(detail::fat_tree_text(k)));
    }
}

TEST(Routes, FatTreeHasTheEqualCostPathsOfThePaper) {
    // Same section: (k/2)^2 shortest paths between hosts of different pods, k/2 inside a pod.
    const Routes routes = compiled(detail::fat_tree_text(6));
    const Topology& net = routes.topology();
    const NodeId a = *net.find("pod0/rack0/host0");
    EXPECT_EQ(routes.paths(a, *net.find("pod5/rack1/host2"), 100).routes.size(), 9U);
    EXPECT_EQ(routes.paths(a, *net.find("pod0/rack1/host2"), 100).routes.size(), 3U);
    EXPECT_EQ(routes.paths(a, *net.find("pod0/rack0/host2"), 100).routes.size(), 1U);
}

TEST(Routes, OtherPatternsEqualTheSearch) {
    expect_good(compiled(detail::rails_text()));
    expect_good(compiled(detail::regions_text()));
    for (const char* pattern : {"mesh", "ring"}) {
        for (const int count : {3, 4, 7}) {
            const std::string members =
                "[[group]]\nname = \"rack\"\nendpoints = \"host\"\n"
                "count = 2\npattern = \"tree\"\nswitches = 1\ngbps = 9\n";
            expect_good(compiled(members + "[[group]]\nname = \"net\"\nmembers = \"rack\"\n" +
                                 "count = " + std::to_string(count) + "\npattern = \"" + pattern +
                                 "\"\ngbps = 9\n"));
        }
    }
}

TEST(Routes, TorusEqualsTheSearch) {
    expect_good(
        compiled("[[group]]\nname = \"row\"\nendpoints = \"host\"\ncount = 5\n"
                 "pattern = \"ring\"\ngbps = 9\n"
                 "[[group]]\nname = \"torus\"\nmembers = \"row\"\ncount = 4\n"
                 "pattern = \"ring\"\ngbps = 9\n"));
}

TEST(Routes, DragonflyTakesOneGlobalCable) {
    // Kim, Dally, Scott, Abts (ISCA 2008): minimal routing is local, global, local. Global cables
    // cost 3, so that two of them are never shorter.
    const Routes routes = compiled(detail::dragonfly_text());
    EXPECT_EQ(routes.topology().endpoints(), 72U);
    expect_good(routes);
}

}  // namespace
}  // namespace longhaul::topology
