#include "longhaul/placement/classes.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "longhaul/placement/detail/test_support.hpp"

namespace longhaul::placement {
namespace {

/// Whether swapping devices i and j changes no cost at all.
bool interchangeable(const core::Grid<double>& costs, std::size_t i, std::size_t j) {
    const auto other = [&](std::size_t k) { return k == i ? j : k == j ? i : k; };
    for (std::size_t a = 0; a < costs.rows(); ++a) {
        for (std::size_t b = 0; b < costs.rows(); ++b) {
            if (costs(a, b) != costs(other(a), other(b))) {
                return false;
            }
        }
    }
    return true;
}

TEST(ExactClasses, AreTheInterchangeableDevices) {
    for (int i = 0; i < 300; ++i) {
        testing::Instance instance(10, i);
        const Problem problem = random_problem({1, 1 + static_cast<int>(instance.random.below(9))},
                                               instance.levels,
                                               instance.equal_rows,
                                               instance.random);
        const Classes classes = exact_classes(problem.costs);
        EXPECT_TRUE(classes.exact);
        const std::size_t n = problem.shape.devices();
        for (std::size_t a = 0; a < n; ++a) {
            for (std::size_t b = a + 1; b < n; ++b) {
                const bool same = interchangeable(problem.costs.pipeline.table(), a, b) &&
                                  interchangeable(problem.costs.exchange.table(), a, b);
                ASSERT_EQ(classes.of_device[a] == classes.of_device[b], same) << i;
            }
        }
    }
}

TEST(ExactClasses, MembersAndOfDeviceAgree) {
    testing::Instance instance(11, 1);
    const Problem problem = random_problem({4, 8}, 2, true, instance.random);
    const Classes classes = exact_classes(problem.costs);
    std::size_t members = 0;
    for (std::size_t k = 0; k < classes.size(); ++k) {
        EXPECT_TRUE(std::ranges::is_sorted(classes.members[k]));
        for (const int device : classes.members[k]) {
            EXPECT_EQ(classes.of_device[static_cast<std::size_t>(device)], static_cast<int>(k));
            ++members;
        }
    }
    EXPECT_EQ(members, problem.shape.devices());
}

TEST(ExactClasses, OfTheShippedFabrics) {
    // By hand: one class a region or a host; in the spot case the 32 single GPUs are one class, the
    // 8 hosts of 4 GPUs one each.
    const auto count = [](const char* name) {
        return exact_classes(testing::shipped_problem(name, 0.512, 0.650).costs).size();
    };
    EXPECT_EQ(count("dtfm-spot.json"), 9U);
    EXPECT_EQ(count("dtfm-datacenter.json"), 8U);
    EXPECT_EQ(count("dtfm-campuses.json"), 2U);
    EXPECT_EQ(count("dtfm-regional.json"), 4U);
    EXPECT_EQ(count("dtfm-worldwide.json"), 8U);
    EXPECT_EQ(count("dtfm-table2-worldwide.json"), 8U);
    const fabric::Fabric two = testing::shipped("two-datacenters-synthetic.toml");
    EXPECT_EQ(
        exact_classes(make_costs(fabric::make_links(two), testing::payloads(0.256, 0.65), {4, 8}))
            .size(),
        4U);
}

/// Table 2 with every value off by up to `share`, each direction for itself.
fabric::Fabric noisy_table2(double share, std::uint64_t seed) {
    fabric::FabricParts parts = testing::shipped("dtfm-table2-worldwide.json").parts();
    core::Random random(seed);
    for (PairMatrix* matrix : {&parts.alpha_ms, &parts.beta_gbps}) {
        *matrix = matrix->full();
        for (double& value : matrix->table().cells()) {
            value *= 1 + share * (2 * random.uniform() - 1);
        }
    }
    return fabric::Fabric::make(std::move(parts), "noisy").value();
}

TEST(TolerantClasses, RecoverTheRegionsUnderNoise) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const fabric::Fabric fabric = noisy_table2(0.1, seed);
        const Costs costs =
            make_costs(fabric::make_links(fabric), testing::payloads(0.512, 0.65), {8, 8});
        EXPECT_EQ(exact_classes(costs).size(), 64U);
        const Classes classes = tolerant_classes(costs, 0.25);
        EXPECT_FALSE(classes.exact);
        EXPECT_EQ(classes.of_device, fabric::index_of_labels(fabric.labels())) << seed;
    }
}

TEST(ClassCosts, AreTheCommonValueOrTheMean) {
    // By hand: classes {0, 1} and {2}: inside 4, between (1 + 3) / 2; inside a class of one 0.
    core::Grid<double> grid(3, 3, 0.0);
    grid(0, 1) = grid(1, 0) = 4;
    grid(0, 2) = grid(2, 0) = 1;
    grid(1, 2) = grid(2, 1) = 3;
    const Classes classes{{0, 0, 1}, {{0, 1}, {2}}, false};
    const core::Grid<double> mean = class_costs({grid, grid}, classes).pipeline;
    EXPECT_EQ(mean(0, 0), 4);
    EXPECT_EQ(mean(0, 1), 2);
    EXPECT_EQ(mean(1, 0), 2);
    EXPECT_EQ(mean(1, 1), 0);
    grid(1, 2) = grid(2, 1) = 1;
    const Classes exact = exact_classes({grid, grid});
    EXPECT_EQ(exact.of_device, (std::vector<int>{0, 0, 1}));
    EXPECT_EQ(class_costs({grid, grid}, exact).exchange(1, 0), 1);
    EXPECT_EQ(class_costs({grid, grid}, exact).exchange(0, 0), 4);
    EXPECT_EQ(class_costs({grid, grid}, exact).exchange(1, 1), 0);
}

/// Classes of these sizes, devices numbered class by class.
Classes classes_of(const std::vector<std::size_t>& sizes) {
    Classes classes;
    for (const std::size_t size : sizes) {
        classes.members.emplace_back();
        for (std::size_t i = 0; i < size; ++i) {
            classes.members.back().push_back(static_cast<int>(classes.of_device.size()));
            classes.of_device.push_back(static_cast<int>(classes.members.size()) - 1);
        }
    }
    return classes;
}

TEST(LeftOutChoices, AreAllOfThemOnceOrNoneWhenThereAreMore) {
    // By counting in mixed radix: every number of devices of every class.
    core::Random random(86, 0);
    for (int i = 0; i < 50; ++i) {
        std::vector<std::size_t> sizes;
        std::size_t devices = 0;
        for (std::size_t k = 0; k < 1 + random.index(4); ++k) {
            sizes.push_back(1 + random.index(4));
            devices += sizes.back();
        }
        const auto spare = static_cast<int>(random.index(devices + 1));
        std::vector<std::vector<int>> all;
        std::vector<int> taken(sizes.size(), 0);
        for (bool more = true; more;) {
            if (std::accumulate(taken.begin(), taken.end(), 0) == spare) {
                all.push_back(taken);
            }
            std::size_t k = sizes.size();
            while (k > 0 && taken[k - 1] == static_cast<int>(sizes[k - 1])) {
                taken[--k] = 0;
            }
            more = k > 0;
            taken[k > 0 ? k - 1 : 0] += more ? 1 : 0;
        }
        const Classes classes = classes_of(sizes);
        ASSERT_EQ(left_out_choices(classes, spare, all.size()), all) << i;
        ASSERT_FALSE(left_out_choices(classes, spare, all.size() - 1).has_value()) << i;
    }
}

TEST(LeftOutChoices, OfManyDifferentDevicesAreCountedNotWalked) {
    // 40 over 8 is 76,904,685; 1024 over 64 is about 1e103. One device that must stay is 40 ways.
    const Classes forty = classes_of(std::vector<std::size_t>(40, 1));
    EXPECT_FALSE(left_out_choices(forty, 32, 20'000).has_value());
    EXPECT_EQ(left_out_choices(forty, 39, 20'000).value().size(), 40U);
    EXPECT_TRUE(left_out_choices(forty, 41, 20'000).value().empty());
    const Classes thousand = classes_of(std::vector<std::size_t>(1'024, 1));
    EXPECT_FALSE(left_out_choices(thousand, 960, 20'000).has_value());
}

}  // namespace
}  // namespace longhaul::placement
