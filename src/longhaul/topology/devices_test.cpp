#include "longhaul/topology/devices.hpp"

#include <gtest/gtest.h>

#include "longhaul/topology/detail/test_networks.hpp"

namespace longhaul::topology {
namespace {

TEST(Devices, EndpointsWithPortsOfTheirOwnAreDevicesOfTheirGroup) {
    const auto rails = devices_of(detail::network(detail::rails_text()));
    ASSERT_EQ(rails.size(), 24U);
    EXPECT_EQ(rails[5].host, "pod0/node1");
    EXPECT_EQ(rails[5].local_rank, 1);
    const auto regions = devices_of(detail::network(detail::regions_text()));
    EXPECT_EQ(regions[1].host, "us/pod0/rack0/host1");
    EXPECT_EQ(regions[1].local_rank, 0);
    EXPECT_EQ(regions.back().host, "lab");
}

}  // namespace
}  // namespace longhaul::topology
