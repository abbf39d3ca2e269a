#include "longhaul/placement/member_model.hpp"

#include <gtest/gtest.h>

#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/search.hpp"
#include "longhaul/placement/table_proof.hpp"

namespace longhaul::placement {
namespace {

/// Up to three classes of devices that need not be alike.
Classes random_classes(std::size_t n, core::Random& random) {
    const std::size_t most = 1 + random.index(3);
    std::vector<int> of(n);
    for (int& home : of) {
        home = static_cast<int>(random.index(most));
    }
    Classes classes;
    std::vector<int> number(most, -1);
    for (std::size_t i = 0; i < n; ++i) {
        int& home = number[of[i]];
        if (home < 0) {
            home = static_cast<int>(classes.members.size());
            classes.members.emplace_back();
        }
        classes.of_device.push_back(home);
        classes.members[home].push_back(static_cast<int>(i));
    }
    return classes;
}

std::vector<int> sizes_of(const Classes& classes) {
    std::vector<int> sizes;
    for (const std::vector<int>& members : classes.members) {
        sizes.push_back(static_cast<int>(members.size()));
    }
    return sizes;
}

StageCounts counts_in(const std::vector<int>& stage, const Classes& classes) {
    StageCounts counts{};
    for (const int device : stage) {
        ++counts[classes.of_device[device]];
    }
    return counts;
}

/// Equal stages taken together.
std::vector<StageUse> uses_of(const Stages& stages, const Classes& classes) {
    std::vector<StageUse> uses;
    for (const std::vector<int>& stage : stages) {
        const StageCounts counts = counts_in(stage, classes);
        const auto same = std::ranges::find(uses, counts, &StageUse::counts);
        if (same == uses.end()) {
            uses.push_back({counts, 1});
        } else {
            ++same->times;
        }
    }
    return uses;
}

// Any placement is dearer than the bounds of its stages: its own costs, straight from their
// definition, are the reference.
TEST(MemberTable, BoundsHoldForStagesOfRandomPlacements) {
    for (int i = 0; i < 600; ++i) {
        testing::Instance instance(64, i);
        const Shape shape = testing::small_shape(i);
        const Problem problem =
            random_problem(shape, instance.levels, instance.equal_rows, instance.random);
        const std::size_t n = shape.devices();
        const Classes classes = random_classes(n, instance.random);
        MemberTable model(problem.costs, classes, shape);
        const Stages stages = Placement(shape, testing::shuffled(n, instance.random)).stages();
        const std::vector<StageUse> uses = uses_of(stages, classes);
        double worst = 0;
        for (const std::vector<int>& stage : stages) {
            const double exchange = group_exchange(problem.costs.exchange, stage).seconds;
            ASSERT_LE(model.exchange(counts_in(stage, classes), 1), exchange + 1e-12) << i;
            worst = std::max(worst, exchange);
        }
        for (const StageUse& use : uses) {
            ASSERT_LE(model.exchange(use.counts, use.times), worst + 1e-12) << i;
        }
        ASSERT_LE(model.exchange_of(uses), worst + 1e-12) << i;
        ASSERT_LE(model.root_exchange(), worst + 1e-12);
        const core::Grid<double> edges = edge_matrix(problem.costs.pipeline, stages);
        for (std::size_t a = 0; a < stages.size(); ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                ASSERT_LE(model.edge(counts_in(stages[a], classes), counts_in(stages[b], classes)),
                          edges(a, b))
                    << i;
            }
        }
    }
}

// A level says how many edges below `next` a path may have: counted on random placements in their
// best order.
TEST(MemberTable, NoPathHasMoreCheapEdgesThanALevelAllows) {
    for (int i = 0; i < 600; ++i) {
        testing::Instance instance(65, i);
        const Shape shape = testing::small_shape(i);
        const Problem problem =
            random_problem(shape, instance.levels, instance.equal_rows, instance.random);
        const std::size_t n = shape.devices();
        const Classes classes = random_classes(n, instance.random);
        MemberTable model(problem.costs, classes, shape);
        const std::vector<int> sizes = sizes_of(classes);
        TableBounds bounds(model, shape, sizes);
        const Stages stages = Placement(shape, testing::shuffled(n, instance.random)).stages();
        const double length = solve_inner(problem, stages).score.pipeline;
        ASSERT_LE(bounds.root(), length + 1e-12) << i;
        const auto all = StageList::list(model, sizes, shape.dp, 1e9, 100'000, 1'000'000);
        ASSERT_TRUE(all);
        Profile rest = bounds.all();
        int left = shape.pp;
        for (const StageUse& use : uses_of(stages, classes)) {
            int at = 0;
            while (all->counts(at) != use.counts) {
                ++at;
            }
            bounds.choose(*all, at, use.times);
            for (std::size_t a = 0; a < sizes.size(); ++a) {
                rest[a] = static_cast<std::uint16_t>(rest[a] - use.times * use.counts[a]);
            }
            left -= use.times;
            ASSERT_LE(bounds.path(rest, left), length + 1e-12) << i;
            ASSERT_LE(bounds.path(rest, left, length * 0.9), length + 1e-12) << i;
        }
        ASSERT_EQ(left, 0);
    }
}

TEST(MemberTable, ProvesNoMoreThanTheOptimumOfExhaustiveEnumeration) {
    double proved = 0;
    double possible = 0;
    for (int i = 0; i < 400; ++i) {
        testing::Instance instance(66, i);
        const Shape shape = testing::small_shape(i);
        const Problem problem =
            random_problem(shape, instance.levels, instance.equal_rows, instance.random);
        const double best = make_search(SearchKind::kExhaustive)->run(problem, {}).score;
        const Classes classes = random_classes(shape.devices(), instance.random);
        TableProof proof(
            std::make_unique<MemberTable>(problem.costs, classes, shape), shape, sizes_of(classes));
        ASSERT_LE(proof.root_bound(), best * (1 + 1e-12)) << i;
        SliceLimits limits;
        limits.work = i % 4 == 0 ? 500 : 1'000'000;
        const TableProofResult result = proof.run(best * 1.1 + 0.01, limits);
        ASSERT_LE(result.bound, best * (1 + 1e-12)) << i;
        proved += best > 0 ? result.bound / best : 1;
        possible += 1;
    }
    EXPECT_GT(proved, 0.7 * possible);
}

// The bounds of single devices (one class each) leave nothing out of a stage or an edge.
TEST(MemberTable, ClassesOfOneDeviceAreExact) {
    for (int i = 0; i < 100; ++i) {
        testing::Instance instance(67, i);
        const Shape shape{2, 3};
        const Problem problem = random_problem(shape, instance.levels, false, instance.random);
        Classes classes;
        for (int device = 0; device < 6; ++device) {
            classes.of_device.push_back(device);
            classes.members.push_back({device});
        }
        TableProof proof(std::make_unique<MemberTable>(problem.costs, classes, shape),
                         shape,
                         std::vector<int>(6, 1));
        const double best = make_search(SearchKind::kExhaustive)->run(problem, {}).score;
        SliceLimits limits;
        limits.work = 10'000'000;
        ASSERT_NEAR(proof.run(best, limits).bound, best, 1e-9) << i;
    }
}

}  // namespace
}  // namespace longhaul::placement
