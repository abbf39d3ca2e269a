#include "longhaul/measure/schedule.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "longhaul/core/random.hpp"
#include "longhaul/measure/crossings.hpp"
#include "longhaul/measure/plan.hpp"

namespace longhaul::measure {
namespace {

std::vector<CampaignHost> hosts_of(int n) {
    std::vector<CampaignHost> hosts;
    for (int i = 0; i < n; ++i) {
        CampaignHost host;
        host.id = fmt::format("h{}", i);
        host.address = fmt::format("10.0.{}.{}", i / 250, i % 250 + 1);
        host.port = 7711;
        host.site = fmt::format("s{}", i % 3);
        hosts.push_back(host);
    }
    return hosts;
}

ScheduleOptions only(std::vector<Pattern> patterns) {
    ScheduleOptions options;
    options.patterns = std::move(patterns);
    options.blocks = 1;
    return options;
}

/// Counted again from the words of resources_of: hosts, and groups by direction.
void expect_disjoint(const Campaign& campaign) {
    std::set<std::pair<int, std::string>> held;
    for (const CampaignTask& task : campaign.tasks) {
        std::set<std::string> mine;
        for (const int host : task.hosts) {
            mine.insert(campaign.hosts[static_cast<std::size_t>(host)].id);
        }
        for (const Flow& flow : flows_of(task.pattern, task.hosts)) {
            const auto& from = campaign.hosts[static_cast<std::size_t>(flow.from)].groups;
            const auto& to = campaign.hosts[static_cast<std::size_t>(flow.to)].groups;
            for (const CampaignGroup& group : campaign.groups) {
                const bool leaves = std::ranges::count(from, group.name) > 0;
                const bool enters = std::ranges::count(to, group.name) > 0;
                if (leaves && (!enters || group.inside)) {
                    mine.insert(group.name + (group.half_duplex ? "" : ">"));
                }
                if (enters && (!leaves || group.inside)) {
                    mine.insert(group.name + (group.half_duplex ? "" : "<"));
                }
            }
        }
        for (const std::string& resource : mine) {
            ASSERT_TRUE(held.emplace(task.slot, resource).second)
                << "slot " << task.slot << " shares " << resource;
        }
    }
}

TEST(CircleRounds, EveryPairOnceInDisjointRounds) {
    for (int n = 2; n <= 65; ++n) {
        std::set<std::pair<int, int>> seen;
        const auto rounds = circle_rounds(n);
        EXPECT_EQ(rounds.size(), static_cast<std::size_t>(n - 1 + n % 2));
        for (const auto& round : rounds) {
            std::set<int> players;
            for (const auto& [a, b] : round) {
                EXPECT_TRUE(seen.emplace(a, b).second && a < b);
                EXPECT_TRUE(players.insert(a).second && players.insert(b).second);
            }
        }
        EXPECT_EQ(seen.size(), static_cast<std::size_t>(n * (n - 1) / 2));
    }
}

TEST(Schedule, OrderedPairsOncePerBlockAndNoSharedResource) {
    core::Random random(7);
    for (int n = 2; n <= 65; n += n < 12 ? 1 : 7) {
        std::vector<CampaignHost> hosts = hosts_of(n);
        std::vector<CampaignGroup> groups;
        for (int g = 0; g < static_cast<int>(random.below(4)); ++g) {
            groups.push_back({fmt::format("g{}", g), random.below(2) == 0, random.below(2) == 0});
            for (CampaignHost& host : hosts) {
                if (random.below(3) == 0) {
                    host.groups.push_back(groups.back().name);
                }
            }
        }
        ScheduleOptions options = only({Pattern::kPing, Pattern::kPeer});
        options.blocks = n < 12 ? 3 : 1;
        const Campaign campaign = make_campaign(hosts, groups, options);
        expect_disjoint(campaign);
        std::map<std::pair<int, Flow>, int> peers;
        std::map<std::pair<int, std::set<int>>, int> pings;
        for (const CampaignTask& task : campaign.tasks) {
            if (task.pattern == Pattern::kPeer) {
                ++peers[{task.block, {task.hosts[0], task.hosts[1]}}];
            } else {
                ++pings[{task.block, {task.hosts[0], task.hosts[1]}}];
            }
        }
        const auto pairs = static_cast<std::size_t>(n * (n - 1) * options.blocks);
        EXPECT_EQ(peers.size(), pairs);
        EXPECT_EQ(pings.size(), pairs / 2);
        EXPECT_EQ(campaign.tasks.size(), pairs + pairs / 2);
    }
}

// N - 1 rounds, both directions: 2 (N - 1) slots of N / 2 tasks each, the fewest that there can be.
TEST(Schedule, NothingSharedMeansFullSlots) {
    for (const int n : {2, 4, 8, 16, 64}) {
        const Campaign campaign = make_campaign(hosts_of(n), {}, only({Pattern::kPeer}));
        EXPECT_EQ(totals_of(campaign).slots, 2 * (n - 1)) << n;
    }
}

TEST(Schedule, AnUplinkTakesOneTransferAtATimeInEachDirection) {
    std::vector<CampaignHost> hosts = hosts_of(4);
    hosts[0].groups = hosts[1].groups = {"up"};
    // 0 and 1 behind the uplink, 2 and 3 outside: 4 transfers out, 4 in; out and in may overlap.
    const Campaign full = make_campaign(hosts, {{"up", false, false}}, only({Pattern::kPeer}));
    const Campaign half = make_campaign(hosts, {{"up", true, false}}, only({Pattern::kPeer}));
    EXPECT_EQ(totals_of(full).slots, 6);   // 0>2 beside 3>1, and so on: as without the uplink
    EXPECT_EQ(totals_of(half).slots, 10);  // 8 that cross it, 2 for the pairs on either side
}

TEST(Schedule, FansNameTheirRootAndKeepTheirWidth) {
    ScheduleOptions options = only({Pattern::kFanIn, Pattern::kFanOut});
    options.fan_widths = {2, 5, 9};
    const Campaign campaign = make_campaign(hosts_of(6), {}, options);
    expect_disjoint(campaign);
    std::set<std::string> ids;
    for (const CampaignTask& task : campaign.tasks) {
        EXPECT_TRUE(task.hosts.size() == 3 || task.hosts.size() == 6);
        EXPECT_TRUE(ids.insert(task.id).second) << task.id;
        for (const Flow& flow : flows_of(task.pattern, task.hosts)) {
            const int root = task.pattern == Pattern::kFanIn ? flow.to : flow.from;
            EXPECT_EQ(root, task.hosts[0]);
        }
    }
    EXPECT_TRUE(ids.contains("b0/fan_in/h0:h1,h2,h3,h4,h5/warm"));
    // h3 is of the site of h0; h1 and h2 are not.
    EXPECT_TRUE(ids.contains("b0/fan_in/h0:h1,h2/warm"));
    EXPECT_TRUE(ids.contains("b0/fan_in/h0:h1,h3/warm"));
}

std::vector<CampaignHost> hosts_of_sites(const std::vector<std::string>& sites) {
    std::vector<CampaignHost> hosts = hosts_of(static_cast<int>(sites.size()));
    for (std::size_t i = 0; i < sites.size(); ++i) {
        hosts[i].site = sites[i];
        hosts[i].groups = {sites[i] + "-border"};
    }
    return hosts;
}

/// Sites a (0, 1, 2), b (3, 4, 5), c (6, 7). By hand: both directions of each pair of sites with
/// two transfers, then out of and into each site.
TEST(Schedule, CrossingsCoverEveryPairOfSitesInBothDirections) {
    const std::vector<CampaignHost> hosts =
        hosts_of_sites({"a", "a", "a", "b", "b", "b", "c", "c"});
    ScheduleOptions options = only({Pattern::kCrossing});
    options.fan_widths = {2};
    const Campaign campaign =
        make_campaign(hosts, {{"a-border"}, {"b-border"}, {"c-border"}}, options);
    expect_disjoint(campaign);
    std::set<std::string> ids;
    for (const CampaignTask& task : campaign.tasks) {
        EXPECT_EQ(std::set(task.hosts.begin(), task.hosts.end()).size(), 4U) << task.id;
        ids.insert(task.id.substr(std::string("b0/crossing/").size()));
    }
    EXPECT_EQ(ids,
              (std::set<std::string>{"h0>h3,h1>h4/warm",
                                     "h4>h1,h5>h2/warm",
                                     "h0>h6,h1>h7/warm",
                                     "h6>h1,h7>h2/warm",
                                     "h3>h6,h4>h7/warm",
                                     "h6>h4,h7>h5/warm",
                                     "h0>h3,h1>h6/warm",
                                     "h3>h0,h6>h1/warm",
                                     "h3>h0,h4>h6/warm",
                                     "h0>h3,h6>h4/warm",
                                     "h6>h0,h7>h3/warm",
                                     "h0>h6,h3>h7/warm"}));
}

TEST(Schedule, CrossingsGoAsWideAsTheSmallerSite) {
    const std::vector<CampaignHost> hosts =
        hosts_of_sites({"a", "a", "a", "b", "b", "b", "b", "c", ""});
    const auto widths = [&](const std::vector<int>& asked) {
        std::multiset<std::size_t> found;
        for (const std::vector<int>& ends : crossings(hosts, asked)) {
            found.insert(ends.size() / 2);
            EXPECT_EQ(std::ranges::count(ends, 8), 0);  // no site
        }
        return found;
    };
    // Between a and b two and three; out of and into a and b, with one host of each other site.
    EXPECT_EQ(widths({}), (std::multiset<std::size_t>{2, 2, 2, 2, 2, 2, 3, 3}));
    EXPECT_EQ(widths({3, 9}), (std::multiset<std::size_t>{2, 2, 2, 2, 3, 3}));
    EXPECT_TRUE(crossings(hosts_of_sites({"a", "a", "b"}), {}).empty());
    EXPECT_TRUE(crossings(hosts_of_sites({"", "", ""}), {}).empty());
}

TEST(Schedule, PairsFromOutsideAreAllThereIs) {
    ScheduleOptions options = only({Pattern::kPing, Pattern::kPeer, Pattern::kBothWays});
    options.pairs = {{1, 0}, {2, 3}};
    const Campaign campaign = make_campaign(hosts_of(4), {}, options);
    std::set<std::string> ids;
    for (const CampaignTask& task : campaign.tasks) {
        ids.insert(task.id);
    }
    EXPECT_EQ(ids,
              (std::set<std::string>{"b0/ping/h1>h0",
                                     "b0/ping/h2>h3",
                                     "b0/peer/h1>h0/warm",
                                     "b0/peer/h2>h3/warm",
                                     "b0/both_ways/h1>h0/warm",
                                     "b0/both_ways/h2>h3/warm"}));
}

// 64 KiB ... 16 MiB: nine sizes; 2 x 16 + 5 x (32 - 1/16) MiB = 191.7 MiB = 201 MB, and at 80 ms
// and 191.28 Mbit/s 8.4 s on the wire and 47 messages of 80 ms: 12.2 s.
TEST(Schedule, TheCostOfADirectedPairIsTheOneOfTheDesign) {
    ScheduleOptions options = only({Pattern::kPeer});
    options.rules.smallest_bytes = 65536;
    options.rules.largest_bytes = 16777216;
    options.rules.repeats = 5;
    options.assumed_gbps = 0.19128;
    const Campaign campaign = make_campaign(hosts_of(2), {}, options);
    EXPECT_NEAR(campaign.tasks[0].bytes, 201e6, 0.5e6);
    EXPECT_NEAR(campaign.tasks[0].seconds, 12.2, 0.7);  // and 0.64 s to set up
}

TEST(SizeGrid, DoublesAndKeepsToTheLimit) {
    EXPECT_EQ(size_grid(4096, 16384, 5, 0), (std::vector<double>{4096, 8192, 16384}));
    EXPECT_EQ(size_grid(4096, 4096, 5, 0), (std::vector<double>{4096}));
    // 2 x 8192 + 1 x (4096 + 8192) = 28672; with 16384: 2 x 16384 + 28672 = 61440
    EXPECT_EQ(size_grid(4096, 1e9, 1, 61440).back(), 16384);
    EXPECT_EQ(size_grid(4096, 1e9, 1, 61439).back(), 8192);
    EXPECT_EQ(size_grid(4096, 1e9, 1, 1).size(), 1U);
}

TEST(PlanFile, ThereAndBack) {
    std::vector<CampaignHost> hosts = hosts_of(5);
    hosts[1].groups = hosts[2].groups = {"nic"};
    ScheduleOptions options = only({Pattern::kPing,
                                    Pattern::kPeer,
                                    Pattern::kBothWays,
                                    Pattern::kFanOut,
                                    Pattern::kFanIn,
                                    Pattern::kRelay,
                                    Pattern::kCrossing});
    options.states = {State::kWarm, State::kIdle, State::kCold};
    options.streams = {1, 4};
    options.rules.congestion_control = "cubic";
    options.rules.pair_bytes = 67108864;
    const Campaign campaign = make_campaign(hosts, {{"nic", true, true}}, options);
    const std::string text = plan_text(campaign, "test");
    const auto read = read_plan(text, "plan.jsonl");
    ASSERT_TRUE(read) << core::to_string(read.error()[0]);
    EXPECT_EQ(plan_text(*read, "test"), text);
    EXPECT_EQ(read->hosts, campaign.hosts);
    EXPECT_EQ(read->groups, campaign.groups);
}

TEST(PlanFile, RefusesWhatCannotRun) {
    const Campaign campaign = make_campaign(hosts_of(4), {}, only({Pattern::kPeer}));
    const std::string text = plan_text(campaign, "test");
    const auto message = [](const std::string& plan) {
        const auto read = read_plan(plan, "plan");
        return read ? std::string() : core::to_string(read.error()[0]);
    };
    EXPECT_EQ(message(text), "");
    EXPECT_NE(message("").find("no record \"plan\""), std::string::npos);
    EXPECT_NE(message(text.substr(0, text.size() - 20)).find("middle of a line"),
              std::string::npos);
    Campaign clash = campaign;
    for (CampaignTask& task : clash.tasks) {
        task.slot = 0;
    }
    EXPECT_NE(message(plan_text(clash, "test")).find("share a host or a group"), std::string::npos);
    Campaign twice = campaign;
    twice.tasks[1].id = twice.tasks[0].id;
    EXPECT_NE(message(plan_text(twice, "test")).find("occurs twice"), std::string::npos);
    Campaign odd =
        make_campaign(hosts_of_sites({"a", "a", "b", "b"}), {}, only({Pattern::kCrossing}));
    EXPECT_EQ(message(plan_text(odd, "test")), "");
    odd.tasks[0].hosts.pop_back();
    EXPECT_NE(message(plan_text(odd, "test")).find("names 3 hosts; from, to, from, to"),
              std::string::npos);
    std::string other = text;
    other.replace(other.find("\"peer\""), 6, "\"poor\"");
    EXPECT_NE(message(other).find("one of ping, peer"), std::string::npos);
}

}  // namespace
}  // namespace longhaul::measure
