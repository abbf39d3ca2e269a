#include "longhaul/study/island_network.hpp"

#include <gtest/gtest.h>

#include "longhaul/study/detail/test_support.hpp"

namespace longhaul::study {
namespace {

using fabric::SharedCapacity;

/// Two devices in a, two in b, one in c; alpha 10 i + j, beta 1 + i + 10 j.
fabric::Fabric five_devices(std::vector<SharedCapacity> shared = {}) {
    core::Grid<double> alpha(5, 5, 0);
    core::Grid<double> beta(5, 5, 0);
    for (std::size_t i = 0; i < 5; ++i) {
        for (std::size_t j = 0; j < 5; ++j) {
            alpha(i, j) = static_cast<double>(10 * i + j);
            beta(i, j) = static_cast<double>(1 + i + 10 * j);
        }
    }
    return testing::make_fabric({"a", "b", "a", "b", "c"}, alpha, beta, std::move(shared));
}

std::vector<IslandGroup> by_label(const fabric::Fabric& fabric) {
    auto groups = island_groups(fabric, IslandBy::kLabel, "f");
    EXPECT_TRUE(groups.has_value());
    return std::move(*groups);
}

const topology::Link& link_of(const schedule::Islands& islands, unsigned from, unsigned to) {
    for (const topology::Link& link : islands.network.links) {
        if (link.from == from && link.to == to) {
            return link;
        }
    }
    ADD_FAILURE() << "no link from " << from << " to " << to;
    return islands.network.links.front();
}

TEST(IslandGroups, AreLabelsInOrder) {
    const auto groups = by_label(five_devices());
    ASSERT_EQ(groups.size(), 3U);
    EXPECT_EQ(groups[0].devices, (std::vector<int>{0, 2}));
    EXPECT_EQ(groups[1].devices, (std::vector<int>{1, 3}));
    EXPECT_EQ(groups[2].name, "c");
}

TEST(IslandGroups, NeedAPlaceAndTwoOfThem) {
    const auto no_hosts = island_groups(five_devices(), IslandBy::kHost, "f.json");
    ASSERT_FALSE(no_hosts.has_value());
    EXPECT_EQ(no_hosts.error().front().where, "devices[0]");
    const core::Grid<double> ones(2, 2, 1);
    const auto one =
        island_groups(testing::make_fabric({"x", "x"}, ones, ones), IslandBy::kLabel, "f");
    ASSERT_FALSE(one.has_value());
    EXPECT_EQ(one.error().front().what, "1 island by label");
}

TEST(IslandNetwork, TakesMedianStartAndTheBestRateOfAPair) {
    const fabric::Fabric fabric = five_devices();
    const auto islands = islands_of_fabric(fabric, by_label(fabric), {2, 3, std::nullopt, 1}, "f");
    EXPECT_EQ(islands.network.links.size(), 6U);
    // a to b: starts 1, 3, 21, 23; the best rate is of device 2 to 3, 1 + 2 + 30.
    EXPECT_DOUBLE_EQ(link_of(islands, 0, 1).latency_ms, 12);
    EXPECT_DOUBLE_EQ(link_of(islands, 0, 1).gbps, 33);
    // b to a: starts 10, 12, 30, 32; device 3 to 2, 1 + 3 + 20.
    EXPECT_DOUBLE_EQ(link_of(islands, 1, 0).latency_ms, 21);
    EXPECT_DOUBLE_EQ(link_of(islands, 1, 0).gbps, 24);
    // c: one device; to a 1 + 4 + 20, to b 1 + 4 + 30; out of it both.
    EXPECT_DOUBLE_EQ(islands.islands[2].egress_gbps, 25 + 35);
    EXPECT_DOUBLE_EQ(islands.islands[2].ingress_gbps, (1 + 2 + 40) + (1 + 3 + 40));
    EXPECT_DOUBLE_EQ(islands.islands[0].memory_gb, 3);
    EXPECT_DOUBLE_EQ(islands.payload_gb, 2);
    // Two pairs between a and b, one to c, which has one device.
    const auto both = islands_of_fabric(fabric, by_label(fabric), {2, 3, std::nullopt, 8}, "f");
    EXPECT_DOUBLE_EQ(link_of(both, 0, 1).gbps, 66);
    EXPECT_DOUBLE_EQ(link_of(both, 0, 2).gbps, 43);
    const auto typed = islands_of_fabric(fabric, by_label(fabric), {2, 3, 7, 1}, "f");
    EXPECT_DOUBLE_EQ(typed.islands[1].egress_gbps, 7);
}

TEST(IslandNetwork, TakesWhatTheFabricStatesAsShared) {
    SharedCapacity cable("cable", 80, {"a", "b"}, {});
    cable.back_gbps = 60;
    const SharedCapacity uplink("uplink", 30, {}, {"c"});
    SharedCapacity half("half", 20, {"b", "c"}, {});
    half.duplex = false;
    const fabric::Fabric fabric = five_devices({cable, uplink, half});
    const auto islands = islands_of_fabric(fabric, by_label(fabric), {1, 0, std::nullopt, 1}, "f");
    EXPECT_DOUBLE_EQ(link_of(islands, 0, 1).gbps, 80);  // several pairs together: above one of them
    EXPECT_DOUBLE_EQ(link_of(islands, 1, 0).gbps, 60);
    EXPECT_DOUBLE_EQ(link_of(islands, 1, 2).gbps, 10);  // half of a half duplex cable
    EXPECT_DOUBLE_EQ(link_of(islands, 0, 2).gbps, 30);  // one pair has 43, the uplink of c less
    EXPECT_DOUBLE_EQ(islands.islands[2].ingress_gbps, 30);
    EXPECT_DOUBLE_EQ(islands.islands[0].egress_gbps, 110);
}

TEST(FasterLinks, LeaveTheInsideOfIslandsAlone) {
    const SharedCapacity cable("cable", 80, {"a", "b"}, {});
    const fabric::Fabric fabric = five_devices({cable});
    const auto groups = by_label(fabric);
    const fabric::Fabric fast = with_faster_links(fabric, groups, 3);
    const auto& before = fabric.parts().beta_gbps;
    const auto& after = fast.parts().beta_gbps;
    for (std::size_t i = 0; i < 5; ++i) {
        for (std::size_t j = 0; j < 5; ++j) {
            const bool inside = fabric.labels()[i] == fabric.labels()[j];
            EXPECT_DOUBLE_EQ(after(i, j), before(i, j) * (inside ? 1 : 3));
        }
    }
    EXPECT_DOUBLE_EQ(fast.parts().shared.front().there_gbps, 240);
    // The network of the faster fabric is the faster network.
    const auto one = islands_of_fabric(fast, groups, {1, 0, std::nullopt, 1}, "f");
    const auto two =
        with_faster_links(islands_of_fabric(fabric, groups, {1, 0, std::nullopt, 1}, "f"), 3);
    for (std::size_t i = 0; i < one.network.links.size(); ++i) {
        EXPECT_DOUBLE_EQ(one.network.links[i].gbps, two.network.links[i].gbps);
    }
    EXPECT_DOUBLE_EQ(one.islands[0].egress_gbps, two.islands[0].egress_gbps);
}

// One kind of device in two islands: pairs must be written out to tell inside from outside.
TEST(FasterLinks, TellDevicesOfOneKindApart) {
    fabric::FabricParts parts;
    parts.labels = {"x", "y", "x", "y"};
    parts.alpha_ms = fabric::PairMatrix({0, 0, 0, 0}, core::Grid<double>(1, 1, 1));
    parts.beta_gbps = fabric::PairMatrix({0, 0, 0, 0}, core::Grid<double>(1, 1, 5));
    const auto fabric = fabric::Fabric::make(std::move(parts), "kinds");
    ASSERT_TRUE(fabric.has_value());
    const fabric::Fabric fast = with_faster_links(*fabric, by_label(*fabric), 2);
    EXPECT_DOUBLE_EQ(fast.parts().beta_gbps(0, 1), 10);
    EXPECT_DOUBLE_EQ(fast.parts().beta_gbps(0, 2), 5);
    EXPECT_DOUBLE_EQ(fast.parts().beta_gbps(3, 1), 5);
}

}  // namespace
}  // namespace longhaul::study
