// What limits a pair: windows, buffers, cores, and lines that a size beats.
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

void add_facts(Raw& raw, double sndbuf_share, double rwnd_share, double cpu_share) {
    for (Sample& sample : raw.samples) {
        TcpFacts facts;
        facts.min_rtt_s = 0.2;
        facts.busy_s = sample.elapsed_s;
        facts.sndbuf_limited_s = sndbuf_share * sample.elapsed_s;
        facts.rwnd_limited_s = rwnd_share * sample.elapsed_s;
        sample.tcp = facts;
        sample.cpu_share = cpu_share;
    }
}

/// 191 Mbit/s over 200 ms, of which a buffer of 4 MiB lets 117 through: a straight line.
Raw window_limited() {
    Raw raw;
    detail::add_pair(raw, "a", "b", wan_sizes(), 5, Link(196, 0.117));
    return raw;
}

TEST(FitLinks, SendBufferIsNamedAndNeverOk) {
    Raw raw = window_limited();
    add_facts(raw, 0.27, 0, 0.1);
    const LinkFit fit = only_pair(raw);
    EXPECT_EQ(fit.limiter, Limiter::kSndbuf);
    EXPECT_EQ(fit.verdict, Verdict::kSuspect);
    EXPECT_TRUE(has_finding(fit, "limiter"));
    EXPECT_LT(fit.max_rel_error, 0.05);  // nothing but the kernel tells
}

TEST(FitLinks, WindowOfTheReceiverAndBusyCoresAreNamed) {
    Raw raw = window_limited();
    add_facts(raw, 0.05, 0.5, 0.1);
    EXPECT_EQ(only_pair(raw).limiter, Limiter::kRwnd);
    add_facts(raw, 0, 0, 0.97);
    EXPECT_EQ(only_pair(raw).limiter, Limiter::kCpu);
    EXPECT_EQ(only_pair(raw).verdict, Verdict::kSuspect);
    add_facts(raw, 0.01, 0.01, 0.5);
    EXPECT_EQ(only_pair(raw).limiter, Limiter::kLink);
    EXPECT_EQ(only_pair(raw).verdict, Verdict::kOk);
}

// 0.096 Gbit/s x 2.4 ms = 29 kB under way, which every window holds: what fills it is the queue.
TEST(FitLinks, AFullWindowOnAShortLinkIsTheLink) {
    Raw raw;
    detail::add_pair(raw, "a", "b", wan_sizes(), 5, Link(2.4, 0.096));
    add_facts(raw, 0, 0.5, 0.1);
    for (Sample& sample : raw.samples) {
        sample.tcp->min_rtt_s = 0.0024;
    }
    EXPECT_EQ(only_pair(raw).limiter, Limiter::kLink);
    EXPECT_EQ(only_pair(raw).verdict, Verdict::kOk);
}

// 0.117 Gbit/s x 196 ms = 2.87 MB under way: 0.68 of 4 MiB, 0.34 of 8 MiB.
TEST(FitLinks, WithoutSharesTheBufferItselfTells) {
    Raw raw = window_limited();
    EXPECT_EQ(only_pair(raw).limiter, Limiter::kUnknown);
    raw.hosts.resize(2);
    raw.hosts[0].id = "a";
    raw.hosts[1].id = "b";
    raw.hosts[0].facts.set("tcp_wmem_max", 4 * kMiB);
    EXPECT_EQ(only_pair(raw).limiter, Limiter::kSndbuf);
    raw.hosts[0].facts.set("tcp_wmem_max", 8 * kMiB);
    EXPECT_EQ(only_pair(raw).limiter, Limiter::kUnknown);
    raw.hosts[1].facts.set("tcp_rmem", std::vector<double>{4096, 131'072, 4 * kMiB});
    EXPECT_EQ(only_pair(raw).limiter, Limiter::kRwnd);
}

const Finding* finding_of(const LinkFit& fit, const std::string& gate) {
    const auto found = std::ranges::find(fit.findings, gate, &Finding::gate);
    return found == fit.findings.end() ? nullptr : &*found;
}

// As measured over 260 ms and 28.7 Mbit/s with a short queue: a quarter of a MiB takes 75 ms beyond
// the round trip, but 2 MiB wait for a window that losses keep small.
TEST(FitLinks, MessagesThatWaitForTheWindowAreSuspect) {
    Raw raw;
    const std::vector<double> seconds{0.336, 0.566, 0.874, 1.624};
    for (std::size_t size = 0; size < seconds.size(); ++size) {
        int rep = 0;
        detail::add_pair(raw, "a", "b", {kMiB / 4 * std::exp2(size)}, 4, [&](double /*bytes*/) {
            return seconds[size] * (1 + 0.01 * (rep++ % 2 == 0 ? 1 : -1));
        });
    }
    detail::add_pings(raw, "a", "b", 260);
    const LinkFit fit = only_pair(raw);
    EXPECT_LT(fit.beta_gbps, 0.5 * 0.0287);
    EXPECT_EQ(fit.verdict, Verdict::kSuspect);
    const Finding* finding = finding_of(fit, "window");
    ASSERT_NE(finding, nullptr);
    EXPECT_FALSE(finding->warning);
    // 2.097 Mbit in 76 ms, and at least 16 MiB to measure.
    EXPECT_NE(finding->reason.find("0.262 MB at 0.0276 Gbit/s beyond it"), std::string::npos)
        << finding->reason;
    EXPECT_NE(finding->advice.find("17 MB"), std::string::npos) << finding->advice;
}

// 150 ms and 57 Mbit/s, where messages above half a MiB run at 47. One line over all of them starts
// at 144.5 ms (least squares, by hand), but half a MiB takes 74.5 ms beyond the round trip, which
// is 1.27 times its rate of 44.2 Mbit/s.
TEST(FitLinks, ALineThatASizeBeatsIsSuspect) {
    Raw raw;
    const std::vector<double> seconds{0.2, 0.2245, 0.345, 0.525};
    for (std::size_t size = 0; size < seconds.size(); ++size) {
        int rep = 0;
        detail::add_pair(raw, "a", "b", {kMiB / 4 * std::exp2(size)}, 4, [&](double /*bytes*/) {
            return seconds[size] * (1 + 0.03 * (rep++ % 2 == 0 ? 1 : -1));
        });
    }
    detail::add_pings(raw, "a", "b", 150);
    const LinkFit fit = only_pair(raw);
    ASSERT_EQ(fit.segments.size(), 1U);
    EXPECT_NEAR(fit.alpha_ms, 144.5, 0.1);
    EXPECT_NEAR(fit.beta_gbps, 0.0442, 0.0001);
    EXPECT_EQ(fit.verdict, Verdict::kSuspect);
    const Finding* finding = finding_of(fit, "window");
    ASSERT_NE(finding, nullptr);
    EXPECT_FALSE(finding->warning);
}

// 0.1 Gbit/s over 80 ms are 1 MB under way. The line is right, so a small largest message is a
// note.
TEST(FitLinks, AFewBandwidthDelayProductsAreNoted) {
    const auto fitted = [](double largest, double again) {
        Raw raw;
        detail::add_pair(
            raw, "a", "b", detail::sizes_between(65'536, largest, 2), 5, [](double bytes) {
                return detail::affine_seconds(bytes, 80, 0.1);
            });
        for (Sample& sample : raw.samples) {
            sample.tcp.emplace().retransmitted_bytes = again;
        }
        detail::add_pings(raw, "a", "b", 80);
        return only_pair(raw);
    };
    EXPECT_TRUE(has_finding(fitted(kMiB, 0), "window"));
    EXPECT_FALSE(has_finding(fitted(2 * kMiB, 0), "window"));
    EXPECT_TRUE(has_finding(fitted(2 * kMiB, 100), "window"));
    EXPECT_FALSE(has_finding(fitted(4 * kMiB, 100), "window"));
    EXPECT_EQ(fitted(kMiB, 0).verdict, Verdict::kOk);
}

}  // namespace
}  // namespace longhaul::measure
