#include "longhaul/placement/class_tree.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "longhaul/placement/detail/test_support.hpp"

namespace longhaul::placement {
namespace {

/// Costs of `groups` groups of `size` devices whose levels lie far apart, with noise of 1 %.
Costs grouped(std::size_t groups, std::size_t size, core::Random& random) {
    const std::size_t n = groups * size;
    core::Grid<double> base(groups, groups, 0.0);
    for (std::size_t a = 0; a < groups; ++a) {
        for (std::size_t b = 0; b <= a; ++b) {
            base(a, b) = base(b, a) = 1 + 9 * random.uniform();
        }
    }
    core::Grid<double> costs(n, n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            costs(i, j) = costs(j, i) =
                base(i % groups, j % groups) * (1 + 0.01 * random.uniform());
        }
    }
    return {costs, costs};
}

TEST(ClassTree, FindsGroupsThatNoiseHides) {
    for (int i = 0; i < 30; ++i) {
        core::Random random(72, i);
        const std::size_t groups = 2 + i % 7;
        const ClassTree tree(grouped(groups, 4, random));
        ASSERT_EQ(tree.natural(16), groups) << i;
        const Classes classes = tree.cut(groups);
        ASSERT_EQ(classes.size(), groups);
        for (std::size_t device = 0; device < classes.of_device.size(); ++device) {
            ASSERT_EQ(classes.of_device[device], static_cast<int>(device % groups));
        }
    }
}

TEST(ClassTree, EveryCutIsAPartition) {
    for (int i = 0; i < 60; ++i) {
        testing::Instance instance(73, i);
        const std::size_t n = 1 + i % 12;
        const core::Grid<double> costs =
            random_costs(n, instance.levels, instance.equal_rows, instance.random);
        const ClassTree tree({costs, costs});
        ASSERT_LE(tree.leaves(), n);
        for (std::size_t count = 1; count <= n; ++count) {
            const Classes classes = tree.cut(count);
            ASSERT_EQ(classes.size(), std::min(count, tree.leaves()));
            ASSERT_FALSE(classes.exact);
            std::vector<int> all;
            for (std::size_t a = 0; a < classes.size(); ++a) {
                for (const int device : classes.members[a]) {
                    ASSERT_EQ(classes.of_device[device], static_cast<int>(a));
                    all.push_back(device);
                }
            }
            std::ranges::sort(all);
            ASSERT_EQ(all, testing::counted(n));
        }
        const std::size_t natural = tree.natural(16);
        ASSERT_GE(natural, std::min<std::size_t>(tree.leaves(), 2));
        ASSERT_LE(natural, 16U);
    }
}

}  // namespace
}  // namespace longhaul::placement
