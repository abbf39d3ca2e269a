#include "longhaul/placement/crossover.hpp"

#include <gtest/gtest.h>

#include "longhaul/placement/detail/test_support.hpp"

namespace longhaul::placement {
namespace {

Stages drawn_stages(Shape shape, core::Random& random) {
    return Placement(shape, testing::shuffled(shape.devices(), random)).stages();
}

TEST(Crossover, ChildrenArePartitionsThatKeepWhatTheParentsShare) {
    for (int i = 0; i < 400; ++i) {
        testing::Instance instance(68, i);
        const Shape shape{1 + static_cast<int>(instance.random.below(8)),
                          1 + static_cast<int>(instance.random.below(8))};
        const Stages one = drawn_stages(shape, instance.random);
        const Stages two = drawn_stages(shape, instance.random);
        const std::vector<int> partner = aligned_stages(one, two);
        const Stages child = crossover(one, two, instance.random);
        std::vector<int> devices;
        for (std::size_t s = 0; s < child.size(); ++s) {
            ASSERT_EQ(child[s].size(), static_cast<std::size_t>(shape.dp));
            devices.insert(devices.end(), child[s].begin(), child[s].end());
            for (const int device : one[s]) {
                const bool shared = std::ranges::count(two[partner[s]], device) > 0;
                ASSERT_TRUE(!shared || std::ranges::count(child[s], device) > 0);
            }
        }
        std::ranges::sort(devices);
        ASSERT_EQ(devices, testing::counted(shape.devices()));
    }
}

TEST(Crossover, NumbersOfStagesMeanNothing) {
    // A parent crossed with itself under other numbers is itself.
    for (int i = 0; i < 100; ++i) {
        testing::Instance instance(69, i);
        const Stages one = drawn_stages({6, 4}, instance.random);
        const Stages same = in_order(one, testing::shuffled(6, instance.random));
        Stages child = crossover(one, same, instance.random);
        for (std::size_t s = 0; s < child.size(); ++s) {
            std::vector<int> group = one[s];
            std::ranges::sort(group);
            std::ranges::sort(child[s]);
            ASSERT_EQ(child[s], group);
        }
    }
}

TEST(AlignedStages, HaveTheMostDevicesInCommon) {
    // All 24 assignments of four stages.
    for (int i = 0; i < 100; ++i) {
        testing::Instance instance(70, i);
        const Stages one = drawn_stages({4, 5}, instance.random);
        const Stages two = drawn_stages({4, 5}, instance.random);
        const auto common = [&](const std::vector<int>& partner) {
            std::ptrdiff_t devices = 0;
            for (std::size_t s = 0; s < 4; ++s) {
                for (const int device : one[s]) {
                    devices += std::ranges::count(two[partner[s]], device);
                }
            }
            return devices;
        };
        std::vector<int> partner = testing::counted(4);
        std::ptrdiff_t most = 0;
        do {
            most = std::max(most, common(partner));
        } while (std::ranges::next_permutation(partner).found);
        ASSERT_EQ(common(aligned_stages(one, two)), most);
    }
}

}  // namespace
}  // namespace longhaul::placement
