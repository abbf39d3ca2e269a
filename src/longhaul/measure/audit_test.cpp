#include "longhaul/measure/audit.hpp"

#include <gtest/gtest.h>

#include "longhaul/measure/schedule.hpp"

namespace longhaul::measure {
namespace {

/// Hosts 0 and 1 in site x, 2 and 3 in site y, 4 and 5 without a site.
Campaign six_hosts() {
    Campaign campaign;
    for (int i = 0; i < 6; ++i) {
        CampaignHost host;
        host.id = std::string(1, static_cast<char>('a' + i));
        host.site = i < 2 ? "x" : i < 4 ? "y" : "";
        campaign.hosts.push_back(host);
    }
    return campaign;
}

Sample timed(double bytes, double elapsed_s) {
    Sample sample;
    sample.bytes = bytes;
    sample.elapsed_s = elapsed_s;
    return sample;
}

using Sets = std::vector<std::set<int>>;

TEST(Audit, ComparesTheLargestSizeThatHasTwoSamples) {
    const BesideTimes times =
        beside_times({timed(10, 1), timed(10, 2), timed(20, 3), timed(20, 5), timed(40, 9)});
    EXPECT_EQ(times.bytes, 20);
    EXPECT_EQ(times.median_s, 4);
    EXPECT_EQ(beside_times({timed(10, 1)}).bytes, 0);
    EXPECT_EQ(median_of({timed(10, 1)}, 20), 0);
}

TEST(Audit, TakesAShareButNeverTooFew) {
    std::set<std::string> tasks;
    for (int i = 0; i < 100; ++i) {
        tasks.insert(std::to_string(i));
    }
    EXPECT_EQ(choose_audited(tasks, 0.05, 3, 7).size(), 5U);
    EXPECT_EQ(choose_audited(tasks, 0.01, 3, 7).size(), 3U);
    EXPECT_EQ(choose_audited({"a"}, 0.05, 3, 7).size(), 1U);
    EXPECT_EQ(choose_audited(tasks, 0.05, 3, 7), choose_audited(tasks, 0.05, 3, 7));
    EXPECT_NE(choose_audited(tasks, 0.05, 3, 7), choose_audited(tasks, 0.05, 3, 8));
}

TEST(Audit, SharingOfAPairOfASiteCountsForTheSite) {
    const Campaign campaign = six_hosts();
    // a>e beside b>f: a and b share a site, e and f have none.
    EXPECT_EQ(hidden_sets(campaign.hosts, {{{0, 4}, {1, 5}}}), (Sets{{0, 1}, {4, 5}}));
    // a>c beside e>c would share the host c: no set of one host.
    EXPECT_EQ(hidden_sets(campaign.hosts, {{{0, 2}, {4, 2}}}), (Sets{{0, 4}}));
    // Sets that overlap become one.
    EXPECT_EQ(hidden_sets(campaign.hosts, {{{0, 2}, {4, 3}}, {{4, 2}, {5, 3}}}),
              (Sets{{0, 4, 5}, {2, 3}}));
}

TEST(Audit, GroupsAreAddedOnceAndComeBackFromEvents) {
    Campaign campaign = six_hosts();
    const Sets sets{{0, 1}, {4, 5}};
    Event event;
    event.kind = "hidden_sharing";
    event.detail = "a>e takes longer; " + sets_text(campaign.hosts, sets);
    EXPECT_EQ(sets_of_events(campaign.hosts, {event}), sets);
    EXPECT_EQ(add_hidden_groups(campaign, sets), 2);
    EXPECT_EQ(add_hidden_groups(campaign, sets), 0);
    EXPECT_EQ(campaign.hosts[1].groups, (std::vector<std::string>{"hidden:1"}));
    EXPECT_EQ(campaign.hosts[2].groups, std::vector<std::string>());
}

TEST(Audit, WhatRanBesideASharerRunsAgain) {
    Campaign campaign = six_hosts();
    const auto add = [&](const std::string& id, int from, int to) {
        CampaignTask task;
        task.id = id;
        task.hosts = {from, to};
        campaign.tasks.push_back(task);
    };
    add("p", 0, 2);
    add("q", 1, 3);
    add("r", 4, 5);
    const std::map<std::string, std::set<std::string>> beside{
        {"p", {"q", "r"}}, {"q", {"p", "r"}}, {"r", {"p", "q"}}};
    EXPECT_TRUE(clashing_tasks(campaign, beside).empty());
    (void)add_hidden_groups(campaign, {{0, 1}});
    EXPECT_EQ(clashing_tasks(campaign, beside), (std::set<std::string>{"p", "q"}));
}

}  // namespace
}  // namespace longhaul::measure
