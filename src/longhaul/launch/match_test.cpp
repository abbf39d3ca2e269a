#include "longhaul/launch/match.hpp"

#include <string>

#include <gtest/gtest.h>

namespace longhaul::launch {
namespace {

using placement::DevicePlace;
using Rows = std::vector<std::vector<int>>;

Hosts match_file(const std::string& text) {
    auto hosts = read_hosts(text, "hosts.toml");
    EXPECT_TRUE(hosts) << core::to_string(hosts.error().front());
    return hosts ? *hosts : Hosts();
}

/// Two hosts of two devices, in this order in the file.
const std::string kTwo =
    "devices = 2\n[[host]]\nname = \"b\"\naddress = \"10.0.0.2\"\n"
    "[[host]]\nname = \"a\"\naddress = \"10.0.0.1\"\n";

Rows devices_by_host(const core::Result<Hosts>& hosts) {
    Rows rows;
    if (hosts) {
        for (const Host& host : hosts->hosts) {
            rows.push_back(host.fabric_devices);
        }
    }
    return rows;
}

std::string match_problems(const core::Result<Hosts>& hosts) {
    std::string all;
    if (!hosts) {
        for (const core::Diagnostic& problem : hosts.error()) {
            all += core::to_string(problem) + "\n";
        }
    }
    return all;
}

TEST(MatchHosts, FollowsNamesAndLocalRanksNotTheFile) {
    const std::vector<DevicePlace> places{{"a", "", 1}, {"B", "", 0}, {"a", "", 0}, {"B", "", 1}};
    // By hand: b holds rows 1 (local rank 0) and 3; a holds rows 2 (local rank 0) and 0.
    EXPECT_EQ(devices_by_host(match_hosts(match_file(kTwo), places)), (Rows{{1, 3}, {2, 0}}));
}

TEST(MatchHosts, TakesAddressesWhereNamesDiffer) {
    const std::vector<DevicePlace> places{
        {"x", "10.0.0.1", 0}, {"x", "10.0.0.1", 1}, {"10.0.0.2", "", 0}, {"10.0.0.2", "", 1}};
    EXPECT_EQ(devices_by_host(match_hosts(match_file(kTwo), places)), (Rows{{2, 3}, {0, 1}}));
}

TEST(MatchHosts, UsesLocalRanksAsIdsUnlessTheFileListsGpus) {
    const std::string file =
        "[[host]]\nname = \"b\"\ndevices = 2\n[[host]]\nname = \"a\"\ngpus = [7, 6]\n";
    const std::vector<DevicePlace> places{{"a", "", 4}, {"a", "", 5}, {"b", "", 5}, {"b", "", 4}};
    const auto hosts = match_hosts(match_file(file), places);
    ASSERT_TRUE(hosts) << match_problems(hosts);
    EXPECT_EQ(hosts->hosts[0].gpus, (std::vector<int>{4, 5}));
    EXPECT_EQ(hosts->hosts[1].gpus, (std::vector<int>{7, 6}));
    EXPECT_EQ(devices_by_host(hosts), (Rows{{3, 2}, {0, 1}}));
}

TEST(MatchHosts, KeepsTheOrderOfTheFileWhereItSaysSo) {
    const std::vector<DevicePlace> places{{"a", "", 0}, {"a", "", 1}, {"b", "", 0}, {"b", "", 1}};
    const std::string numbered =
        "[[host]]\nname = \"b\"\nfabric_devices = [0, 1]\n"
        "[[host]]\nname = \"a\"\nfabric_devices = [3, 2]\n";
    EXPECT_EQ(devices_by_host(match_hosts(match_file(numbered), places)), (Rows{{0, 1}, {3, 2}}));
    EXPECT_EQ(devices_by_host(match_hosts(match_file(kTwo), {})), (Rows{{0, 1}, {2, 3}}));
    const std::vector<DevicePlace> table{
        {"instance-0", "", 0}, {"instance-0", "", 1}, {"instance-1", "", 0}, {"instance-1", "", 1}};
    EXPECT_EQ(devices_by_host(match_hosts(match_file(kTwo), table)), (Rows{{0, 1}, {2, 3}}));
}

TEST(MatchHosts, RefusesEachHostWithoutPartner) {
    const std::vector<DevicePlace> places{{"a", "", 0}, {"a", "", 1}, {"c", "", 0}, {"c", "", 1}};
    EXPECT_EQ(match_problems(match_hosts(match_file(kTwo), places)),
              "host: no host is the plan's \"c\"; this file has \"b\", \"a\"; name them alike, or "
              "give each its fabric_host (its name in the plan)\n"
              "host: the plan has no host \"b\"; it has \"a\", \"c\"; name them alike, or give "
              "each its fabric_host (its name in the plan)\n");
    // No name alike at all is no reason to guess.
    const std::vector<DevicePlace> other{{"x", "", 0}, {"x", "", 1}, {"y", "", 0}, {"y", "", 1}};
    EXPECT_FALSE(match_hosts(match_file(kTwo), other));
}

TEST(MatchHosts, MatchesByTheNameInTheFabric) {
    const std::string file =
        "devices = 1\n[[host]]\nname = \"n1\"\nfabric_host = \"west/pod0/host1\"\n"
        "[[host]]\nname = \"n0\"\nfabric_host = \"West/pod0/host0\"\n";
    const std::vector<DevicePlace> places{{"west/pod0/host0", "", 0}, {"west/pod0/host1", "", 0}};
    EXPECT_EQ(devices_by_host(match_hosts(match_file(file), places)), (Rows{{1}, {0}}));
    // A host that gives a wrong one is not matched by its own name or address.
    const std::vector<DevicePlace> other{{"n1", "", 0}, {"west/pod0/host0", "", 0}};
    EXPECT_EQ(match_problems(match_hosts(match_file(file), other)),
              "host: no host is the plan's \"n1\"; this file has \"west/pod0/host1\", "
              "\"West/pod0/host0\"; name them alike, or give each its fabric_host (its name in the "
              "plan)\n"
              "host: the plan has no host \"west/pod0/host1\"; it has \"n1\", "
              "\"west/pod0/host0\"; name them alike, or give each its fabric_host (its name in the "
              "plan)\n");
}

TEST(MatchHosts, NeedsNoHostThatThePlanLeavesOut) {
    const std::vector<DevicePlace> places{
        {"a", "", 0}, {"a", "", 1}, {"c", "", 0}, {"c", "", 1}, {"b", "", 0}, {"b", "", 1}};
    const std::vector<int> left_out{0, 1, -1, -1, 2, 3};
    const auto matched = match_hosts(match_file(kTwo), places, left_out);
    EXPECT_EQ(devices_by_host(matched), (Rows{{4, 5}, {0, 1}})) << match_problems(matched);
    const std::vector<int> one_of_c{0, 1, -1, 2, -1, 3};
    EXPECT_NE(match_problems(match_hosts(match_file(kTwo), places, one_of_c))
                  .find("no host is the plan's \"c\""),
              std::string::npos);
}

TEST(MatchHosts, RefusesOtherCountsAndDevicesOfNoHost) {
    const std::vector<DevicePlace> counts{{"a", "", 0}, {"b", "", 0}, {"b", "", 1}, {"b", "", 2}};
    EXPECT_EQ(match_problems(match_hosts(match_file(kTwo), counts)),
              "host: host \"b\" has 2 devices; the plan knows 3 of them\n"
              "host: host \"a\" has 2 devices; the plan knows 1 of them\n");
    const std::vector<DevicePlace> part{{"a", "", 0}, {"a", "", 1}, {"b", "", 0}, {}};
    EXPECT_EQ(match_problems(match_hosts(match_file(kTwo), part)),
              "host: the plan does not say on which host device 3 is; give fabric_devices for "
              "every host\n");
}

}  // namespace
}  // namespace longhaul::launch
