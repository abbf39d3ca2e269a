#include "longhaul/topology/cuts.hpp"

#include <gtest/gtest.h>

#include "longhaul/topology/detail/test_networks.hpp"

namespace longhaul::topology {
namespace {

TEST(Cuts, NarrowWaysOutOfAGroupAreStated) {
    // Racks of 8 hosts at 10 Gbit/s with two ways up at 20: 40 of 80 Gbit/s.
    const auto racks = [](int switches) {
        return detail::compiled(
            "[[group]]\nname = \"rack\"\nendpoints = \"host\"\ncount = 8\npattern = \"tree\"\n"
            "switches = 1\ngbps = 10\n[[group]]\nname = \"net\"\nmembers = \"rack\"\ncount = 3\n"
            "pattern = \"tree\"\ngbps = 20\nswitches = " +
            std::to_string(switches) + "\n");
    };
    const std::vector<Cut> narrow = shared_cuts(racks(2));
    ASSERT_EQ(narrow.size(), 3U);
    EXPECT_EQ(narrow[1].name, "out of rack1");
    EXPECT_EQ(narrow[1].of, std::vector<std::string>{"rack1"});
    EXPECT_EQ(narrow[1].gbps, 40);
    EXPECT_TRUE(shared_cuts(racks(4)).empty());
}

}  // namespace
}  // namespace longhaul::topology
