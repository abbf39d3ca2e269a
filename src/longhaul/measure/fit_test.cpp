#include "longhaul/measure/fit.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "longhaul/core/value.hpp"
#include "longhaul/measure/detail/test_links.hpp"
#include "longhaul/measure/links_file.hpp"

namespace longhaul::measure {
namespace {

using detail::has_finding;
using detail::kMiB;
using detail::Link;
using detail::only_pair;
using detail::pair_of;
using detail::wan_sizes;

// With 10 ms one way and 50 ms back, echoes of both directions start with 60 ms; rates differ.
TEST(FitLinks, AsymmetricDelayGivesEqualStartUpsAndOwnRates) {
    Raw raw;
    detail::add_pair(raw, "a", "b", wan_sizes(), 5, Link(60, 0.0956, 1));
    detail::add_pair(raw, "b", "a", wan_sizes(), 5, Link(60, 0.0191, 2));
    detail::add_pings(raw, "a", "b", 60);
    const LinkFits fits = fit_links(raw, {});
    const LinkFit& there = pair_of(fits, "a", "b");
    const LinkFit& back = pair_of(fits, "b", "a");
    EXPECT_NEAR(there.alpha_ms, 60, 0.03 * 60);
    EXPECT_NEAR(back.alpha_ms, 60, 0.03 * 60);
    EXPECT_NEAR(there.beta_gbps, 0.0956, 0.02 * 0.0956);
    EXPECT_NEAR(back.beta_gbps, 0.0191, 0.02 * 0.0191);
    EXPECT_EQ(there.verdict, Verdict::kOk);
    EXPECT_EQ(there.timing, Timing::kEcho);
    ASSERT_EQ(fits.round_trips.size(), 1U);
    EXPECT_NEAR(fits.round_trips[0].median_ms, 60, 1e-9);
    EXPECT_EQ(fits.round_trips[0].n, 20);
    EXPECT_NEAR(back.rtt_ms, 60, 1e-9);
    EXPECT_TRUE(fits.missing.empty());
}

// A loaded connection waits in its own queue: of 115 ms by the connection, 116 ms by the kernel and
// 55 ms by ICMP the least is the path's.
TEST(FitLinks, TheLeastRoundTripCounts) {
    Raw raw;
    detail::add_pair(raw, "a", "b", wan_sizes(), 5, Link(116, 0.1, 1));
    detail::add_pings(raw, "a", "b", 115);
    for (Sample& sample : raw.samples) {
        sample.tcp.emplace().min_rtt_s = 0.116;
    }
    EXPECT_NEAR(fit_links(raw, {}).pairs.at(0).rtt_ms, 115, 1e-9);
    Raw icmp;
    detail::add_pings(icmp, "b", "a", 55);
    for (Sample& sample : icmp.samples) {
        sample.transport = "icmp";
    }
    append(raw, icmp);
    EXPECT_NEAR(fit_links(raw, {}).pairs.at(0).rtt_ms, 55, 1e-9);
    raw.samples.front().tcp->min_rtt_s = 0.054;
    EXPECT_NEAR(fit_links(raw, {}).pairs.at(0).rtt_ms, 54, 1e-9);
}

TEST(FitLinks, RetransmitsAreCounted) {
    Raw raw;
    detail::add_pair(raw, "a", "b", wan_sizes(), 5, Link(20, 0.2));
    for (Sample& sample : raw.samples) {
        sample.tcp.emplace().retransmitted_bytes = 0.02 * sample.bytes;
    }
    const LinkFit fit = only_pair(raw);
    EXPECT_NEAR(fit.retransmit_share.value_or(0), 0.02, 1e-12);
    EXPECT_TRUE(has_finding(fit, "retransmits"));
}

/// Five messages of every size through Linux's token bucket filter: 100 Mbit/s, burst 4 MB, 0.5 s
/// of idle time before each (measured between two network namespaces).
Raw token_bucket() {
    const std::vector<std::vector<double>> seconds = {
        {0.000258, 0.000230, 0.000224, 0.000233, 0.000240},
        {0.000252, 0.000247, 0.000233, 0.000250, 0.000257},
        {0.000269, 0.000245, 0.000266, 0.000259, 0.000250},
        {0.000249, 0.000288, 0.000287, 0.000296, 0.000265},
        {0.000295, 0.000277, 0.000321, 0.003827, 0.000271},
        {0.000349, 0.000356, 0.000374, 0.000358, 0.000347},
        {0.000505, 0.000543, 0.000499, 0.000486, 0.000489},
        {0.000769, 0.000764, 0.000823, 0.000771, 0.000744},
        {0.015876, 0.015868, 0.015934, 0.015910, 0.015793},
        {0.366955, 0.366987, 0.367027, 0.367171, 0.367030},
        {1.068636, 1.079411, 1.068579, 1.068675, 1.068639}};
    Raw raw;
    for (std::size_t i = 0; i < seconds.size(); ++i) {
        for (const double s : seconds[i]) {
            const double bytes = std::ldexp(16'384, static_cast<int>(i));
            raw.samples.push_back(detail::sample_of("a", "b", bytes, s));
        }
    }
    return raw;
}

// 95.64 = 100 Mbit/s less headers (1448 of 1514 bytes are payload).
TEST(FitLinks, TokenBucketIsSegmentsNotABlend) {
    const LinkFit fit = only_pair(token_bucket());
    ASSERT_GE(fit.segments.size(), 2U);
    EXPECT_NEAR(fit.beta_gbps, 0.09564, 0.0005);
    EXPECT_TRUE(has_finding(fit, "segments"));
    EXPECT_EQ(fit.verdict, Verdict::kSuspect);
    // Inside the burst a message costs what it did; beyond it, the rate counts.
    EXPECT_NEAR(cost_of(fit, 1 * kMiB).value(), 0.000499, 0.1 * 0.000499);
    EXPECT_NEAR(cost_of(fit, 12 * kMiB).value(), 0.7178, 0.01 * 0.7178);
}

// Slow start of fresh connections: 242, 404, 571, 747 and 1279 ms were measured over 80 ms and
// 191.28 Mbit/s; the closed form of the warm fit says it within 1.5 %.
TEST(FitLinks, ColdConnectionsAreComparedWithSlowStart) {
    Raw raw;
    detail::add_pair(raw, "a", "b", wan_sizes(), 5, Link(80, 0.19128));
    const std::vector<double> ms = {242, 404, 571, 747, 1279};
    for (std::size_t i = 0; i < ms.size(); ++i) {
        const double bytes = 65'536 * std::pow(4, static_cast<double>(i));
        raw.samples.push_back(detail::sample_of("a", "b", bytes, ms[i] / 1e3));
        raw.samples.back().state = State::kCold;
    }
    const LinkFits fits = fit_links(raw, {});
    ASSERT_EQ(fits.pairs.size(), 2U);
    ASSERT_EQ(fits.cold_checks.size(), 5U);
    for (std::size_t i = 0; i < ms.size(); ++i) {
        EXPECT_NEAR(fits.cold_checks[i].measured_s, ms[i] / 1e3, 1e-12);
        EXPECT_NEAR(fits.cold_checks[i].derived_s, ms[i] / 1e3, 0.015 * ms[i] / 1e3);
    }
}

TEST(FitLinks, ColdConnectionsAreSegmentsWithoutBlame) {
    Raw raw;
    detail::add_pair(raw,
                     "a",
                     "b",
                     detail::sizes_between(16'384, 16 * kMiB, 2),
                     5,
                     [](double bytes) {  // 80 ms, 0.19128 Gbit/s; windows of 14,480 x 2^k bytes
                         double seconds = 0.08;
                         double window = 14'480;
                         for (; window < 0.19128e9 / 8 * 0.08 && bytes > window; window *= 2) {
                             seconds += 0.08;
                             bytes -= window;
                         }
                         return seconds + bytes * 8 / 0.19128e9;
                     });
    for (Sample& sample : raw.samples) {
        sample.state = State::kCold;
    }
    const LinkFit fit = only_pair(raw);
    EXPECT_EQ(fit.segments.size(), 3U);
    EXPECT_FALSE(has_finding(fit, "segments"));
    EXPECT_NEAR(fit.beta_gbps, 0.19128, 0.02 * 0.19128);
}

TEST(FitLinks, BlocksThatDifferAreNonstationary) {
    const auto campaign = [](double slower) {
        Raw raw;
        for (int block = 0; block < 3; ++block) {
            const std::size_t first = raw.samples.size();
            Link link(40, 0.2 / (block == 2 ? slower : 1), static_cast<std::uint64_t>(block));
            detail::add_pair(raw, "a", "b", detail::sizes_between(kMiB, 16 * kMiB, 2), 3, link);
            for (std::size_t i = first; i < raw.samples.size(); ++i) {
                raw.samples[i].block = block;
            }
        }
        return only_pair(raw);
    };
    EXPECT_FALSE(campaign(1.0).nonstationary);
    EXPECT_FALSE(campaign(1.05).nonstationary);  // less than 10 %
    const LinkFit changed = campaign(1.5);
    EXPECT_TRUE(changed.nonstationary);
    EXPECT_TRUE(has_finding(changed, "nonstationary"));
    ASSERT_EQ(changed.blocks.size(), 3U);
    EXPECT_EQ(changed.blocks[2].block, 2);
    EXPECT_EQ(changed.blocks[2].n, 15);
    EXPECT_GT(changed.blocks[2].ratio, 1.2);
}

// Two good pairs of 10 and 40 ms, 0.1 and 1 Gbit/s in one class: no fit is suspect, one note says
// why.
TEST(FitLinks, AClassOfPairsThatDifferIsNotSuspect) {
    Raw raw;
    for (const char* id : {"a", "b", "c"}) {
        raw.hosts.emplace_back().id = id;
        raw.hosts.back().site = *id == 'a' ? "east" : "west";
    }
    detail::add_pair(raw, "a", "b", wan_sizes(), 5, Link(10, 1, 1));
    detail::add_pair(raw, "a", "c", wan_sizes(), 5, Link(40, 0.1, 2));
    const LinkFits fits = fit_links(raw, {});
    ASSERT_EQ(fits.paths.size(), 1U);
    EXPECT_EQ(fits.paths[0].verdict, Verdict::kOk);
    ASSERT_EQ(fits.paths[0].findings.size(), 1U);
    EXPECT_EQ(fits.paths[0].findings[0].gate, "class");
    EXPECT_TRUE(fits.paths[0].findings[0].warning);
    for (Sample& sample : raw.samples) {
        sample.tcp.emplace().retransmitted_bytes = sample.bytes / 10;
    }
    EXPECT_EQ(fit_links(raw, {}).paths.at(0).verdict, Verdict::kSuspect);
}

// A spread of 60 % explains a difference of 20 % between blocks of three samples.
TEST(FitLinks, NoiseIsNotNonstationary) {
    Raw raw;
    const std::vector<double> factors = {0.7, 1.0, 1.3, 0.9, 1.2, 1.5};
    for (std::size_t i = 0; i < factors.size(); ++i) {
        raw.samples.push_back(detail::sample_of("a", "b", kMiB, 0.1 * factors[i]));
        raw.samples.back().block = static_cast<int>(i / 3);
    }
    EXPECT_FALSE(only_pair(raw).nonstationary);
}

TEST(FitLinks, OneSizeAndBadTimesAreSaid) {
    Raw raw;
    detail::add_pair(raw, "a", "b", {kMiB}, 5, Link(0, 1));
    raw.samples.push_back(detail::sample_of("a", "b", kMiB, 0));
    raw.samples.push_back(detail::sample_of("b", "a", kMiB, -1));
    const LinkFits fits = fit_links(raw, {});
    ASSERT_EQ(fits.pairs.size(), 1U);
    EXPECT_TRUE(has_finding(fits.pairs[0], "sizes"));
    EXPECT_EQ(fits.pairs[0].verdict, Verdict::kSuspect);
    ASSERT_EQ(fits.warnings.size(), 1U);
    EXPECT_EQ(fits.missing.size(), 1U);
    EXPECT_TRUE(fit_links(Raw(), {}).pairs.empty());
}

/// Seven hosts, all pairs.
Raw mesh() {
    Raw raw;
    for (int i = 0; i < 7; ++i) {
        for (int j = 0; j < 7; ++j) {
            if (i != j) {
                detail::add_pair(
                    raw,
                    std::to_string(i),
                    std::to_string(j),
                    wan_sizes(),
                    5,
                    Link(10 + i, 0.1 + 0.01 * j, static_cast<std::uint64_t>(7 * i + j)));
            }
        }
    }
    return raw;
}

TEST(FitLinks, ThreadsAndOrderDoNotMatter) {
    Raw raw = mesh();
    const std::string one = core::write_json(to_value(fit_links(raw, {7, 100, 1})));
    EXPECT_EQ(one, core::write_json(to_value(fit_links(raw, {7, 100, 3}))));
    core::Random random(1);
    random.shuffle(std::span<Sample>(raw.samples));
    EXPECT_EQ(one, core::write_json(to_value(fit_links(raw, {7, 100, 2}))));
    EXPECT_NE(one, core::write_json(to_value(fit_links(raw, {8, 100, 1}))));
}

// A fit is the same whichever others are made.
TEST(FitLinks, OtherPairsDoNotMatter) {
    Raw raw = mesh();
    const LinkFits all = fit_links(raw, {7, 100, 1});
    std::erase_if(raw.samples, [](const Sample& sample) { return sample.from != "3"; });
    const LinkFits some = fit_links(raw, {7, 100, 1});
    ASSERT_EQ(some.pairs.size(), 6U);
    for (const LinkFit& fit : some.pairs) {
        EXPECT_EQ(core::write_json(to_value(fit)),
                  core::write_json(to_value(pair_of(all, fit.from, fit.to))));
    }
}

}  // namespace
}  // namespace longhaul::measure
