#include "longhaul/measure/fabric_of.hpp"

#include <gtest/gtest.h>

#include "longhaul/fabric/read.hpp"
#include "longhaul/measure/detail/test_samples.hpp"
#include "longhaul/measure/fit.hpp"
#include "longhaul/measure/pair_facts.hpp"

namespace longhaul::measure {
namespace {

using detail::affine_seconds;
using detail::kMiB;

const std::vector<std::string> kHosts = {"a", "b", "c"};

double true_rtt(std::size_t i, std::size_t j) {
    return 20 * static_cast<double>(i + j);
}

double true_beta(std::size_t i, std::size_t j) {
    return 0.1 * static_cast<double>(1 + 3 * i + j);
}

/// Three hosts without noise; pings when asked for.
Raw triangle(bool pings) {
    Raw raw;
    raw.runs.push_back({1, "tri", "2026-01-02T03:04:05Z", "", "", core::Value::object()});
    for (std::size_t i = 0; i < 3; ++i) {
        HostRecord host;
        host.id = kHosts[i];
        host.site = i < 2 ? "east" : "west";
        host.address = "192.0.2." + std::to_string(i);
        raw.hosts.push_back(host);
    }
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            if (i != j) {
                detail::add_pair(raw,
                                 kHosts[i],
                                 kHosts[j],
                                 detail::sizes_between(65'536, 16 * kMiB, 2),
                                 3,
                                 [&](double bytes) {
                                     return affine_seconds(bytes, true_rtt(i, j), true_beta(i, j));
                                 });
            }
            if (i < j && pings) {
                detail::add_pings(raw, kHosts[i], kHosts[j], true_rtt(i, j));
            }
        }
    }
    return raw;
}

fabric::Fabric made(const LinkFits& fits, const FabricOptions& options) {
    core::Result<fabric::FabricParts> parts = to_fabric(fits, options);
    EXPECT_TRUE(parts) << core::to_string(parts.error().front());
    core::Result<fabric::Fabric> fabric = fabric::Fabric::make(*std::move(parts), "fabric");
    EXPECT_TRUE(fabric) << core::to_string(fabric.error().front());
    return *std::move(fabric);
}

TEST(ToFabric, HalfTheRoundTripAndTheRateOfTheDirection) {
    for (const bool pings : {true, false}) {
        const fabric::Fabric fabric = made(fit_links(triangle(pings), {}), {});
        ASSERT_EQ(fabric.size(), 3U);
        EXPECT_EQ(fabric.labels(), (std::vector<std::string>{"east", "east", "west"}));
        for (std::size_t i = 0; i < 3; ++i) {
            EXPECT_EQ(fabric.parts().devices[i].host, kHosts[i]);
            for (std::size_t j = 0; j < 3; ++j) {
                if (i != j) {
                    EXPECT_NEAR(fabric.parts().alpha_ms(i, j), true_rtt(i, j) / 2, 1e-6);
                    EXPECT_NEAR(fabric.parts().beta_gbps(i, j), true_beta(i, j), 1e-9);
                    EXPECT_EQ(fabric.parts().estimated(i, j), 0);
                }
            }
        }
        EXPECT_NE(fabric.parts().provenance.find("run tri"), std::string::npos);
        EXPECT_NE(fabric.parts().provenance.find("2026-01-02"), std::string::npos);
    }
}

TEST(ToFabric, SuspectPairsAreCounted) {
    LinkFits fits = fit_links(triangle(true), {});
    EXPECT_EQ(made(fits, {}).parts().suspect, 0);
    fits.pairs[0].verdict = fits.pairs[3].verdict = Verdict::kSuspect;
    const fabric::Fabric fabric = made(fits, {});
    EXPECT_EQ(fabric.parts().suspect, 2);
    EXPECT_EQ(facts_of(fabric).suspects, 2U);
}

// Either direction knows the least round trip of both.
TEST(ToFabric, BothDirectionsHaveOneStartUp) {
    LinkFits fits = fit_links(triangle(true), {});
    for (LinkFit& fit : fits.pairs) {
        fit.rtt_ms -= fit.from < fit.to ? 0.5 : 0;
    }
    const fabric::Fabric fabric = made(fits, {});
    EXPECT_NEAR(fabric.parts().alpha_ms(0, 2), (true_rtt(0, 2) - 0.5) / 2, 1e-6);
    EXPECT_EQ(fabric.parts().alpha_ms(0, 2), fabric.parts().alpha_ms(2, 0));
    const PairFacts facts = facts_of(fits, {});
    EXPECT_EQ(facts.alpha_ms(0, 2), facts.alpha_ms(2, 0));
}

TEST(ToFabric, RoundTripThroughTheFile) {
    const fabric::Fabric fabric = made(fit_links(triangle(true), {}), {});
    const std::string text = core::write_json(fabric::to_value(fabric));
    const core::Result<fabric::Fabric> read = fabric::read_fabric(text, "fabric.json");
    ASSERT_TRUE(read);
    EXPECT_EQ(core::write_json(fabric::to_value(*read)), text);
}

TEST(ToFabric, DevicesOfAHostShareItsLinks) {
    LinkFits fits = fit_links(triangle(true), {});
    fits.hosts[1].facts.set("devices", 1);
    FabricOptions options;
    options.devices_per_host = 2;
    options.inside_beta_gbps = 400;
    const fabric::Fabric fabric = made(fits, options);
    ASSERT_EQ(fabric.size(), 5U);  // two, one, two
    EXPECT_EQ(fabric.parts().devices[1].host, "a");
    EXPECT_EQ(fabric.parts().devices[1].local_rank, 1);
    EXPECT_EQ(fabric.parts().beta_gbps(0, 1), 400);
    EXPECT_EQ(fabric.parts().estimated(0, 1), 1);
    EXPECT_NEAR(fabric.parts().beta_gbps(1, 4), true_beta(0, 2), 1e-9);
    EXPECT_EQ(fabric.parts().estimated(1, 4), 0);
}

// Processes of a torchrun campaign: two on machine m, one on n.
TEST(ToFabric, ProcessesOfAMachineAreItsDevices) {
    LinkFits fits = fit_links(triangle(true), {});
    for (std::size_t i = 0; i < 3; ++i) {
        fits.hosts[i].site.clear();
        fits.hosts[i].facts.set("host", i < 2 ? "m" : "n").set("local_rank", i == 1 ? 1.0 : 0.0);
    }
    const fabric::Fabric fabric = made(fits, {});
    EXPECT_EQ(fabric.labels(), (std::vector<std::string>{"m", "m", "n"}));
    EXPECT_EQ(fabric.host_of_device(), (std::vector<int>{0, 0, 1}));
    EXPECT_EQ(fabric.parts().devices[0].local_rank, 0);
    EXPECT_EQ(fabric.parts().devices[1].local_rank, 1);
    EXPECT_EQ(fabric.parts().devices[2].local_rank, 0);
    EXPECT_EQ(fabric.parts().estimated(0, 1), 0);  // measured, although inside a host
    EXPECT_NEAR(fabric.parts().beta_gbps(0, 1), true_beta(0, 1), 1e-9);
    fits.hosts[0].facts.set("host", 5).set("local_rank", -1);  // of no use
    EXPECT_EQ(made(fits, {}).parts().devices[0].host, "a");
    EXPECT_EQ(made(fits, {}).parts().devices[0].local_rank, 0);
}

TEST(ToFabric, CapacitiesAreOfMachines) {
    LinkFits fits = fit_links(triangle(true), {});
    fits.hosts[0].facts.set("host", "m");
    fits.hosts[1].facts.set("host", "m");
    const auto named = places_in_fabric(
        fits, {{"both", 1, {}, {"a", "b"}}, {"one", 1, {}, {"a"}}, {"c", 2, {}, {"c"}}});
    ASSERT_EQ(named.size(), 2U);  // "one" is a part of a machine
    EXPECT_EQ(named[0].of, std::vector<std::string>{"m"});
    EXPECT_EQ(named[1].of, std::vector<std::string>{"c"});
    const auto links = places_in_fabric(fits, {{"link", 1, {"x", "y"}, {}}});
    ASSERT_EQ(links.size(), 1U);  // between sites, which devices have as labels
    EXPECT_EQ(links[0].between, (std::vector<std::string>{"x", "y"}));
}

TEST(ToFabric, MissingPairsAreAllNamed) {
    Raw raw = triangle(true);
    std::erase_if(raw.samples, [](const Sample& sample) {
        return sample.pattern == Pattern::kPeer && sample.to == "c";
    });
    const LinkFits fits = fit_links(raw, {});
    const auto parts = to_fabric(fits, {});
    ASSERT_FALSE(parts);
    ASSERT_EQ(parts.error().size(), 2U);
    EXPECT_EQ(parts.error()[0].where, "a>c");
    EXPECT_EQ(parts.error()[1].where, "b>c");
}

TEST(ToFabric, CompletedPairsAreMarked) {
    Raw raw = triangle(true);
    std::erase_if(raw.samples, [](const Sample& sample) { return sample.to == "c"; });
    const core::Grid<double> low(3, 3, 4);
    const core::Grid<double> value(3, 3, 5);
    const core::Grid<double> high(3, 3, 6);
    FabricOptions options;
    options.completed = CompletedPairs{value, value, low, high, low, high};
    const fabric::Fabric fabric = made(fit_links(raw, {}), options);
    EXPECT_EQ(fabric.parts().estimated(0, 2), 1);
    EXPECT_EQ(fabric.parts().alpha_ms(0, 2), 5);
    EXPECT_EQ(fabric.parts().beta_interval->upper(0, 2), 6);
    EXPECT_EQ(fabric.parts().estimated(2, 0), 0);
    EXPECT_NEAR(fabric.parts().beta_gbps(2, 0), true_beta(2, 0), 1e-9);
}

TEST(ToFabric, SeveralTransportsMustBeChosenFrom) {
    Raw raw = triangle(true);
    Raw more = raw;
    for (Sample& sample : more.samples) {
        sample.transport = "gloo";
    }
    append(raw, more);
    const LinkFits fits = fit_links(raw, {});
    const auto parts = to_fabric(fits, {});
    ASSERT_FALSE(parts);
    EXPECT_NE(parts.error()[0].fix.find("gloo, tcp"), std::string::npos);
    FabricOptions options;
    options.transport = "gloo";
    // A one-way time has no way back: all of the start-up counts.
    EXPECT_NEAR(made(fits, options).parts().alpha_ms(0, 1), true_rtt(0, 1), 1e-6);
    options.transport = "nccl";
    EXPECT_FALSE(to_fabric(fits, options));
    EXPECT_FALSE(to_fabric(LinkFits(), {}));
}

/// Two lines: 1 ms and 10 Gbit/s up to 2 MiB, then a rate of 0.1 Gbit/s behind a burst.
LinkFit two_segments() {
    LinkFit fit;
    fit.rtt_ms = 1;
    fit.segments = {{1, 2 * kMiB, 1, 10, {0.9, 1.1}, {9, 11}},
                    {4 * kMiB, 16 * kMiB, -300, 0.1, {-310, -290}, {0.09, 0.11}}};
    return fit;
}

TEST(PairCost, TheSegmentOfTheMessageCounts) {
    const LinkFit fit = two_segments();
    const PairCost small = pair_cost(fit, 1, kMiB);
    EXPECT_NEAR(small.alpha_ms, 0.5, 1e-12);
    EXPECT_EQ(small.beta_gbps, 10);
    EXPECT_NEAR(small.alpha_interval.lower, 0.5, 1e-12);  // half of the round trip is the floor
    EXPECT_NEAR(small.alpha_interval.upper, 0.6, 1e-12);
}

// No message is there before half of the round trip of 1 ms. The rate is then the one that makes a
// message of this size cost what it does, here -300.5 ms + 8 x 8 MiB / 0.1 Gbit/s = 370.589 ms one
// way, of which 0.5 ms are start-up.
TEST(PairCost, InterceptsBelowTheRoundTripBecomeRate) {
    const double bytes = 8 * kMiB;
    const PairCost large = pair_cost(two_segments(), 1, bytes);
    EXPECT_EQ(large.alpha_ms, 0.5);
    EXPECT_NEAR(8 * bytes / (large.beta_gbps * 1e6), 370.08864, 1e-4);
    EXPECT_NEAR(large.beta_interval.lower / large.beta_gbps, 0.9, 1e-12);
    EXPECT_EQ(large.alpha_interval.lower, 0.5);
    EXPECT_EQ(large.alpha_interval.upper, 0.5);
    EXPECT_EQ(pair_cost(two_segments(), 1, 0).alpha_ms, 0.5);  // 0: the largest measured
}

// A symmetric path of 260 ms. There one line fits, back two do; 2 MiB take 1640 ms both ways.
TEST(PairCost, EqualPathsStartEqually) {
    const double bytes = 2 * kMiB;
    const double gbps = 8 * bytes / 1480e6;
    LinkFit there;
    there.segments = {{1, bytes, 160, gbps, {150, 170}, {0.9 * gbps, 1.1 * gbps}}};
    LinkFit back;
    back.segments = {{1, kMiB / 2, 100, 0.009, {90, 110}, {0.008, 0.01}},
                     {kMiB, bytes, 160, gbps, {150, 170}, {0.9 * gbps, 1.1 * gbps}}};
    there.rtt_ms = 261;
    back.rtt_ms = 260;
    const double rtt = least_round_trip(there, &back);
    EXPECT_EQ(rtt, 260);
    EXPECT_EQ(least_round_trip(back, &there), 260);
    EXPECT_EQ(least_round_trip(back, nullptr), 260);
    EXPECT_EQ(least_round_trip(LinkFit(), &back), 260);
    for (const LinkFit& fit : {there, back}) {
        const PairCost cost = pair_cost(fit, rtt, 0);
        EXPECT_EQ(cost.alpha_ms, 130);
        EXPECT_NEAR(130 + 8 * bytes / (cost.beta_gbps * 1e6), 1640 - 130, 1e-9);
        EXPECT_LE(cost.beta_interval.lower, cost.beta_gbps);
        EXPECT_GE(cost.beta_interval.upper, cost.beta_gbps);
    }
}

// A later segment that meets zero bytes above the round trip: its intercept is no start-up either.
TEST(PairCost, LaterSegmentsOfWarmConnectionsStartAtHalfTheRoundTrip) {
    LinkFit fit;
    fit.segments = {{1, 1000, 150, 0.05, {149, 151}, {0.04, 0.06}},
                    {2000, 2 * kMiB, 213, 0.044, {190, 230}, {0.04, 0.05}}};
    const double bytes = 2 * kMiB;
    const PairCost cost = pair_cost(fit, 150, 0);
    EXPECT_EQ(cost.alpha_ms, 75);
    EXPECT_EQ(cost.alpha_interval.lower, 75);
    EXPECT_NEAR(75 + 8 * bytes / (cost.beta_gbps * 1e6), 138 + 8 * bytes / 44e3, 1e-6);
}

// A message that takes no longer than the round trip tells no rate.
TEST(PairCost, TheRateOfShortMessagesIsBounded) {
    LinkFit fit;
    fit.segments = {{1, 1000, 0.5, 1, {0.4, 0.6}, {0.9, 1.1}}};
    EXPECT_EQ(pair_cost(fit, 1, 1000).beta_gbps, 1);  // 0.508 ms
    // 0.9999 + 0.008 ms: 0.0079 beyond the round trip. 0.9925 + 0.008: 0.0005, 16 times the rate.
    fit.segments[0].alpha_ms = 0.9999;
    EXPECT_NEAR(pair_cost(fit, 1, 1000).beta_gbps, 8.0 / 7.9, 1e-9);
    fit.segments[0].alpha_ms = 0.9925;
    EXPECT_EQ(pair_cost(fit, 1, 1000).beta_gbps, 10);
}

// On an idle connection a message waits for slow start: 240 ms until the echo at a round trip of 80
// are 200 ms one way.
TEST(PairCost, IdleStartUpCountsBeyondTheWayBack) {
    LinkFit fit;
    fit.state = State::kIdle;
    fit.segments = {{1, 100, 240, 0.2, {230, 250}, {0.19, 0.21}}};
    const PairCost cost = pair_cost(fit, 80, 50);
    EXPECT_NEAR(cost.alpha_ms, 200, 1e-12);
    EXPECT_NEAR(cost.alpha_interval.upper, 210, 1e-12);
    EXPECT_NEAR(cost.alpha_interval.lower, 190, 1e-12);
    fit.segments[0].alpha_ms = 60;  // below the round trip
    EXPECT_NEAR(pair_cost(fit, 80, 50).alpha_ms, 40, 1e-12);
    fit.segments[0].alpha_ms = 240;
    fit.state = State::kWarm;
    EXPECT_NEAR(pair_cost(fit, 80, 50).alpha_ms, 40, 1e-12);
    EXPECT_NEAR(pair_cost(fit, 0, 50).alpha_ms, 120, 1e-12);
}

}  // namespace
}  // namespace longhaul::measure
