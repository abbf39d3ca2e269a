#include "longhaul/placement/table_proof.hpp"

#include <gtest/gtest.h>

#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/search.hpp"

namespace longhaul::placement {
namespace {

struct Exact {
    explicit Exact(const Problem& problem) : classes(exact_classes(problem.costs)) {
        for (const std::vector<int>& members : classes.members) {
            sizes.push_back(static_cast<int>(members.size()));
        }
        costs = class_costs(problem.costs, classes);
    }
    [[nodiscard]] TableProof proof(Shape shape) const {
        return {std::make_unique<ExactTable>(costs, shape, sizes), shape, sizes};
    }
    Classes classes;
    std::vector<int> sizes;
    ClassCosts costs;
};

SliceLimits work(std::uint64_t units) {
    SliceLimits limits;
    limits.work = units;
    return limits;
}

TEST(TableProof, FindsAndProvesTheOptimumOfExhaustiveEnumeration) {
    for (int i = 0; i < 300; ++i) {
        testing::Instance instance(68, i);
        const Shape shape = testing::small_shape(i);
        const Problem problem = random_problem(shape, instance.levels, true, instance.random);
        const Exact exact(problem);
        const double best = make_search(SearchKind::kExhaustive)->run(problem, {}).score;
        TableProof proof = exact.proof(shape);
        ASSERT_LE(proof.root_bound(), best * (1 + 1e-12)) << i;
        const TableProofResult above = proof.run(2 * best + 1, work(10'000'000));
        ASSERT_NEAR(above.best, best, 1e-9) << i;
        ASSERT_NEAR(above.bound, best, 1e-9) << i;
        ASSERT_FALSE(above.counts.empty());
        CountModel model(exact.costs);
        ASSERT_NEAR(score_in_order(model, above.counts).total(), best, 1e-9) << i;
        const TableProofResult below = proof.run(best * (1 - 1e-9), work(10'000'000));
        ASSERT_TRUE(below.counts.empty()) << i;
        ASSERT_EQ(below.bound, best * (1 - 1e-9));
    }
}

TEST(TableProof, BoundsHoldForAnyWork) {
    for (int i = 0; i < 150; ++i) {
        testing::Instance instance(69, i);
        const Shape shape = testing::small_shape(i);
        const Problem problem = random_problem(shape, instance.levels, true, instance.random);
        const double best = make_search(SearchKind::kExhaustive)->run(problem, {}).score;
        TableProof proof = Exact(problem).proof(shape);
        for (const std::uint64_t units : {0ULL, 1ULL, 100ULL, 1'000ULL, 10'000ULL}) {
            const TableProofResult result = proof.run(best * 1.5 + 0.1, work(units));
            ASSERT_LE(result.bound, best * (1 + 1e-12)) << i << " work " << units;
            ASSERT_GE(result.best, best * (1 - 1e-12));
        }
        SliceLimits stopped = work(1'000'000);
        stopped.stop = [] { return true; };
        ASSERT_LE(proof.run(best * 1.5 + 0.1, stopped).bound, best * (1 + 1e-12)) << i;
    }
}

// 49.2184 is the optimum by exhaustive search over region counts (1.36 thousand million nodes), the
// others those of docs/mathematics/placement.md.
TEST(TableProof, ProvesKnownOptima) {
    const auto proved = [](const char* fabric, double c_pp, double c_dp, double from) {
        const Problem problem = testing::shipped_problem(fabric, c_pp, c_dp);
        const TableProofResult result =
            Exact(problem).proof(problem.shape).run(from, work(20'000'000));
        EXPECT_FALSE(result.counts.empty());
        EXPECT_EQ(result.bound, result.best);
        return result.bound;
    };
    EXPECT_NEAR(proved("dtfm-worldwide.json", 0.4712491, 0.65, 60), 49.2184, 5e-5);
    EXPECT_NEAR(proved("dtfm-table2-worldwide.json", 0.512, 0.65, 60), 51.500424, 1e-6);
    EXPECT_NEAR(proved("dtfm-table2-worldwide.json", 0.512, 1.3, 71.88), 62.201579, 1e-6);
    EXPECT_NEAR(proved("dtfm-table2-worldwide.json", 0.128, 0.65, 30), 19.447381, 1e-6);
}

// Classes of 301 and 299 on 3 stages of 200: 301 is no multiple of 3, so at least one of the two
// edges crosses the classes. By hand: path >= 1 + 10; every device has 199 peers of its class at 1.
TEST(TableProof, LargeStagesHaveTheBoundOfTheRoot) {
    core::Grid<double> between(2, 2, 10.0);
    between(0, 0) = between(1, 1) = 1;
    const Shape shape{3, 200};
    const std::vector<int> sizes{301, 299};
    TableProof proof(
        std::make_unique<ExactTable>(ClassCosts{between, between}, shape, sizes), shape, sizes);
    EXPECT_DOUBLE_EQ(proof.root_bound(), 199 + 11);
    EXPECT_DOUBLE_EQ(proof.run(1e6, work(1'000'000)).bound, 199 + 11);
    EXPECT_DOUBLE_EQ(proof.run(209, work(1'000'000)).bound, 209);
}

TEST(StageList, ListsEveryStageUpToTheCap) {
    for (int i = 0; i < 100; ++i) {
        testing::Instance instance(70, i);
        const std::size_t k = 1 + i % 4;
        const core::Grid<double> pair =
            random_costs(k + 1, instance.levels, false, instance.random);
        core::Grid<double> costs(k, k);
        std::vector<int> sizes;
        int total = 0;
        for (std::size_t a = 0; a < k; ++a) {
            sizes.push_back(1 + static_cast<int>(instance.random.index(5)));
            total += sizes.back();
            for (std::size_t b = 0; b < k; ++b) {
                costs(a, b) = a == b ? pair(a, k) : pair(a, b);
            }
        }
        const Shape shape{1, total};
        const ExactTable model({costs, costs}, shape, sizes);
        const int dp = 1 + static_cast<int>(instance.random.index(total));
        const double cap = instance.random.uniform() * dp * 3;
        const auto list = StageList::list(model, sizes, dp, cap, 100'000, 1'000'000);
        ASSERT_TRUE(list);
        // All count rows, as numbers in mixed radix.
        std::size_t expected = 0;
        StageCounts row{};
        for (bool more = true; more;) {
            int devices = 0;
            for (std::size_t a = 0; a < k; ++a) {
                devices += row[a];
            }
            expected += devices == dp && model.exchange(row, 1) <= cap ? 1 : 0;
            more = false;
            for (std::size_t a = 0; a < k && !more; ++a) {
                more = row[a] < sizes[a];
                row[a] = static_cast<std::uint8_t>(more ? row[a] + 1 : 0);
            }
        }
        ASSERT_EQ(list->size(), expected) << i;
        for (std::size_t s = 1; s < list->size(); ++s) {
            ASSERT_LE(list->exchange(s - 1), list->exchange(s));
        }
    }
}

TEST(StageList, PackedCountsCompareAllAtOnce) {
    core::Random random(5, 71);
    for (int i = 0; i < 2'000; ++i) {
        StageCounts a{};
        StageCounts b{};
        bool within = true;
        for (std::size_t c = 0; c < a.size(); ++c) {
            a[c] = static_cast<std::uint8_t>(random.below(128));
            b[c] = static_cast<std::uint8_t>(
                random.below(8) == 0 ? random.below(128)
                                     : a[c] + static_cast<int>(random.below(128 - a[c])));
            within = within && a[c] <= b[c];
        }
        ASSERT_EQ(PackedCounts(a).within(PackedCounts(b)), within);
    }
}

}  // namespace
}  // namespace longhaul::placement
