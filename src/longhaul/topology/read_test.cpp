#include "longhaul/topology/read.hpp"

#include <gtest/gtest.h>

#include "longhaul/topology/artifact.hpp"
#include "longhaul/topology/detail/test_networks.hpp"
#include "longhaul/topology/failures.hpp"

namespace longhaul::topology {
namespace {

using detail::network;

/// All messages of a file that is refused.
std::string refused(const std::string& body) {
    const auto topology = read_topology("format = \"longhaul.topology/1\"\n" + body, "net.toml");
    if (topology) {
        return "accepted";
    }
    std::string text;
    for (const core::Diagnostic& problem : topology.error()) {
        text += core::to_string(problem) + "\n";
    }
    return text;
}

TEST(ReadTopology, NamesRoundTrip) {
    for (const std::string& text : {detail::fat_tree_text(4),
                                    detail::rails_text(),
                                    detail::dragonfly_text(),
                                    detail::regions_text()}) {
        const Topology net = network(text);
        for (NodeId node = 0; node < net.nodes(); ++node) {
            EXPECT_EQ(net.find(net.name(node)), node) << net.name(node);
        }
    }
}

TEST(ReadTopology, LinksAreNumberedAsListed) {
    for (const std::string& text : {detail::fat_tree_text(4),
                                    detail::rails_text(),
                                    detail::dragonfly_text(),
                                    detail::regions_text()}) {
        const Topology net = network(text);
        const std::vector<Link> links = net.links();
        for (LinkId id = 0; id < links.size(); ++id) {
            const Link link = net.link(id);
            EXPECT_EQ(link.from, links[id].from);
            EXPECT_EQ(link.to, links[id].to);
            EXPECT_EQ(link.gbps, links[id].gbps);
        }
    }
}

TEST(ReadTopology, GroupsAreRangesOfEndpoints) {
    const Topology net = network(detail::regions_text());
    EXPECT_EQ(net.find_group("eu"), (EndpointRange{16, 32}));
    EXPECT_EQ(net.find_group("eu/pod3"), (EndpointRange{28, 32}));
    EXPECT_EQ(net.find_group("eu/pod3/rack1/host0"), (EndpointRange{30, 31}));
    EXPECT_EQ(net.find_group("lab"), (EndpointRange{48, 49}));
    EXPECT_EQ(net.find_group("*"), (EndpointRange{0, 49}));
    for (const char* name :
         {"mars", "eu/pod4", "eu/pod03", "eu/pod", "eu/pod1/", "", "lab/host0"}) {
        EXPECT_EQ(net.find_group(name).has_value(), std::string(name) == "eu/pod1/") << name;
    }
}

TEST(ReadTopology, ExceptionsChangeBothDirections) {
    const Topology net = network(detail::fat_tree_text(4) +
                                 "[[exception]]\nlink = [\"pod0/agg1\", \"core3\"]\ndown = true\n"
                                 "[[exception]]\nlink = [\"core0\", \"pod0/agg0\"]\ncost = 5\n");
    int down = 0;
    int dear = 0;
    for (const Link& link : net.links()) {
        down += link.down ? 1 : 0;
        dear += link.cost == 5 ? 1 : 0;
    }
    EXPECT_EQ(down, 2);
    EXPECT_EQ(dear, 2);
}

TEST(ReadTopology, AllProblemsAreReportedWithTheirPlace) {
    const std::string text = refused(
        "[[group]]\nname = \"rack\"\nendpoints = \"host\"\ncount = 0\npattern = \"tree\"\n"
        "switches = 1\ngbps = -1\n");
    EXPECT_NE(text.find("line 5, column 9: group[0].count"), std::string::npos) << text;
    EXPECT_NE(text.find("line 8, column 8: group[0].gbps"), std::string::npos) << text;
}

TEST(ReadTopology, CyclesAreNamedOnce) {
    const std::string text = refused(
        "[[group]]\nname = \"a\"\nmembers = \"b\"\ncount = 2\npattern = \"mesh\"\ngbps = 1\n"
        "[[group]]\nname = \"b\"\nmembers = \"a\"\ncount = 2\npattern = \"mesh\"\ngbps = 1\n");
    EXPECT_NE(text.find("a > b > a"), std::string::npos) << text;
    EXPECT_EQ(text.find("b > a > b"), std::string::npos) << text;
}

// Found by the fuzzer: neither name nor members are no cycle.
TEST(ReadTopology, GroupsWithoutANameContainNothing) {
    const std::string text = refused("[[group]]\ncount = 2\npattern = \"mesh\"\ngbps = 1\n");
    EXPECT_NE(text.find("\"name\" is missing"), std::string::npos) << text;
    EXPECT_EQ(text.find("contains itself"), std::string::npos) << text;
}

TEST(ReadTopology, LargeNetworksAreRefusedBeforeTheyAreBuilt) {
    EXPECT_NE(refused("[[group]]\nname = \"net\"\nendpoints = \"host\"\ncount = 1000000\n"
                      "pattern = \"tree\"\nswitches = 1\ngbps = 1\n")
                  .find("1000001 nodes"),
              std::string::npos);
    EXPECT_NE(refused("[[group]]\nname = \"net\"\nendpoints = \"host\"\npattern = \"fat-tree\"\n"
                      "k = 5000\ngbps = 1\n")
                  .find("nodes"),
              std::string::npos);
    EXPECT_NE(refused("[[group]]\nname = \"net\"\nendpoints = \"host\"\ncount = 9000\n"
                      "pattern = \"mesh\"\ngbps = 1\n")
                  .find("links"),
              std::string::npos);
}

TEST(RoutesFile, ReadsBackAndRefusesOtherTables) {
    const Routes routes = detail::compiled(detail::regions_text());
    const std::string text = core::write_json_line(to_value(routes));
    const auto again = read_routes(text, "routes.json");
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(tables_hash(*again), tables_hash(routes));
    std::string edited = text;
    edited.replace(edited.find("\"k\": 4"), 6, "\"k\": 6");
    EXPECT_FALSE(read_routes(edited, "routes.json").has_value());
}

TEST(RoutesFile, ListsRandomFailures) {
    const Topology net = network(detail::regions_text());
    auto routes = Routes::compile(with_random_failures(net, 0.1, 3));
    ASSERT_TRUE(routes.has_value());
    EXPECT_GT(routes->topology().declaration().exceptions.size(), 5U);
    const auto again = read_routes(core::write_json_line(to_value(*routes)), "routes.json");
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->topology().declaration().exceptions.size(),
              routes->topology().declaration().exceptions.size());
}

}  // namespace
}  // namespace longhaul::topology
