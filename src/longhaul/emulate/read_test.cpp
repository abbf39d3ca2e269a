#include "longhaul/emulate/read.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "longhaul/emulate/detail/addresses.hpp"

namespace longhaul::emulate {
namespace {

constexpr const char* kTwoRegions = R"(
[defaults]
up = { rate_mbps = 200 }
down = { rate_mbps = 300 }
[[region]]
name = "a"
hosts = 2
inside = { delay_ms = 0.5 }
site_up = { rate_mbps = 80 }
[[region]]
name = "b"
hosts = ["x", "y"]
up = { rate_mbps = 20 }
[[link]]
from = "a"
to = "b"
delay_ms = 30
rate_mbps = 100
queue_kb = 500
[[link]]
from = "b"
to = "a"
delay_ms = 31
)";

Wan read(const std::string& text) {
    const core::Result<Wan> wan = read_network(text, "wan.toml");
    EXPECT_TRUE(wan) << (wan ? "" : core::to_string(wan.error()[0]));
    return wan.value_or(Wan());
}

/// The messages of a file that must be refused, one a line.
std::string refused(const std::string& text) {
    const core::Result<Wan> wan = read_network(text, "wan.toml");
    EXPECT_FALSE(wan);
    std::string all;
    for (const core::Diagnostic& problem : wan ? core::Diagnostics() : wan.error()) {
        all += core::to_string(problem) + "\n";
    }
    return all;
}

std::vector<std::string> names(const Wan& wan, std::size_t from, std::size_t to) {
    std::vector<std::string> list;
    for (const int index : wan.path(from, to)) {
        list.push_back(wan.resources[index].name);
    }
    return list;
}

using Names = std::vector<std::string>;

TEST(ReadWan, PathsAreComposed) {
    const Wan wan = read(kTwoRegions);
    ASSERT_EQ(wan.hosts.size(), 4);
    EXPECT_EQ(wan.hosts[0].name, "a-1");
    EXPECT_EQ(wan.hosts[3].name, "y");
    EXPECT_EQ(wan.hosts[3].region, "b");
    EXPECT_EQ(address_text(wan.hosts[3].address), "10.77.0.4");
    EXPECT_EQ(address_text(wan.hosts[3].control), "10.78.0.4");
    EXPECT_EQ(address_text(wan.control_host), "10.78.255.254");
    EXPECT_EQ(names(wan, 0, 1), Names({"up:a-1", "inside:a-1>a-2", "down:a-2"}));
    EXPECT_EQ(names(wan, 0, 2), Names({"up:a-1", "site_up:a", "link:a>b", "down:x"}));
    EXPECT_EQ(names(wan, 3, 1), Names({"up:y", "link:b>a", "down:a-2"}));
    EXPECT_EQ(names(wan, 2, 3), Names({"up:x", "down:y"}));
    EXPECT_DOUBLE_EQ(delay_ms(wan, wan.path(0, 2)), 30);
    EXPECT_DOUBLE_EQ(rate_mbps(wan, wan.path(0, 2)), 80);
    EXPECT_DOUBLE_EQ(rate_mbps(wan, wan.path(2, 0)), 20);
    EXPECT_DOUBLE_EQ(wan.resources[wan.path(0, 2)[2]].shape.queue_bytes, 500e3);
}

TEST(ReadWan, HostsByThemselvesAreRegions) {
    const Wan wan = read(R"(
[[host]]
name = "a"
up_down = { rate_mbps = 10 }
[[host]]
name = "b"
address = "10.77.3.4"
[[link]]
between = ["a", "b"]
delay_ms = 5
half_duplex = true
)");
    EXPECT_EQ(names(wan, 0, 1), Names({"up_down:a", "link:a=b"}));
    EXPECT_EQ(names(wan, 1, 0), Names({"link:a=b", "up_down:a"}));
    EXPECT_EQ(address_text(wan.hosts[1].address), "10.77.3.4");
}

TEST(ReadWan, LinksOfEachPairAndDefaults) {
    const Wan wan = read(R"(
[defaults]
link = { delay_ms = 9 }
[[region]]
name = "a"
hosts = 2
[[region]]
name = "b"
hosts = 1
[[region]]
name = "c"
hosts = 1
[[link]]
between = ["a", "b"]
rate_mbps = 5
each_pair = true
)");
    EXPECT_EQ(names(wan, 0, 2), Names({"link:a-1>b-1"}));
    EXPECT_EQ(names(wan, 1, 2), Names({"link:a-2>b-1"}));
    EXPECT_EQ(names(wan, 2, 1), Names({"link:b-1>a-2"}));
    EXPECT_EQ(names(wan, 2, 3), Names({"link:b>c"}));
    EXPECT_DOUBLE_EQ(delay_ms(wan, wan.path(3, 0)), 9);
}

TEST(ReadWan, PathsMayBeGiven) {
    const Wan wan = read(std::string(kTwoRegions) + R"(
[[resource]]
name = "cable"
rate_mbps = 50
[[path]]
from = "a"
to = "y"
through = ["up:a-1", "cable"]
)");
    EXPECT_EQ(names(wan, 0, 3), Names({"up:a-1", "cable"}));
    EXPECT_EQ(names(wan, 1, 3), Names({"up:a-1", "cable"}));
    EXPECT_EQ(names(wan, 0, 2), Names({"up:a-1", "site_up:a", "link:a>b", "down:x"}));
}

TEST(ReadWan, QueuesByTimeAndSettings) {
    const Wan wan = read(R"(
mtu = 9000
ethernet = 0
seed = 11
network = "10.99.0.0/16"
[tcp]
congestion = "bbr"
buffer_mb = 0
[sysctl]
"net.ipv4.tcp_sack" = 0
"net.ipv4.ip_local_port_range" = "2000 3000"
[[region]]
name = "a"
hosts = 2
up = { rate_mbps = 80, queue_ms = 10, burst_kb = 4, loss = 0.5, delay_ms = 3, jitter_ms = 2, reorder = true }
)");
    EXPECT_EQ(wan.mtu, 9000);
    EXPECT_EQ(wan.ethernet, 0);
    EXPECT_EQ(wan.seed, 11);
    EXPECT_EQ(address_text(wan.hosts[0].address), "10.99.0.1");
    EXPECT_EQ(wan.tcp.congestion, "bbr");
    EXPECT_EQ(wan.sysctl.at("net.ipv4.tcp_sack"), "0");
    EXPECT_EQ(wan.sysctl.at("net.ipv4.ip_local_port_range"), "2000 3000");
    const Shape expected{80, 3, 2, 0.5, 100e3, 4000, true};  // 80e6 / 8 * 0.01 s
    EXPECT_EQ(wan.resources[0].shape, expected);
}

/// The good file with one text replaced.
std::string broken(const std::string& from, const std::string& to) {
    std::string text = kTwoRegions;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

struct Slip {
    const char* from;
    const char* to;
    const char* words;
};

TEST(ReadWan, SlipsAreNamed) {
    for (const Slip& slip : std::initializer_list<Slip>{
             {"delay_ms = 30", "delay = 30", "delay_ms"},
             {"delay_ms = 30", "delay_ms = -1", "delay_ms"},
             {"delay_ms = 30", "delay_ms = 5\njitter_ms = 6", "jitter_ms is larger"},
             {"rate_mbps = 100", "rate_mbps = 0", "rate_mbps"},
             {"rate_mbps = 100", "", "queue, but no rate_mbps"},
             {"queue_kb = 500", "queue_kb = 5\nqueue_ms = 5", "queue_kb and queue_ms"},
             {"queue_kb = 500", "loss = 1.5", "loss"},
             {"from = \"a\"", "from = \"c\"", "unknown region \"c\""},
             {"from = \"a\"", "from = \"b\"", "itself"},
             {"from = \"b\"\nto = \"a\"", "from = \"a\"\nto = \"b\"", "exists already"},
             {"from = \"b\"\nto = \"a\"", "between = [\"a\"]", "two regions"},
             {"from = \"b\"\nto = \"a\"", "from = \"b\"", "the key \"to\""},
             {"name = \"b\"", "name = \"a\"", "occurs twice"},
             {"name = \"b\"", "name = \"-b\"", "letters, digits"},
             {"name = \"b\"", "name = 3", "name"},
             {"\"x\", \"y\"", "\"x\", \"x\"", "occurs twice"},
             {"\"x\", \"y\"", "\"x\", \"control\"", "management"},
             {"hosts = 2", "hosts = 0", "hosts"},
             {"hosts = 2", "hosts = 255", "257 hosts"},
             {"up = { rate_mbps = 20 }", "up = 20", "up"},
             {"up = { rate_mbps = 20 }",
              "up_down = {rate_mbps = 1}\nup = {rate_mbps = 1}",
              "up_down beside"},
             {"[defaults]", "mtu = 100\n[defaults]", "mtu"},
             {"[defaults]", "network = \"10.78.0.0/16\"\n[defaults]", "overlap"},
             {"[defaults]", "network = \"10.78.0.1/16\"\n[defaults]", "IPv4 network"},
             {"[defaults]", "format = \"longhaul.wan/2\"\n[defaults]", "newer"},
             {"[defaults]",
              "[sysctl]\n\"kernel.hostname\" = \"x\"\n[defaults]",
              "keys of the network"},
             {"[defaults]", "[sysctl]\n\"net...ipv4\" = 1\n[defaults]", "keys of the network"},
             {"[defaults]", "[tcp]\ncongestion = \"a b\"\n[defaults]", "congestion"},
             {"[[link]]\nfrom = \"b\"", "[[path]]\nfrom = \"b\"", "no link from region \"b\""},
         }) {
        EXPECT_NE(refused(broken(slip.from, slip.to)).find(slip.words), std::string::npos)
            << slip.to << "\n"
            << refused(broken(slip.from, slip.to));
    }
}

TEST(ReadWan, MissingLinksAndResourcesAreNamed) {
    const std::string text = "[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\n";
    EXPECT_NE(refused(text).find("no link from region \"a\" to region \"b\""), std::string::npos);
    const std::string path =
        std::string(kTwoRegions) + "[[path]]\nfrom = \"a\"\nto = \"b\"\nthrough = ";
    EXPECT_NE(refused(path + "[\"up:z\"]\n").find("unknown resource \"up:z\""), std::string::npos);
    EXPECT_NE(refused(path + "[\"up:x\", \"up:x\"]\n").find("occurs twice"), std::string::npos);
    EXPECT_NE(refused("").find("empty"), std::string::npos);
    EXPECT_NE(refused("[[host]]\nname = \"a\"\n").find("there are 1 hosts"), std::string::npos);
    EXPECT_NE(refused("format = \"longhaul.topology/1\"").find("[[group]]"), std::string::npos);
    EXPECT_NE(refused(std::string(kTwoRegions) +
                      "[[host]]\nname = \"q\"\nregion = \"a\"\naddress = \"10.77.0.1\"\n")
                  .find("have the address 10.77.0.1"),
              std::string::npos);
    EXPECT_NE(refused(std::string(kTwoRegions) +
                      "[[host]]\nname = \"q\"\nregion = \"a\"\naddress = \"10.1.0.1\"\n")
                  .find("no address of the WAN network"),
              std::string::npos);
}

// alpha and beta as in docs/formats/fabric.md; 1.448 Gbit/s of payload are 1.514 on the wire.
TEST(FromFabric, PairsGetAlphaAndBeta) {
    const core::Result<Wan> wan = read_network(R"({
        "labels": ["Oregon", "Oregon", "New York"],
        "alpha_ms": [[0, 1, 35], [1, 0, 36], [34, 33, 0]],
        "beta_gbps": [[0, 20, 1.448], [20, 0, 1.1], [1.3, 1.2, 0]],
        "shared": [{"name": "cable", "gbps": 1, "between": ["Oregon", "New York"]}]
    })",
                                               "fabric.json");
    ASSERT_TRUE(wan);
    ASSERT_EQ(wan->hosts.size(), 3);
    EXPECT_EQ(wan->hosts[1].name, "Oregon-2");
    EXPECT_EQ(wan->hosts[2].name, "New-York");
    EXPECT_EQ(names(*wan, 0, 2), Names({"pair:Oregon-1>New-York", "shared:cable>"}));
    EXPECT_EQ(names(*wan, 2, 1), Names({"pair:New-York>Oregon-2", "shared:cable<"}));
    EXPECT_EQ(names(*wan, 0, 1), Names({"pair:Oregon-1>Oregon-2"}));
    const Shape& pair = wan->resources[wan->path(0, 2)[0]].shape;
    EXPECT_DOUBLE_EQ(pair.delay_ms, 35);
    EXPECT_NEAR(pair.rate_mbps, 1514, 1e-9);
    EXPECT_NEAR(wan->resources[wan->path(0, 2)[1]].shape.rate_mbps, 1000 * 1514.0 / 1448, 1e-9);
}

TEST(FromFabric, DevicesOfAHostShareIt) {
    const core::Result<Wan> wan = read_network(R"({
        "labels": ["a", "a", "b"],
        "alpha_ms": [[0, 1, 30], [1, 0, 20], [10, 11, 0]],
        "beta_gbps": [[0, 9, 1], [9, 0, 2], [3, 4, 0]],
        "devices": [{"host": "h"}, {"host": "h"}, {"host": "k"}]
    })",
                                               "fabric.json");
    ASSERT_TRUE(wan);
    ASSERT_EQ(wan->hosts.size(), 2);
    EXPECT_EQ(wan->hosts[0].name, "h");
    EXPECT_DOUBLE_EQ(delay_ms(*wan, wan->path(0, 1)), 20);
    EXPECT_NEAR(rate_mbps(*wan, wan->path(0, 1)), 2000 * 1514.0 / 1448, 1e-9);
    EXPECT_DOUBLE_EQ(delay_ms(*wan, wan->path(1, 0)), 10);
}

TEST(FromFabric, OneHostIsNoNetwork) {
    const core::Result<Wan> wan =
        read_network(R"({"labels": ["a"], "alpha_ms": [[0]], "beta_gbps": [[0]]})", "fabric.json");
    ASSERT_FALSE(wan);
    EXPECT_NE(wan.error()[0].what.find("1 hosts"), std::string::npos);
}

TEST(ReadTopologyFile, LinksAreSharedByThePathsThatCrossThem) {
    const auto wan = read_network(
        "format = \"longhaul.topology/1\"\n"
        "[[group]]\nname = \"rack\"\nendpoints = \"host\"\ncount = 2\npattern = \"tree\"\n"
        "switches = 1\ngbps = 1\nlatency_us = 50\n"
        "[[site]]\nname = \"east\"\ngroup = \"rack\"\n[[site]]\nname = \"west\"\ngroup = \"rack\"\n"
        "[[link]]\na = \"east\"\nb = \"west\"\nlatency_ms = 30\ngbps = 0.1\n",
        "net.toml");
    ASSERT_TRUE(wan.has_value());
    ASSERT_EQ(wan->hosts.size(), 4U);
    EXPECT_EQ(wan->hosts[2].name, "west-host0");
    EXPECT_EQ(wan->hosts[2].region, "west");
    // Two directions of four cables and of the link between the sites.
    EXPECT_EQ(wan->resources.size(), 10U);
    EXPECT_EQ(wan->path(0, 2).size(), 3U);
    EXPECT_EQ(wan->path(0, 2)[1], wan->path(1, 3)[1]);
    EXPECT_NE(wan->path(0, 2)[1], wan->path(2, 0)[1]);
    EXPECT_DOUBLE_EQ(delay_ms(*wan, wan->path(0, 2)), 30.1);
    EXPECT_DOUBLE_EQ(rate_mbps(*wan, wan->path(0, 2)), 100);
    EXPECT_DOUBLE_EQ(rate_mbps(*wan, wan->path(0, 1)), 1000);
}

TEST(ReadTopologyFile, LargeOnesAreRefused) {
    EXPECT_NE(refused("format = \"longhaul.topology/1\"\n[[group]]\nname = \"net\"\nendpoints = "
                      "\"host\"\npattern = \"fat-tree\"\nk = 16\ngbps = 1\n")
                  .find("1024 endpoints"),
              std::string::npos);
}

}  // namespace
}  // namespace longhaul::emulate
