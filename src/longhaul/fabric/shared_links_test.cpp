#include "longhaul/fabric/shared_links.hpp"

#include <gtest/gtest.h>

#include "longhaul/core/random.hpp"

namespace longhaul::fabric {
namespace {

const std::vector<std::string> kLabels{"a", "a", "b", "b", "c"};
const std::vector<std::string> kHosts{"h0", "h1", "h2", "h3", "h4"};

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

/// All pairs from one set of devices to another.
Pairs pairs(const std::vector<std::size_t>& from, const std::vector<std::size_t>& to) {
    Pairs all;
    for (const std::size_t i : from) {
        for (const std::size_t j : to) {
            all.emplace_back(i, j);
        }
    }
    return all;
}

TEST(SharedLinks, DirectionsOfOnePlaceAreJoined) {
    const SharedLinks found =
        shared_links_of({{"in", 2, pairs({0, 1, 2, 3}, {4})}, {"out", 3, pairs({4}, {0, 1, 2, 3})}},
                        kLabels,
                        kHosts);
    EXPECT_EQ(found.left_out, 0U);
    ASSERT_EQ(found.capacities.size(), 1U);
    const SharedCapacity& uplink = found.capacities[0];
    EXPECT_EQ(uplink.name, "in, out");
    EXPECT_EQ(uplink.of, std::vector<std::string>{"c"});
    EXPECT_EQ(uplink.there_gbps, 3);  // out of c
    EXPECT_EQ(uplink.back_gbps, 2);
    EXPECT_TRUE(uplink.duplex);
}

TEST(SharedLinks, BothDirectionsOverOneLinkAreHalfDuplex) {
    Pairs both = pairs({0, 1}, {2, 3});
    const Pairs back = pairs({2, 3}, {0, 1});
    both.insert(both.end(), back.begin(), back.end());
    const SharedLinks found = shared_links_of({{"radio", 2, both}}, kLabels, kHosts);
    ASSERT_EQ(found.capacities.size(), 1U);
    EXPECT_FALSE(found.capacities[0].duplex);
    EXPECT_EQ(found.capacities[0].between, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(found.capacities[0].back_gbps, 2);
}

TEST(SharedLinks, WhatNoPlacesSayIsCounted) {
    const SharedLinks found = shared_links_of(
        {{"one pair", 1, pairs({0}, {1})},            // nothing is shared
         {"a pair is missing", 1, {{0, 2}, {1, 3}}},  // not all pairs of two sets
         {"inside too", 1, {{0, 2}, {2, 3}, {0, 3}}},
         {"parts of places", 1, pairs({0, 2}, {1, 3})}},  // c stays outside, two places a side
        kLabels,
        kHosts);
    EXPECT_TRUE(found.capacities.empty());
    EXPECT_EQ(found.left_out, 3U);
}

TEST(SharedLinks, AHostThatIsALabelElsewhereIsNoPlace) {
    // "b" as a host would name the two devices of that label as well.
    const SharedLinks found = shared_links_of(
        {{"up", 1, pairs({0}, {1, 2, 3, 4})}}, kLabels, {"b", "h1", "h2", "h3", "h4"});
    EXPECT_TRUE(found.capacities.empty());
    EXPECT_EQ(found.left_out, 1U);
}

TEST(SharedLinks, TheLinksOfMostPairsAreKept) {
    std::vector<SharedLink> links;
    for (int i = 0; i < 70; ++i) {
        links.push_back({"small" + std::to_string(i), 1.0, pairs({4}, {0, 1})});
    }
    links.push_back({"large", 1.0, pairs({0, 1}, {2, 3})});
    const SharedLinks found = shared_links_of(links, kLabels, kHosts);
    EXPECT_EQ(found.capacities.size(), 64U);
    EXPECT_EQ(found.left_out, 7U);
    EXPECT_EQ(found.capacities[0].name, "large");
}

/// Any capacity of any places becomes links by its definition, and comes back with the same sides
/// and rates.
TEST(SharedLinks, CapacitiesComeBackFromTheirLinks) {
    core::Random random(7);
    for (int i = 0; i < 200; ++i) {
        SharedCapacity stated("x", 1 + random.uniform(), {}, {});
        if (random.below(2) == 0) {
            stated.of = {random.below(2) == 0 ? "a" : "h2"};
        } else {
            stated.between = {random.below(2) == 0 ? "a" : "h0", random.below(2) == 0 ? "b" : "c"};
        }
        stated.duplex = random.below(2) == 0;
        stated.back_gbps = stated.duplex ? 1 + random.uniform() : stated.there_gbps;
        const std::vector<int> sides = sides_of(stated, kLabels, kHosts);
        Pairs there;
        Pairs back;
        for (std::size_t from = 0; from < sides.size(); ++from) {
            for (std::size_t to = 0; to < sides.size(); ++to) {
                if (sides[from] == 1 && sides[to] == 2) {
                    there.emplace_back(from, to);
                    back.emplace_back(to, from);
                }
            }
        }
        std::vector<SharedLink> links{{"x", stated.there_gbps, there}};
        if (stated.duplex) {
            links.push_back({"x", stated.back_gbps, back});
        } else {
            links[0].pairs.insert(links[0].pairs.end(), back.begin(), back.end());
        }
        const SharedLinks found = shared_links_of(links, kLabels, kHosts);
        if (there.size() < 2) {
            EXPECT_TRUE(found.capacities.empty());
            continue;
        }
        ASSERT_EQ(found.capacities.size(), 1U) << i;
        const SharedCapacity& again = found.capacities[0];
        const bool turned = sides_of(again, kLabels, kHosts) != sides;
        EXPECT_EQ(again.duplex, stated.duplex);
        EXPECT_EQ(turned ? again.back_gbps : again.there_gbps, stated.there_gbps) << i;
        EXPECT_EQ(turned ? again.there_gbps : again.back_gbps, stated.back_gbps) << i;
    }
}

}  // namespace
}  // namespace longhaul::fabric
