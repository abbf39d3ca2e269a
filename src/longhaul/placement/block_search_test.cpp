#include "longhaul/placement/block_search.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "longhaul/placement/block_walk.hpp"
#include "longhaul/placement/detail/ten_regions.hpp"
#include "longhaul/placement/detail/test_support.hpp"

namespace longhaul::placement {
namespace {

std::vector<int> class_sizes_of(const Classes& classes) {
    std::vector<int> sizes;
    for (const std::vector<int>& members : classes.members) {
        sizes.push_back(static_cast<int>(members.size()));
    }
    return sizes;
}

std::vector<int> devices_of_classes(const Counts& rows, const std::vector<int>& lengths) {
    std::vector<int> devices(rows.columns(), 0);
    for (std::size_t i = 0; i < rows.rows(); ++i) {
        for (std::size_t k = 0; k < rows.columns(); ++k) {
            devices[k] += lengths[i] * rows(i, k);
        }
    }
    return devices;
}

TEST(BlockLengths, CutThePathInEveryWayWhereThatIsFew) {
    // Partitions of 4 and 8 into 2 to 5 parts: OEIS A008284, 2 + 1 + 1 and 4 + 5 + 5 + 3.
    EXPECT_EQ(block_lengths(4).size(), 4U);
    EXPECT_EQ(block_lengths(8).size(), 17U);
    for (const int stages : {2, 5, 17, 18, 40, 100, 1'000}) {
        std::set<std::vector<int>> different;
        for (const std::vector<int>& lengths : block_lengths(stages)) {
            EXPECT_EQ(std::accumulate(lengths.begin(), lengths.end(), 0), stages);
            EXPECT_GE(lengths.size(), 2U);
            EXPECT_TRUE(std::ranges::is_sorted(lengths, std::greater<>()));
            EXPECT_TRUE(different.insert(lengths).second) << stages;
        }
        EXPECT_FALSE(different.empty());
    }
}

TEST(BlockStarts, FillEveryStageAndUseEveryDevice) {
    int even_found = 0;
    int compact_found = 0;
    for (int i = 0; i < 200; ++i) {
        testing::Instance instance(93, i);
        const Shape shape{2 + static_cast<int>(instance.random.below(6)),
                          1 + static_cast<int>(instance.random.below(6))};
        const std::size_t k = 1 + instance.random.index(5);
        std::vector<int> sizes(k, 0);
        for (std::size_t d = 0; d < shape.cells(); ++d) {
            ++sizes[instance.random.index(k)];
        }
        const core::Grid<double> distance = random_costs(k, 5, false, instance.random);
        for (const std::vector<int>& lengths : block_lengths(shape.pp)) {
            const Counts even = even_blocks(lengths, shape.dp, sizes, instance.random);
            const Counts compact =
                compact_blocks(lengths, shape.dp, sizes, distance, instance.random);
            for (const Counts* rows : {&even, &compact}) {
                if (rows->empty()) {
                    continue;
                }
                ASSERT_EQ(devices_of_classes(*rows, lengths), sizes) << i;
                for (std::size_t b = 0; b < rows->rows(); ++b) {
                    const std::span<const int> row = rows->row(b);
                    ASSERT_EQ(std::accumulate(row.begin(), row.end(), 0), shape.dp) << i;
                }
            }
            even_found += even.empty() ? 0 : 1;
            compact_found += compact.empty() ? 0 : 1;
        }
    }
    EXPECT_GT(even_found, 500);
    EXPECT_GT(compact_found, 500);
}

TEST(BlockWalk, KeepsItsScoreSumsAndBlocks) {
    for (int i = 0; i < 200; ++i) {
        testing::Instance instance(94, i);
        const Problem problem = random_problem({2 + static_cast<int>(instance.random.below(5)),
                                                1 + static_cast<int>(instance.random.below(5))},
                                               instance.levels,
                                               true,
                                               instance.random);
        const Classes classes = exact_classes(problem.costs);
        const ClassCosts costs = class_costs(problem.costs, classes);
        const std::vector<int> sizes = class_sizes_of(classes);
        for (const std::vector<int>& lengths : block_lengths(problem.shape.pp)) {
            Counts rows = even_blocks(lengths, problem.shape.dp, sizes, instance.random);
            if (rows.empty()) {
                continue;
            }
            CountModel model(costs);
            BlockWalk walk(model, lengths, std::move(rows));
            for (int step = 0; step < 60; ++step) {
                const double limit = walk.total() * (step % 3 == 0 ? 1.2 : 1.0);
                walk.step(limit, instance.random);
                ASSERT_LE(walk.total(), limit * (1 + 1e-12));
                CountModel fresh(costs);
                const Counts counts = walk.counts();
                ASSERT_NEAR(walk.total(), score_in_order(fresh, counts).total(), 1e-9) << i;
                const std::vector<int> ones(counts.rows(), 1);
                ASSERT_EQ(devices_of_classes(counts, ones), sizes) << i;
                std::size_t joints = 0;
                for (std::size_t s = 0; s + 1 < counts.rows(); ++s) {
                    ASSERT_EQ(std::accumulate(counts.row(s).begin(), counts.row(s).end(), 0),
                              problem.shape.dp);
                    joints += std::ranges::equal(counts.row(s), counts.row(s + 1)) ? 0 : 1;
                }
                ASSERT_LT(joints, lengths.size());
            }
        }
    }
}

TEST(BlockSeeds, ReachTheOptimumOfAllPartitions) {
    // Up to five stages every placement is made of at most five blocks.
    for (int i = 0; i < 60; ++i) {
        testing::Instance instance(95, i);
        const Problem problem =
            random_problem(testing::small_shape(i), instance.levels, true, instance.random);
        const Classes classes = exact_classes(problem.costs);
        if (problem.shape.pp < 2 || problem.shape.pp > 5 || classes.size() < 2) {
            continue;
        }
        const double best = make_search(SearchKind::kExhaustive)->run(problem, {}).score;
        BlockOptions options;
        options.evaluations = 20'000;
        std::uint64_t evaluations = 0;
        const std::vector<Seed> seeds = block_seeds(class_costs(problem.costs, classes),
                                                    problem.shape,
                                                    class_sizes_of(classes),
                                                    4,
                                                    options,
                                                    evaluations);
        // Equal stages all along are no blocks, and left to the structural seeds.
        CountModel model(class_costs(problem.costs, classes));
        double found = std::numeric_limits<double>::infinity();
        if (std::ranges::all_of(class_sizes_of(classes),
                                [&](int size) { return size % problem.shape.pp == 0; })) {
            Counts even(static_cast<std::size_t>(problem.shape.pp), classes.size());
            for (std::size_t k = 0; k < classes.size(); ++k) {
                for (std::size_t s = 0; s < even.rows(); ++s) {
                    even(s, k) = static_cast<int>(classes.members[k].size()) / problem.shape.pp;
                }
            }
            found = score_in_order(model, even).total();
        }
        if (!seeds.empty()) {
            EXPECT_NEAR(
                score_in_order(model, seeds.front().counts).total(), seeds.front().score, 1e-9);
            found = std::min(found, seeds.front().score);
        }
        EXPECT_NEAR(found, best, 1e-9) << i;
        EXPECT_LE(evaluations, 20'000U);
    }
}

TEST(BlockSeeds, FindWhatLongSearchesFoundAndDoNotDependOnThreads) {
    // Twenty searches of ten million evaluations reached it once (bench/placement).
    const Problem problem = testing::ten_regions(0.512, 0.65);
    const Classes classes = exact_classes(problem.costs);
    const ClassCosts costs = class_costs(problem.costs, classes);
    BlockOptions options;
    options.evaluations = 1'200'000;
    std::uint64_t evaluations = 0;
    const std::vector<Seed> seeds =
        block_seeds(costs, problem.shape, class_sizes_of(classes), 4, options, evaluations);
    EXPECT_NEAR(seeds.front().score, 66.006843, 1e-6);
    options.evaluations = 50'000;
    const std::vector<Seed> one =
        block_seeds(costs, problem.shape, class_sizes_of(classes), 4, options, evaluations);
    options.threads = 3;
    const std::vector<Seed> three =
        block_seeds(costs, problem.shape, class_sizes_of(classes), 4, options, evaluations);
    ASSERT_EQ(one.size(), three.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
        EXPECT_EQ(one[i].counts, three[i].counts);
        EXPECT_EQ(one[i].score, three[i].score);
    }
}

}  // namespace
}  // namespace longhaul::placement
