#include "longhaul/fabric/names.hpp"

#include <gtest/gtest.h>

namespace longhaul::fabric {
namespace {

Fabric fabric_of(const std::vector<std::string>& labels, std::vector<Device> devices = {}) {
    FabricParts parts;
    parts.labels = labels;
    parts.alpha_ms = core::Grid<double>(labels.size(), labels.size(), 1);
    parts.beta_gbps = core::Grid<double>(labels.size(), labels.size(), 1);
    parts.devices = std::move(devices);
    return Fabric::make(std::move(parts), "f").value();
}

using Names = std::vector<std::string>;

/// The names, asked for one by one.
Names one_by_one(const Fabric& fabric) {
    Names names;
    for (std::size_t i = 0; i < fabric.size(); ++i) {
        names.push_back(device_name_of(fabric, i));
    }
    return names;
}

TEST(DeviceNames, CountWithinALabel) {
    EXPECT_EQ(device_names(fabric_of({"b", "a", "b", "a"})), (Names{"b#0", "a#0", "b#1", "a#1"}));
}

TEST(DeviceNames, PreferHostAndLocalRank) {
    Device one;
    one.host = "h";
    one.local_rank = 3;
    Device two = one;
    two.local_rank = 0;
    Device three;
    three.host = "h";
    EXPECT_EQ(device_names(fabric_of({"x", "x", "x", "x"}, {one, two, three, {}})),
              (Names{"h/3", "h/0", "h#2", "x#0"}));
}

TEST(DeviceNames, AllDiffer) {
    Device same;
    same.host = "h";
    same.local_rank = 1;
    EXPECT_EQ(device_names(fabric_of({"x", "x", "x"}, {same, same, same})),
              (Names{"h/1", "h/1+1", "h/1+2"}));
}

TEST(DeviceNames, AreTheSameOneByOne) {
    Device one;
    one.host = "h";
    one.local_rank = 1;
    Device other;
    other.host = "g";
    for (const Fabric& fabric : {fabric_of({"b", "a", "b", "a"}),
                                 fabric_of({"x", "g", "x", "x", "x"}, {one, {}, other, one, other}),
                                 fabric_of({"x", "x", "x"}, {one, one, one})}) {
        EXPECT_EQ(one_by_one(fabric), device_names(fabric));
    }
}

}  // namespace
}  // namespace longhaul::fabric
