#include "longhaul/measure/audit.hpp"

#include <functional>

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

TEST(Audit, SlowedMeansEveryTime) {
    EXPECT_TRUE(slowed_each_time({1, 1.05}, {1.2, 2}));
    EXPECT_FALSE(slowed_each_time({1, 1.05}, {1.15, 2}));   // within 10 % of the slower one alone
    EXPECT_FALSE(slowed_each_time({1, 1.3}, {1.4, 2}));     // not quick alone
    EXPECT_TRUE(slowed_each_time({1, 2, 1.05}, {1.2, 2}));  // slow alone once of three
    EXPECT_FALSE(slowed_each_time({1, 1.3, 1.3}, {1.4, 2}));
    EXPECT_FALSE(slowed_each_time({1}, {2}));        // once is no sign
    EXPECT_FALSE(slowed_each_time({1, 0}, {2, 2}));  // failed
    EXPECT_FALSE(slowed_each_time({1, 1}, {2, 0}));
}

/// Times of a pair in the order in which it is run; true entries ran beside a mate.
struct Runs {
    std::vector<double> seconds;
    std::vector<bool> beside;
    double operator()(const CampaignTask* mate) {
        beside.push_back(mate != nullptr);
        return seconds.at(beside.size() - 1);
    }
};

TEST(Audit, APairIsSharedOnlyWhenItIsSlowerTwice) {
    CampaignTask task;
    task.id = "p";
    task.hosts = {0, 2};
    CampaignTask mate = task;
    mate.id = "q";
    mate.hosts = {1, 3};
    const auto audited = [&](Runs& runs, double before) {
        return audit_pair(task, before, {&mate}, std::ref(runs));
    };
    Runs shared{{1, 2, 1, 2}, {}};
    const AuditedPair pair = audited(shared, 2);
    ASSERT_EQ(pair.found.size(), 1U);
    EXPECT_EQ(pair.found[0].beside.from, 1);
    EXPECT_EQ(pair.events.at(0).kind, "slowed");
    EXPECT_EQ(shared.beside, (std::vector<bool>{false, true, false, true}));
    const Campaign campaign = six_hosts();
    EXPECT_EQ(sharings_text(campaign.hosts, pair.found), "a>c beside b>d");

    Runs busy_once{{1, 2, 1, 1}, {}};  // the machine was busy the first time
    EXPECT_TRUE(audited(busy_once, 2).found.empty());
    Runs slow_alone_once{{1, 2, 2, 2, 1, 2}, {}};
    EXPECT_EQ(audited(slow_alone_once, 2).found.size(), 1U);
    Runs busy_alone{{1, 2, 2, 2, 2, 2}, {}};
    const AuditedPair drift = audited(busy_alone, 2);
    EXPECT_TRUE(drift.found.empty());
    EXPECT_EQ(drift.events.at(0).kind, "drift");
    Runs not_slowed{{1, 1}, {}};
    EXPECT_EQ(audited(not_slowed, 2).events.size(), 1U);
    EXPECT_EQ(not_slowed.beside.size(), 2U);
    Runs as_before{{1}, {}};
    EXPECT_TRUE(audited(as_before, 1.05).events.empty());
}

// Hosts 0 and 1 in site x, 2 and 3 in y, 4 in z, 5 in w. As a loaded machine had it: a transfer was
// slower beside two others that have no sender's or receiver's site in common with it.
TEST(Audit, NothingInCommonIsABusyMachine) {
    Campaign campaign = six_hosts();
    campaign.hosts[4].site = "z";
    campaign.hosts[5].site = "w";
    const Sharing of_senders{{0, 2}, {1, 4}};
    const Sharing back{{0, 2}, {3, 1}};
    const Sharing first{{0, 2}, {3, 4}};
    const Sharing second{{0, 2}, {4, 5}};
    const auto counts = [&](const std::vector<Sharing>& found) {
        const Explained explained = explain(campaign.hosts, found);
        return std::pair(explained.shared.size(), explained.busy.size());
    };
    using Counts = std::pair<std::size_t, std::size_t>;
    EXPECT_EQ(counts({}), Counts(0, 0));
    EXPECT_EQ(counts({of_senders, back}), Counts(2, 0));
    EXPECT_EQ(counts({first, second}), Counts(0, 2));
    EXPECT_EQ(counts({of_senders, first, second}), Counts(1, 2));
    // All between the same sites: paths that meet on one link inside the network.
    EXPECT_EQ(counts({first, {{1, 2}, {3, 4}}}), Counts(2, 0));
    campaign.hosts[5].site.clear();  // unknown: it may share anything
    EXPECT_EQ(counts({first, second}), Counts(2, 0));
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
