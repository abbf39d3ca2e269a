#include "longhaul/measure/links_shared.hpp"

#include <gtest/gtest.h>

namespace longhaul::measure {
namespace {

LinkFit plain_fit(const std::string& from, const std::string& to, double alpha_ms, double gbps) {
    LinkFit fit;
    fit.from = from;
    fit.to = to;
    fit.transport = "tcp";
    fit.alpha_ms = alpha_ms;
    fit.beta_gbps = gbps;
    fit.segments = {{65536, 1.7e7, alpha_ms, gbps, {alpha_ms, alpha_ms}, {gbps, gbps}}};
    return fit;
}

/// Hosts a, b (site x) and c, d (site y): 8 Gbit/s (1 GB/s) everywhere, 1 ms.
LinkFits four_hosts() {
    LinkFits fits;
    for (const char* id : {"a", "b", "c", "d"}) {
        HostRecord host;
        host.id = id;
        host.site = id[0] < 'c' ? "x" : "y";
        host.groups = {"all", std::string("rack of ") + id};
        host.facts.set("congestion_control", "cubic");
        fits.hosts.push_back(host);
    }
    for (const HostRecord& from : fits.hosts) {
        for (const HostRecord& to : fits.hosts) {
            if (from.id != to.id) {
                fits.pairs.push_back(plain_fit(from.id, to.id, 1, 8));
                fits.round_trips.push_back(
                    {from.id, to.id, "tcp", 20, 1, from.site == to.site ? 0.2 : 30.0, 2});
            }
        }
    }
    return fits;
}

void add_fan_in(Raw& raw,
                const std::string& root,
                const std::vector<std::string>& peers,
                double bytes,
                int rep,
                double root_s) {
    for (const std::string& peer : peers) {
        Sample sample;
        sample.pattern = Pattern::kFanIn;
        sample.transport = "tcp";
        sample.from = peer;
        sample.to = root;
        sample.peers = peers;
        sample.bytes = bytes;
        sample.rep = rep;
        sample.elapsed_s = root_s / 2;
        sample.root_s = root_s;
        raw.samples.push_back(sample);
    }
}

TEST(SharedInput, FansBecomeSetsWithTheRootsMedian) {
    Raw raw;
    add_fan_in(raw, "a", {"c", "d"}, 1e8, 0, 0.20);
    add_fan_in(raw, "a", {"c", "d"}, 1e8, 1, 0.23);
    add_fan_in(raw, "a", {"c", "d"}, 1e8, 2, 0.21);
    add_fan_in(raw, "a", {"c", "d"}, 1e5, 0, 0.01);  // start-up 1 ms beside 0.1 ms: says nothing
    add_fan_in(raw, "b", {"c", "d", "a"}, 1e8, 0, 0.3);
    raw.samples.pop_back();  // one message is missing
    const SharedInput input = shared_input(raw, four_hosts(), {});
    ASSERT_EQ(input.samples.size(), 1U);
    EXPECT_EQ(input.samples[0].name, "in:a<-c,d");
    EXPECT_EQ(input.samples[0].pattern, "fan_in");
    EXPECT_EQ(input.samples[0].congestion, "cubic");
    EXPECT_DOUBLE_EQ(input.samples[0].seconds, 0.21);
    ASSERT_EQ(input.samples[0].sets.front().size(), 2U);
    EXPECT_EQ(input.samples[0].sets.front()[1].from, 3U);
    EXPECT_DOUBLE_EQ(input.bytes_per_s(0, 1), 1e9);
    // "all" holds everybody and each rack one host: no groups. Sites are.
    ASSERT_EQ(input.groups.size(), 2U);
    EXPECT_EQ(input.groups[0].name, "x");
    EXPECT_EQ(input.groups[0].members, (std::vector<std::size_t>{0, 1}));
}

void add_crossing(Raw& raw, const std::vector<std::string>& ends, int rep, double last_s) {
    for (std::size_t i = 0; i + 1 < ends.size(); i += 2) {
        Sample sample;
        sample.pattern = Pattern::kCrossing;
        sample.transport = "tcp";
        sample.from = ends[i];
        sample.to = ends[i + 1];
        sample.peers = ends;
        sample.bytes = 1e8;
        sample.rep = rep;
        sample.elapsed_s = i == 0 ? last_s : last_s / 2;
        raw.samples.push_back(sample);
    }
}

TEST(SharedInput, CrossingsLastUntilTheirLastTransfer) {
    Raw raw;
    add_crossing(raw, {"a", "c", "b", "d"}, 0, 0.21);
    add_crossing(raw, {"b", "d", "a", "c"}, 1, 0.23);  // the same set
    add_crossing(raw, {"a", "c", "b", "d"}, 2, 0.50);
    add_crossing(raw, {"c", "a", "d", "b"}, 0, 0.21);
    raw.samples.pop_back();  // one message is missing
    const SharedInput input = shared_input(raw, four_hosts(), {});
    ASSERT_EQ(input.samples.size(), 1U);
    EXPECT_EQ(input.samples[0].name, "crossing:a>c,b>d");
    EXPECT_EQ(input.samples[0].pattern, "crossing");
    EXPECT_DOUBLE_EQ(input.samples[0].seconds, 0.23);
    EXPECT_EQ(input.samples[0].sets.front().size(), 2U);
    EXPECT_EQ(input.sites.names, (std::vector<std::string>{"x", "y"}));
    EXPECT_EQ(input.sites.pair_of(0, 2), 1U);
    EXPECT_EQ(input.sites.pair_of(2, 0), 2U);
    EXPECT_EQ(input.sites.pair_of(0, 1), HostSites::kNone);
}

/// A declared group with the hosts of a site is the same group.
TEST(SharedInput, GroupsAreNotThereTwice) {
    LinkFits fits = four_hosts();
    for (std::size_t i = 0; i < 2; ++i) {
        fits.hosts[i].groups = {"all", "x-border"};
    }
    ASSERT_EQ(shared_input({}, fits, {}).groups.size(), 2U);
    EXPECT_EQ(shared_input({}, fits, {}).groups[0].name, "x");
}

/// Every two transfers between the sites take twice as long: 1 ms + 0.2 s.
TEST(SharedInput, LinksBetweenSitesGoIntoTheFile) {
    Raw raw;
    for (const std::vector<std::string>& ends :
         {std::vector<std::string>{"a", "c", "b", "d"}, {"a", "d", "b", "c"}}) {
        add_crossing(raw, ends, 0, 0.201);
        add_crossing(raw, {ends[1], ends[0], ends[3], ends[2]}, 0, 0.201);
    }
    LinkFits fits = four_hosts();
    const SharedInput input = shared_input(raw, fits, {});
    SharedModel model;
    model.resources = {{Scope::kBetween, Rule::kRate, false, 1, 1e9}};
    set_shared(fits, model, input);
    EXPECT_EQ(shared_summary(fits)->resources.at(0), "between rate of x>y, 8 Gbit/s");
    // Of two sites the link is what either leaves over: samples do not tell.
    const auto found = fit_shared(input);
    ASSERT_TRUE(found);
    ASSERT_EQ(found->resources.size(), 1U);
    EXPECT_EQ(found->resources[0].scope, Scope::kGroup);
    EXPECT_NEAR(found->resources[0].value, 1e9, 1e6);
}

/// Receivers of 1 GB/s altogether: two messages of 100 MB take 1 ms + 0.2 s.
TEST(SharedInput, ModelGoesIntoTheFile) {
    Raw raw;
    const std::vector<std::string> ids{"a", "b", "c", "d"};
    for (const std::string& root : ids) {
        std::vector<std::string> peers;
        for (const std::string& id : ids) {
            if (id != root) {
                peers.push_back(id);
            }
        }
        add_fan_in(raw, root, peers, 1e8, 0, 0.301);
        peers.pop_back();
        add_fan_in(raw, root, peers, 1e8, 0, 0.201);
    }
    LinkFits fits = four_hosts();
    EXPECT_FALSE(shared_summary(fits));
    const SharedInput input = shared_input(raw, fits, {});
    const auto model = fit_shared(input);
    ASSERT_TRUE(model);
    set_shared(fits, *model, input);
    const auto summary = shared_summary(fits);
    ASSERT_TRUE(summary);
    EXPECT_TRUE(summary->trusted);
    EXPECT_NEAR(summary->left_out_factor, 1, 0.01);
    ASSERT_EQ(summary->resources.size(), 1U);
    EXPECT_EQ(summary->resources[0], "receiver rate, 8 Gbit/s");
}

TEST(CompleteLinks, PairsWithoutFitComeFromTheirSites) {
    LinkFits fits = four_hosts();
    std::erase_if(fits.pairs, [](const LinkFit& fit) { return fit.from == "b" && fit.to == "d"; });
    const auto done = complete_links(fits, {});
    ASSERT_TRUE(done);
    EXPECT_EQ(done->sites.size(), 2U);
    EXPECT_DOUBLE_EQ(done->pairs.beta_gbps(1, 3), 8);
    EXPECT_DOUBLE_EQ(done->pairs.alpha_ms(1, 3), 15);
    EXPECT_EQ(done->beta.hosts.estimated(1, 3), 1);
    EXPECT_LT(done->pairs.beta_lower(1, 3), 7.9);  // never exact
    EXPECT_GT(done->pairs.beta_upper(1, 3), 8.1);
    EXPECT_EQ(done->beta.hosts.estimated(0, 3), 0);
    FabricOptions options;
    options.completed = done->pairs;
    options.transport = "tcp";
    const auto parts = to_fabric(fits, options);
    ASSERT_TRUE(parts);
    EXPECT_EQ(parts->estimated(1, 3), 1);
}

}  // namespace
}  // namespace longhaul::measure
