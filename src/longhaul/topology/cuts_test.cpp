#include "longhaul/topology/cuts.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "longhaul/topology/detail/test_networks.hpp"

namespace longhaul::topology {
namespace {

const Cut* find(const Cuts& cuts, const std::string& name) {
    const auto found = std::ranges::find(cuts.list, name, &Cut::name);
    return found == cuts.list.end() ? nullptr : &*found;
}

TEST(Cuts, LinksOfAWanAreStatedWhereTheirPairsAreACut) {
    // us, eu and asia in a triangle, lab behind eu. Shortest paths are direct, from lab over eu:
    // asia - us carries asia and us alone; lab - eu all pairs of lab; eu - us those of eu and of
    // lab with us, but not with asia, which is no cut; and eu - asia likewise.
    const Cuts cuts = shared_cuts(detail::compiled(detail::regions_text()));
    ASSERT_EQ(cuts.list.size(), 2U);
    const Cut* pacific = find(cuts, "asia - us");
    ASSERT_NE(pacific, nullptr);
    EXPECT_EQ(pacific->between, (std::vector<std::string>{"asia", "us"}));
    EXPECT_EQ(pacific->there_gbps, 50);
    const Cut* lab = find(cuts, "lab - eu");
    ASSERT_NE(lab, nullptr);
    EXPECT_EQ(lab->of, std::vector<std::string>{"lab"});
    EXPECT_EQ(cuts.unstated, (std::vector<std::string>{"us - eu", "eu - asia"}));
}

TEST(Cuts, NarrowWaysOutOfAGroupAreStated) {
    // Racks of 8 hosts at 10 Gbit/s with two ways up at 20: 40 of 80 Gbit/s.
    const auto racks = [](int switches) {
        return detail::compiled(
            "[[group]]\nname = \"rack\"\nendpoints = \"host\"\ncount = 8\npattern = \"tree\"\n"
            "switches = 1\ngbps = 10\n[[group]]\nname = \"net\"\nmembers = \"rack\"\ncount = 3\n"
            "pattern = \"tree\"\ngbps = 20\nswitches = " +
            std::to_string(switches) + "\n");
    };
    const Cuts narrow = shared_cuts(racks(2));
    ASSERT_EQ(narrow.list.size(), 3U);
    EXPECT_EQ(narrow.list[1].name, "out of rack1");
    EXPECT_EQ(narrow.list[1].of, std::vector<std::string>{"rack1"});
    EXPECT_EQ(narrow.list[1].there_gbps, 40);
    EXPECT_TRUE(shared_cuts(racks(4)).list.empty());
}

}  // namespace
}  // namespace longhaul::topology
