// Fits of what is more than one message of one pair: streams, fans, patterns and paths.
#include "longhaul/measure/fit_groups.hpp"

#include <gtest/gtest.h>

#include "longhaul/measure/detail/test_links.hpp"

namespace longhaul::measure {
namespace {

using detail::affine_seconds;
using detail::kMiB;
using detail::Link;
using detail::only_pair;
using detail::wan_sizes;

// Four streams, one at half the rate of the others: the sum, and four times the slowest.
TEST(FitLinks, StreamsGiveSumAndSlowest) {
    Raw raw;
    detail::add_pair(raw, "a", "b", wan_sizes(), 3, Link(20, 0.4));
    for (Sample& sample : raw.samples) {
        sample.streams = 4;
        const double fast = sample.bytes / 4 * 8 / 0.1e9;
        sample.per_stream_s = {fast, fast, 2 * fast, fast};
    }
    const LinkFit fit = only_pair(raw);
    ASSERT_TRUE(fit.stream_rates);
    EXPECT_NEAR(fit.stream_rates->sum_gbps, 0.35, 1e-9);
    EXPECT_NEAR(fit.stream_rates->least_gbps, 0.2, 1e-9);
}

// 117 Mbit/s with one stream, 185 and 190 with four and eight: four are within 5 % of the best.
TEST(FitLinks, FewestStreamsThatAreEnough) {
    Raw raw;
    for (const auto& [streams, gbps] : {std::pair{8, 0.190}, {1, 0.117}, {4, 0.185}}) {
        const std::size_t first = raw.samples.size();
        detail::add_pair(raw, "a", "b", wan_sizes(), 5, Link(200, gbps));
        for (std::size_t i = first; i < raw.samples.size(); ++i) {
            raw.samples[i].streams = streams;
        }
    }
    const LinkFits fits = fit_links(raw, {});
    ASSERT_EQ(fits.stream_choices.size(), 1U);
    EXPECT_EQ(fits.stream_choices[0].streams, (std::vector{1, 4, 8}));
    EXPECT_EQ(fits.stream_choices[0].enough, 4);
}

/// A fan of three as a collective library times it: every message at 10 Gbit/s, the root done when
/// all are, 24 Gbit/s in all.
void add_fan(Raw& raw, Pattern pattern, const std::string& root, std::vector<std::string> peers) {
    const std::vector<std::string> ends = peers;
    for (const double bytes : detail::sizes_between(4096, 256 * kMiB, 4)) {
        for (int rep = 0; rep < 3; ++rep) {
            for (const std::string& peer : ends) {
                const bool inward = pattern == Pattern::kFanIn;
                Sample sample = detail::sample_of(inward ? peer : root,
                                                  inward ? root : peer,
                                                  bytes,
                                                  affine_seconds(bytes, 1, 10));
                sample.task = "fan " + root;
                sample.pattern = pattern;
                sample.transport = "nccl";
                sample.peers = peers;
                sample.rep = rep;
                sample.root_s = affine_seconds(3 * bytes, 2, 24);
                raw.samples.push_back(sample);
            }
        }
    }
}

TEST(FitLinks, FansAreKeyedByTheirPeersAndKnowTheRootsRate) {
    Raw raw;
    add_fan(raw, Pattern::kFanIn, "r", {"q", "p", "s"});
    add_fan(raw, Pattern::kFanOut, "r", {"s", "q", "p"});
    const LinkFits fits = fit_links(raw, {});
    ASSERT_EQ(fits.fans.size(), 2U);
    EXPECT_EQ(fits.fans[0].key, "in:r<-p,q,s");
    EXPECT_EQ(fits.fans[1].key, "out:r->p,q,s");
    for (const FanFit& fan : fits.fans) {
        EXPECT_EQ(fan.peers, (std::vector<std::string>{"p", "q", "s"}));
        ASSERT_EQ(fan.per_peer.size(), 3U);
        EXPECT_NEAR(fan.per_peer[1].beta_gbps, 10, 1e-6);
        EXPECT_NEAR(fan.per_peer[1].alpha_ms, 1, 1e-6);
        EXPECT_EQ(fan.per_peer[1].timing, Timing::kOneWay);
        ASSERT_TRUE(fan.root_fit);
        EXPECT_NEAR(fan.root_fit->beta_gbps, 24, 1e-6);
        EXPECT_NEAR(fan.root_fit->alpha_ms, 2, 1e-6);
        EXPECT_EQ(fan.root_fit->sizes.front().n, 3);
        EXPECT_EQ(fan.root_fit->sizes.front().bytes, 3 * 4096);
    }
    EXPECT_EQ(fits.fans[0].per_peer[1].from, "q");
    EXPECT_EQ(fits.fans[0].per_peer[1].to, "r");
    EXPECT_EQ(fits.fans[1].per_peer[1].from, "r");
    EXPECT_TRUE(fits.missing.empty());  // no pair was asked for
}

// Both ways keep their own place; relays are known by the two paths that they use; paths pool
// pairs.
TEST(FitLinks, PatternsStayApart) {
    Raw raw;
    const auto add = [&raw](Pattern pattern, double gbps, const std::string& path) {
        const std::size_t first = raw.samples.size();
        detail::add_pair(raw, "0", "1", wan_sizes(), 3, Link(1, gbps));
        for (std::size_t i = first; i < raw.samples.size(); ++i) {
            raw.samples[i].pattern = pattern;
            raw.samples[i].path = path;
            raw.samples[i].send_path = pattern == Pattern::kRelay ? "inter_node" : "";
        }
    };
    add(Pattern::kPeer, 0.4, "inter_node");
    add(Pattern::kBothWays, 0.3, "inter_node");
    add(Pattern::kRelay, 0.2, "intra_node");
    add(Pattern::kLocal, 100, "local");
    const LinkFits fits = fit_links(raw, {});
    ASSERT_EQ(fits.pairs.size(), 1U);
    ASSERT_EQ(fits.paths.size(), 1U);
    ASSERT_EQ(fits.both_ways.size(), 1U);
    ASSERT_EQ(fits.both_ways_paths.size(), 1U);
    ASSERT_EQ(fits.relays.size(), 1U);
    ASSERT_EQ(fits.locals.size(), 1U);
    EXPECT_NEAR(fits.pairs[0].beta_gbps, 0.4, 0.02);
    EXPECT_NEAR(fits.both_ways[0].beta_gbps, 0.3, 0.02);
    EXPECT_EQ(key_of(fits.pairs[0]), "0>1");
    EXPECT_EQ(key_of(fits.paths[0]), "inter_node");
    EXPECT_EQ(key_of(fits.relays[0]), "intra_node|inter_node");
    ASSERT_EQ(fits.missing.size(), 1U);
    EXPECT_EQ(fits.missing[0].from, "1");
    EXPECT_EQ(fits.missing[0].to, "0");
}

TEST(FitLinks, PathsComeFromSitesWhereSamplesHaveNone) {
    Raw raw;
    raw.hosts.resize(3);
    for (std::size_t i = 0; i < 3; ++i) {
        raw.hosts[i].id = std::string(1, static_cast<char>('a' + i));
        raw.hosts[i].site = i < 2 ? "east" : "west";
    }
    detail::add_pair(raw, "a", "c", wan_sizes(), 3, Link(30, 0.2));
    detail::add_pair(raw, "b", "c", wan_sizes(), 3, Link(30, 0.2));
    const LinkFits fits = fit_links(raw, {});
    ASSERT_EQ(fits.paths.size(), 1U);
    EXPECT_EQ(fits.paths[0].path, "east>west");
    EXPECT_EQ(fits.paths[0].sizes[0].n, 6);
    EXPECT_EQ(fits.missing.size(), 4U);
}

}  // namespace
}  // namespace longhaul::measure
