// Fair rates, and the simulator, on random networks: against what defines max-min fairness, and
// against a plain simulation.
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "longhaul/core/random.hpp"
#include "longhaul/flowsim/detail/sharing.hpp"
#include "longhaul/flowsim/detail/test_reference.hpp"
#include "longhaul/flowsim/fair_rates.hpp"
#include "longhaul/flowsim/simulator.hpp"

namespace longhaul::flowsim {
namespace {

using core::GbitPerSecond;
using core::Gigabytes;
using core::Random;

/// Few distinct values give ties, which is where solvers differ.
double some_value(Random& random, std::uint32_t distinct) {
    return distinct == 0 ? 0.05 + 20 * random.uniform() : 1 + random.below(distinct);
}

std::vector<Link> some_links(Random& random, std::size_t count, std::uint32_t distinct) {
    std::vector<Link> links;
    for (std::size_t l = 0; l < count; ++l) {
        links.push_back({GbitPerSecond(some_value(random, distinct)), Time(random.below(1000))});
    }
    return links;
}

Demand some_demand(Random& random, std::size_t links, std::uint32_t distinct) {
    Demand demand;
    const std::size_t length = 1 + random.index(4);
    for (std::size_t h = 0; h < length; ++h) {
        const double load = random.below(4) == 0 ? some_value(random, distinct) / 2 : 1;
        demand.path.push_back({static_cast<LinkId>(random.index(links)), load});
    }
    demand.weight = random.below(3) == 0 ? some_value(random, distinct) : 1;
    if (random.below(4) == 0) {
        demand.cap_gbps = some_value(random, distinct) / 4;
    }
    return demand;
}

/// Capacity that the rates leave of each link.
std::vector<double> room_left(const std::vector<Link>& links,
                              const std::vector<Demand>& demands,
                              const std::vector<double>& rates) {
    std::vector<double> room;
    for (const Link& link : links) {
        room.push_back(link.capacity.value());
    }
    for (std::size_t f = 0; f < demands.size(); ++f) {
        for (const Hop& hop : demands[f].path) {
            room[hop.link] -= hop.load * rates[f];
        }
    }
    return room;
}

/// The condition that only max-min fair rates fulfil: no link is overfull, and each flow is at its
/// cap or crosses a full link on which no level is higher than its own.
void expect_max_min(const std::vector<Link>& links,
                    const std::vector<Demand>& demands,
                    const std::vector<double>& rates) {
    const std::vector<double> room = room_left(links, demands, rates);
    std::vector<double> top(links.size());
    for (std::size_t f = 0; f < demands.size(); ++f) {
        for (const Hop& hop : demands[f].path) {
            top[hop.link] = std::max(top[hop.link], rates[f] / demands[f].weight);
        }
    }
    for (std::size_t l = 0; l < links.size(); ++l) {
        RC_ASSERT(room[l] >= -1e-9 * links[l].capacity.value());
    }
    for (std::size_t f = 0; f < demands.size(); ++f) {
        bool limited = rates[f] >= demands[f].cap_gbps * (1 - 1e-12);
        RC_ASSERT(rates[f] <= demands[f].cap_gbps * (1 + 1e-12));
        for (const Hop& hop : demands[f].path) {
            const bool full = room[hop.link] <= 1e-9 * links[hop.link].capacity.value();
            limited |= full && rates[f] / demands[f].weight >= top[hop.link] * (1 - 1e-9);
        }
        RC_ASSERT(limited);
    }
}

RC_GTEST_PROP(FairRates, AreMaxMinFair, (std::uint64_t seed)) {
    Random random(seed);
    const std::uint32_t distinct = random.below(4);
    const std::vector<Link> links = some_links(random, 1 + random.index(12), distinct);
    std::vector<Demand> demands;
    for (std::size_t f = 0, count = random.index(30); f < count; ++f) {
        demands.push_back(some_demand(random, links.size(), distinct));
    }
    expect_max_min(links, demands, fair_rates(links, demands));
}

// Bundles come, grow, shrink and go, links change; after each change the incremental rates are
// those computed plainly.
RC_GTEST_PROP(Sharing, FollowsChanges, (std::uint64_t seed)) {
    Random random(seed);
    const std::uint32_t distinct = random.below(4);
    std::vector<Link> links = some_links(random, 2 + random.index(30), distinct);
    Sharing sharing(links);
    std::vector<Demand> all(60);
    std::vector<BundleId> ids(all.size());
    std::vector<std::uint32_t> flows(all.size());
    for (int step = 0; step < 60; ++step) {
        const std::size_t one = random.index(all.size());
        if (random.below(12) == 0) {
            const auto link = static_cast<LinkId>(random.index(links.size()));
            links[link].capacity = GbitPerSecond(some_value(random, distinct));
            sharing.set_capacity(link, links[link].capacity);
        } else if (flows[one] == 0) {
            all[one] = some_demand(random, links.size(), distinct);
            ids[one] = sharing.add(all[one].path, all[one].weight, all[one].cap_gbps, Time(step));
            flows[one] = 1;
        } else {
            flows[one] = random.below(3);
            sharing.resize(ids[one], flows[one], Time(step));
        }
        if (random.below(4) == 0) {
            continue;  // several changes at once
        }
        static_cast<void>(sharing.solve(Time(step)));
        std::vector<Demand> demands;
        std::vector<double> rates;
        for (std::size_t i = 0; i < all.size(); ++i) {
            for (std::uint32_t k = 0; k < flows[i]; ++k) {
                demands.push_back(all[i]);
                rates.push_back(sharing.rate(ids[i]));
            }
        }
        expect_max_min(links, demands, rates);
        const std::vector<double> plain = fair_rates(links, demands);
        for (std::size_t f = 0; f < demands.size(); ++f) {
            RC_ASSERT(std::abs(rates[f] - plain[f]) <= 1e-8 * plain[f]);
        }
    }
}

// A chain of links, each with one flow of its own and one long flow: a change at one end runs
// through to the other, longer than the rounds after which a solve takes the whole component.
TEST(Sharing, FollowsLongCascades) {
    constexpr std::size_t kLinks = 200;
    std::vector<Link> links;
    std::vector<Demand> demands;
    for (LinkId l = 0; l < kLinks; ++l) {
        links.push_back({GbitPerSecond(1 + 1e-3 * l), Time(0)});
        demands.push_back({{{l}, {l + 1 < kLinks ? l + 1 : 0}}});
    }
    Sharing sharing(links);
    std::vector<BundleId> ids;
    for (const Demand& demand : demands) {
        ids.push_back(sharing.add(demand.path, 1, demand.cap_gbps, Time(0)));
    }
    for (std::size_t gone = 0; gone < 4; ++gone) {
        static_cast<void>(sharing.solve(Time(0)));
        const std::vector<double> plain = fair_rates(links, demands);
        for (std::size_t f = 0; f < demands.size(); ++f) {
            EXPECT_NEAR(sharing.rate(ids[f]), plain[f], 1e-9);
        }
        sharing.resize(ids.front(), 0, Time(0));
        ids.erase(ids.begin());
        demands.erase(demands.begin());
    }
}

RC_GTEST_PROP(Simulator, EqualsThePlainSimulation, (std::uint64_t seed)) {
    Random random(seed);
    const std::uint32_t distinct = random.below(4);
    const std::vector<Link> links = some_links(random, 1 + random.index(10), distinct);
    Simulator simulator(links);
    std::vector<PlainFlow> plain;
    for (std::size_t f = 0, count = 1 + random.index(40); f < count; ++f) {
        const Demand demand = some_demand(random, links.size(), distinct);
        const double gigabytes = std::round(some_value(random, distinct) * 1e6) / 1e9;
        const std::uint32_t start_us = random.below(3) * random.below(5000);
        plain.push_back(
            {demand.path, start_us / 1e6, 8 * gigabytes, demand.weight, demand.cap_gbps});
        simulator.start({.path = simulator.path(demand.path),
                         .payload = Gigabytes(gigabytes),
                         .weight = demand.weight,
                         .cap = GbitPerSecond(demand.cap_gbps)},
                        Time(start_us * std::int64_t{1'000'000}));
    }
    std::vector<double> sent(plain.size());
    std::vector<double> carried(links.size());
    while (const auto event = simulator.next()) {
        if (event->kind == EventKind::kSent) {
            sent[event->flow] = to_seconds(event->time).value();
        }
    }
    const std::vector<double> expected = plain_simulation(links, plain);
    for (std::size_t f = 0; f < plain.size(); ++f) {
        // One picosecond of rounding an event, and there are at most 80 before a flow ends.
        RC_ASSERT(std::abs(sent[f] - expected[f]) <= 1e-9 * expected[f] + 1e-10);
        for (const Hop& hop : plain[f].path) {
            carried[hop.link] += hop.load * plain[f].gigabits / 8;
        }
    }
    for (LinkId l = 0; l < links.size(); ++l) {
        RC_ASSERT(std::abs(simulator.carried(l).value() - carried[l]) <= 1e-12 * carried[l]);
        RC_ASSERT(simulator.limiting(l) <= simulator.used(l));
    }
}

}  // namespace
}  // namespace longhaul::flowsim
