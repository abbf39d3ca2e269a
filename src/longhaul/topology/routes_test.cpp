#include "longhaul/topology/routes.hpp"

#include <map>

#include <gtest/gtest.h>

#include "longhaul/topology/check.hpp"
#include "longhaul/topology/detail/test_networks.hpp"
#include "longhaul/topology/failures.hpp"
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

TEST(Routes, NextHopsAreThoseOfThePath) {
    for (const std::string& text : {detail::fat_tree_text(4),
                                    detail::rails_text(),
                                    detail::dragonfly_text(),
                                    detail::regions_text()}) {
        const Topology net = network(text);
        for (const double share : {0.0, 0.1}) {
            const auto routes = Routes::compile(with_random_failures(net, share, 5));
            ASSERT_TRUE(routes.has_value());
            for (NodeId from = 0; from < net.endpoints(); from += 3) {
                for (NodeId to = 0; to < net.endpoints(); to += 2) {
                    const Route route = routes->path(from, to, 99);
                    NodeId node = from;
                    for (const LinkId link : route.links) {
                        const auto hop = routes->next_hop(node, to, 99);
                        ASSERT_TRUE(hop.has_value());
                        EXPECT_EQ(hop->link, link);
                        node = hop->node;
                    }
                    EXPECT_FALSE(routes->next_hop(node, to, 99).has_value());
                }
            }
        }
    }
}

// next_links goes through the rules, or asks the slow list of a patch, and counts for itself which
// link a hash takes.
TEST(Routes, NextHopsAreThoseOfTheirSets) {
    for (const std::string& text : {detail::fat_tree_text(6),
                                    detail::rails_text(),
                                    detail::dragonfly_text(),
                                    detail::regions_text()}) {
        const Topology net = network(text);
        for (const double share : {0.0, 0.02, 0.1, 0.4}) {
            const auto routes = Routes::compile(with_random_failures(net, share, 3));
            ASSERT_TRUE(routes.has_value());
            for (NodeId at = 0; at < net.nodes(); ++at) {
                for (NodeId to = 0; to < net.endpoints(); ++to) {
                    const auto links = routes->next_links(at, to);
                    const std::uint64_t flow = 7 * at + to;
                    const auto hop = routes->next_hop(at, to, flow);
                    ASSERT_EQ(hop.has_value(), !links.empty());
                    if (hop) {
                        const std::uint64_t hash = hop_hash(flow, at);
                        EXPECT_EQ(hop->link, links[(hash * links.size()) >> 32U]);
                        EXPECT_EQ(hop->node, net.link(hop->link).to);
                    }
                }
            }
        }
    }
}

// Every entry of a patch, and what lies between entries, against a walk through the list.
TEST(Routes, PatchesAreFoundWhereTheListHasThem) {
    for (const double share : {0.02, 0.1, 0.4}) {
        const Topology net = network(detail::fat_tree_text(8));
        const auto routes = Routes::compile(with_random_failures(net, share, 11));
        ASSERT_TRUE(routes.has_value());
        const Patches& patches = routes->planes().front().sites.front();
        for (std::uint32_t node = 0; node < net.nodes(); ++node) {
            std::vector<std::uint32_t> sets(net.endpoints() + 1, Patches::kRules);
            for (const Patches::Entry& entry : patches.entries()) {
                for (std::uint32_t to = entry.lo; entry.node == node && to < entry.hi; ++to) {
                    sets[to] = entry.set;
                }
            }
            for (const std::uint32_t dead : patches.dead()) {
                sets[dead] = 0;
            }
            for (std::uint32_t to = 0; to < sets.size(); ++to) {
                ASSERT_EQ(patches.set_at(node, to), sets[to]) << node << ' ' << to;
            }
        }
    }
}

TEST(Routes, TreesAndRailsHaveTheQuickLookUp) {
    EXPECT_NE(compiled(detail::fat_tree_text(4)).chain(0).tree(), nullptr);
    EXPECT_NE(compiled(detail::rails_text()).chain(0).tree(), nullptr);
    EXPECT_NE(compiled(detail::regions_text()).chain(0).tree(), nullptr);
    EXPECT_EQ(compiled(detail::dragonfly_text()).chain(0).tree(), nullptr);
}

TEST(Routes, FlowsSpreadEvenly) {
    // 4 paths between pods of a fat tree of 4-port switches; flows are binomial with 1/4 each.
    const Routes routes = compiled(detail::fat_tree_text(4));
    std::map<std::vector<LinkId>, int> counts;
    for (std::uint64_t flow = 0; flow < 4000; ++flow) {
        ++counts[routes.path(0, 15, flow).links];
    }
    ASSERT_EQ(counts.size(), 4U);
    for (const auto& [links, count] : counts) {
        EXPECT_NEAR(count, 1000, 6 * 28);  // six standard deviations
    }
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
