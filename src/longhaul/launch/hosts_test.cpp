#include "longhaul/launch/hosts.hpp"

#include <string>

#include <gtest/gtest.h>

#include "longhaul/launch/names.hpp"

namespace longhaul::launch {
namespace {

using Numbers = std::vector<int>;

/// All messages of a file that must be refused, one a line.
std::string problems_of(const std::string& text) {
    const auto hosts = read_hosts(text, "hosts.toml");
    if (hosts) {
        return "accepted";
    }
    std::string all;
    for (const core::Diagnostic& problem : hosts.error()) {
        EXPECT_EQ(problem.file, "hosts.toml");
        all += core::to_string(problem) + "\n";
    }
    return all;
}

std::string one_host(const std::string& lines) {
    return "[[host]]\nname = \"a\"\ndevices = 2\n" + lines;
}

TEST(ReadHosts, FillsInDefaults) {
    const auto hosts = read_hosts(
        "format = \"longhaul.hosts/1\"\n"
        "user = \"ubuntu\"\ninterface = \"wg0\"\ndevices = 2\nmaster_port = 1234\n"
        "ssh_port = 2200\nworkdir = \"/srv/a b\"\ncores = 4\nlaunch_dir = \"/opt/launch\"\n"
        "[[host]]\nname = \"oregon-1\"\n"
        "[[host]]\nname = \"b\"\naddress = \"10.0.0.2\"\nssh_address = \"b.example\"\n"
        "user = \"me\"\ninterface = \"eth0\"\nssh_port = 22\ngpus = [3, 1, 2]\n"
        "cores = 8\nworkdir = \"x\"\n",
        "hosts.toml");
    ASSERT_TRUE(hosts) << core::to_string(hosts.error().front());
    EXPECT_EQ(hosts->master_port, 1234);
    EXPECT_EQ(hosts->launch_dir, "/opt/launch");
    EXPECT_EQ(hosts->devices(), 5U);
    const Host& a = hosts->hosts.at(0);
    EXPECT_EQ(a.address, "oregon-1");
    EXPECT_EQ(a.ssh_address, "oregon-1");
    EXPECT_EQ(a.user, "ubuntu");
    EXPECT_EQ(a.interface, "wg0");
    EXPECT_EQ(a.workdir, "/srv/a b");
    EXPECT_EQ(a.ssh_port, 2200);
    EXPECT_EQ(a.cores, 4);
    EXPECT_EQ(a.gpus, (Numbers{0, 1}));
    EXPECT_EQ(a.fabric_devices, (Numbers{0, 1}));
    const Host& b = hosts->hosts.at(1);
    EXPECT_EQ(b.address, "10.0.0.2");
    EXPECT_EQ(b.ssh_address, "b.example");
    EXPECT_EQ(b.user, "me");
    EXPECT_EQ(b.interface, "eth0");
    EXPECT_EQ(b.workdir, "x");
    EXPECT_EQ(b.ssh_port, 22);
    EXPECT_EQ(b.cores, 8);
    EXPECT_EQ(b.gpus, (Numbers{3, 1, 2}));
    EXPECT_EQ(b.fabric_devices, (Numbers{2, 3, 4}));
}

TEST(ReadHosts, TakesFabricDevicesAsGiven) {
    const auto hosts = read_hosts(
        "[[host]]\nname = \"a\"\nfabric_devices = [2, 0]\n"
        "[[host]]\nname = \"b\"\ngpus = [7]\nfabric_devices = [1]\n",
        "hosts.toml");
    ASSERT_TRUE(hosts) << core::to_string(hosts.error().front());
    EXPECT_EQ(hosts->hosts[0].gpus, (Numbers{0, 1}));
    EXPECT_EQ(hosts->hosts[0].fabric_devices, (Numbers{2, 0}));
    EXPECT_EQ(hosts->hosts[1].fabric_devices, (Numbers{1}));
}

TEST(ReadHosts, RefusesWithThePlace) {
    const struct {
        std::string text;
        std::string message;
    } cases[] = {
        {"", "the file is empty"},
        {"user = \"a\"\n", "the key \"host\" is missing"},
        {"host = []\n", "there are no hosts"},
        {"host = [1]\n", "host[0]: found a number"},
        {"host = \"a\"\n", "host: found a string"},
        {"[[host]]\ndevices = 1\n", "line 1, column 1: host[0]: the key \"name\" is missing"},
        {"[[host]]\nname = \"a\"\n", "the number of devices is missing"},
        {"[[host]]\nname = 5\ndevices = 1\n", "host[0].name: found a number"},
        {one_host("device = 2\n"), "unknown key \"device\"; did you mean \"devices\"?"},
        {"hosts = 1\n" + one_host(""), "unknown key \"hosts\"; did you mean \"host\"?"},
        {"format = \"longhaul.hosts/2\"\n" + one_host(""), "reads up to longhaul.hosts/1"},
        {"devices = 0\n" + one_host(""), "devices: found 0"},
        {"[[host]]\nname = \"a\"\ndevices = 0\n", "host[0].devices: found 0"},
        {"[[host]]\nname = \"a\"\ndevices = 1.5\n", "host[0].devices: found 1.5"},
        {"[[host]]\nname = \"a\"\ndevices = -1\n", "host[0].devices: found -1"},
        {one_host("gpus = [0]\n"), "lists 1 gpus; devices says 2"},
        {one_host("gpus = [0, 0]\n"), "0 occurs twice"},
        {one_host("gpus = []\n"), "the list is empty"},
        {one_host("gpus = [0, -1]\n"), "gpus[1]: found -1"},
        {one_host("gpus = \"all\"\n"), "gpus: found a string"},
        {one_host("fabric_devices = [0]\n"), "lists 1 devices; the host has 2"},
        {"[[host]]\nname = \"a/b\"\ndevices = 1\n", "goes into fabric_host"},
        {one_host("fabric_host = \"\"\n"), "a name in a fabric has"},
        {one_host("fabric_host = \"x/y\"\n[[host]]\nname = \"z\"\ndevices = 1\nfabric_host = "
                  "\"X/y\"\n"),
         "fabric_host \"X/y\" is taken by host[0] already"},
        {one_host("ssh_port = 0\n"), "ssh_port: found 0"},
        {"master_port = 65536\n" + one_host(""), "master_port: found 65536"},
        {one_host("[[host]]\nname = \"A\"\ndevices = 1\n"),
         "host[1].name: name \"A\" is taken by host[0] already"},
        {one_host("address = \"10.0.0.1\"\n[[host]]\nname = \"b\"\naddress = \"10.0.0.1\"\n"
                  "devices = 1\n"),
         "host[1].address: address \"10.0.0.1\" is taken by host[0] already"},
        {one_host("fabric_devices = [0, 1]\n[[host]]\nname = \"b\"\nfabric_devices = [1]\n"),
         "host[1].fabric_devices[0]: device 1 belongs to host[0] already"},
        {one_host("fabric_devices = [0, 1]\n[[host]]\nname = \"b\"\ndevices = 1\n"),
         "host[1]: the key \"fabric_devices\" is missing"},
        {one_host("[[host]]\nname = \"b\"\nfabric_devices = [2]\n"),
         "only some hosts list fabric_devices"},
        {"launch_dir = \"../up\"\n" + one_host(""), "launch_dir: found \"../up\""},
        {"launch_dir = \"a b\"\n" + one_host(""), "launch_dir: found \"a b\""},
        {one_host("workdir = \"a\\nb\"\n"), "workdir: found \"a\\x0ab\""},
        {one_host("workdir = \"\"\n"), "workdir: found \"\""},
        {"[[host]]\nname = \"a\"\nname = \"b\"\n", "name"},
    };
    for (const auto& bad : cases) {
        EXPECT_NE(problems_of(bad.text).find(bad.message), std::string::npos)
            << bad.text << problems_of(bad.text);
    }
}

TEST(ReadHosts, ReportsAllProblems) {
    const auto hosts = read_hosts("[[host]]\nname = \"-a\"\ndevices = 0\nuser = \"a b\"\n", "h");
    ASSERT_FALSE(hosts);
    EXPECT_EQ(hosts.error().size(), 3U);
}

// RFC 1123 and RFC 1035 for names; the rest is what shells, host lists and YAML would misread.
TEST(CheckHostName, KeepsOutWhatIsNoName) {
    for (const char* good : {"a", "oregon-1", "node_07", "a.b-c.example", "1a", "A9"}) {
        EXPECT_EQ(check_host_name(good), "") << good;
    }
    for (const std::string& bad : {std::string(),        std::string("-a"),
                                   std::string("a-"),    std::string("a b"),
                                   std::string("a;b"),   std::string("$a"),
                                   std::string("`a`"),   std::string("a'b"),
                                   std::string("a\"b"),  std::string("a\nb"),
                                   std::string("a..b"),  std::string(".a"),
                                   std::string("a."),    std::string("a/b"),
                                   std::string("a@b"),   std::string("a:b"),
                                   std::string("a,b"),   std::string("a=b"),
                                   std::string("a#b"),   std::string("12"),
                                   std::string("1.2"),   std::string("gr\xc3\xbcn"),
                                   std::string(64, 'a'), std::string("a\0b", 3),
                                   std::string("*"),     std::string("a[1-3]")}) {
        EXPECT_NE(check_host_name(bad), "") << core::shown(bad);
    }
    std::string longest;
    for (int i = 0; i < 126; ++i) {
        longest += "a.";
    }
    EXPECT_EQ(check_host_name(longest + "b"), "");
    EXPECT_NE(check_host_name(longest + "bc"), "");
}

TEST(CheckAddress, TakesNamesAndAddresses) {
    for (const char* good :
         {"10.0.0.1", "a.example", "fd00::1", "::1", "2001:db8::8:800:200c:417a"}) {
        EXPECT_EQ(check_address(good), "") << good;
    }
    for (const char* bad : {"",
                            "10.0.0",
                            "10.0.0.256",
                            "10.0.0.1.2",
                            "1",
                            "fd00::1%eth0",
                            "[::1]",
                            "fd00:::1",
                            "10.0.0.1:22",
                            "a b",
                            "-oProxyCommand=x",
                            "u@h"}) {
        EXPECT_NE(check_address(bad), "") << bad;
    }
}

TEST(CheckUserAndInterface, RefuseShellText) {
    for (const char* good : {"ubuntu", "_a", "a-b.c"}) {
        EXPECT_EQ(check_user(good), "") << good;
    }
    for (const char* bad : {"", "-l", "a b", "a;b", "$USER", "a@b", ".a", "a\\b"}) {
        EXPECT_NE(check_user(bad), "") << bad;
    }
    EXPECT_EQ(check_interface("enp0s31f6.100"), "");
    for (const char* bad : {"", "-a", "a b", "a/b", "=wg0", "abcdefghijklmnop", "wg0;x", "^lo"}) {
        EXPECT_NE(check_interface(bad), "") << bad;
    }
}

TEST(ReadHosts, TakesTheHostsOfACampaignThatGiveTheirDevices) {
    const std::string campaign =
        "format = \"longhaul.measure-hosts/1\"\nport = 7711\n"
        "[[host]]\nname = \"a\"\nport = 1\nsite = \"x\"\ngroups = [\"up\"]\n"
        "[[host]]\nname = \"b\"\ndevices = 2\n[[group]]\nname = \"up\"\n";
    EXPECT_EQ(problems_of(campaign),
              "hosts.toml: host: this is the hosts file of a measuring campaign, and it does not "
              "say how many devices these hosts have: \"a\"; add devices = N to each [[host]]\n");
    std::string whole = campaign;
    whole.replace(whole.find("site"), 0, "devices = 1\n");
    const auto hosts = read_hosts(whole, "hosts.toml");
    ASSERT_TRUE(hosts) << core::to_string(hosts.error().front());
    EXPECT_EQ(hosts->devices(), 3U);
    // Without a format, the keys tell: groups and sites are of a campaign.
    EXPECT_EQ(problems_of("[[host]]\nname = \"a\"\ndevices = 1\nsite = \"x\"\n"), "accepted");
    EXPECT_NE(problems_of("format = \"longhaul.hosts/1\"\n[[host]]\nname = \"a\"\ndevices = 1\n"
                          "site = \"x\"\n"),
              "accepted");
}

}  // namespace
}  // namespace longhaul::launch
