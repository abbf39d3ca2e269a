#include "longhaul/placement/replan.hpp"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "longhaul/placement/brute_force.hpp"
#include "longhaul/placement/detail/test_support.hpp"

namespace longhaul::placement {
namespace {

/// The least score of each number of moves, over all assignments of devices to places of stages,
/// straight from the definition: exponential.
std::map<int, double> every_placement(const Problem& problem, const OldWork& old) {
    std::map<int, double> least;
    std::vector<int> stage_of;
    for (int s = 0; s < problem.shape.pp; ++s) {
        stage_of.insert(stage_of.end(), static_cast<std::size_t>(problem.shape.dp), s);
    }
    do {
        Stages stages(static_cast<std::size_t>(problem.shape.pp));
        int moves = 0;
        for (std::size_t d = 0; d < stage_of.size(); ++d) {
            stages[static_cast<std::size_t>(stage_of[d])].push_back(static_cast<int>(d));
            // Equal numbers of stages in these tests: state is kept in the same stage only.
            moves += old.stage_of[d] == stage_of[d] ? 0 : 1;
        }
        double score = 0;
        for (const std::vector<int>& group : stages) {
            score = std::max(score, group_exchange(problem.costs.exchange, group).seconds);
        }
        for (std::size_t s = 1; s < stages.size(); ++s) {
            const std::size_t dp = stages[s].size();
            core::Grid<double> between(dp, dp);
            for (std::size_t i = 0; i < dp; ++i) {
                for (std::size_t j = 0; j < dp; ++j) {
                    between(i, j) = problem.costs.pipeline(stages[s - 1][i], stages[s][j]);
                }
            }
            score += brute_force_bottleneck(between);
        }
        const auto [known, added] = least.try_emplace(moves, score);
        known->second = std::min(known->second, score);
    } while (std::next_permutation(stage_of.begin(), stage_of.end()));
    return least;
}

double within(const std::map<int, double>& least, int limit) {
    double best = 1e300;
    for (const auto& [moves, score] : least) {
        best = moves <= limit ? std::min(best, score) : best;
    }
    return best;
}

/// Random old work: a random placement, some devices replaced by joined ones.
OldWork random_work(Shape shape, int joined, core::Random& random) {
    OldWork old{shape.pp, {}};
    for (const int rank : testing::shuffled(shape.devices(), random)) {
        old.stage_of.push_back(rank % shape.pp);
    }
    for (int i = 0; i < joined; ++i) {
        old.stage_of[static_cast<std::size_t>(i)] = -1;
    }
    return old;
}

Replan planned(const Problem& problem, const OldWork& old, const ReplanOptions& options) {
    const Stages best = make_search(SearchKind::kExhaustive)->run(problem, {}).stages;
    const std::vector<int> hosts = testing::counted(problem.shape.devices());
    return replan(problem, old, best, hosts, options).value();
}

TEST(Replan, TheCurveIsThatOfAllPlacements) {
    const std::vector<Shape> shapes{{3, 2}, {2, 3}, {4, 2}, {2, 4}};
    for (int i = 0; i < 40; ++i) {
        testing::Instance instance(4101, i);
        const Shape shape = shapes[static_cast<std::size_t>(i) % shapes.size()];
        const Problem problem =
            random_problem(shape, instance.levels, instance.equal_rows, instance.random);
        const OldWork old = random_work(shape, i % 3, instance.random);
        ReplanOptions options;
        options.search.budget = 40'000;
        options.moves = i % 7 < 6 ? std::optional<int>(i % 7) : std::nullopt;
        const Replan result = planned(problem, old, options);
        const std::map<int, double> truth = every_placement(problem, old);
        EXPECT_EQ(result.forced, truth.begin()->first) << i;
        for (const ReplanPoint& point : result.curve) {
            const int limit = point.limit.value_or(static_cast<int>(shape.devices()));
            EXPECT_NEAR(point.score.total(), within(truth, limit), 1e-9) << i << " " << limit;
            EXPECT_LE(point.moves, limit);
            EXPECT_EQ(score_as_mapped(problem, point.placement).total(), point.score.total());
        }
        ASSERT_EQ(result.chosen.has_value(), !options.moves || *options.moves >= result.forced);
        if (result.chosen) {
            const int limit = options.moves.value_or(static_cast<int>(shape.devices()));
            EXPECT_NEAR(result.chosen->score.total(), within(truth, limit), 1e-9) << i;
        }
    }
}

TEST(Replan, ThreadsNeverChangeIt) {
    testing::Instance instance(4102, 2);
    const Problem problem = random_problem({4, 3}, 0, false, instance.random);
    const OldWork old = random_work({4, 3}, 2, instance.random);
    const Stages best = Placement({4, 3}, testing::counted(12)).stages();
    const std::vector<int> hosts = testing::counted(12);
    ReplanOptions options;
    options.search.budget = 5'000;
    const Replan one = replan(problem, old, best, hosts, options).value();
    options.search.threads = 3;
    const Replan three = replan(problem, old, best, hosts, options).value();
    ASSERT_EQ(one.curve.size(), three.curve.size());
    for (std::size_t i = 0; i < one.curve.size(); ++i) {
        EXPECT_EQ(one.curve[i].placement, three.curve[i].placement);
        EXPECT_EQ(one.curve[i].limit, three.curve[i].limit);
    }
    EXPECT_EQ(one.evaluations, three.evaluations);
}

TEST(Replan, ThePlanItselfNeedsNoMoves) {
    // The optimum of Table 2 as the old plan: nothing to gain, so one point without moves.
    const Problem problem = testing::shipped_problem("dtfm-table2-worldwide.json", 0.128, 0.650);
    SearchOptions search;
    search.budget = 20'000;
    const SearchResult found = make_search(SearchKind::kPortfolio)->run(problem, search);
    OldWork old{8, std::vector<int>(64)};
    for (std::size_t s = 0; s < 8; ++s) {
        for (const int device : found.stages[s]) {
            old.stage_of[static_cast<std::size_t>(device)] = static_cast<int>(s);
        }
    }
    // Read backwards the best placement costs the same, and must not be taken for 64 moves.
    Stages backwards(found.stages.rbegin(), found.stages.rend());
    const Replan result =
        replan(problem, old, backwards, testing::counted(64), {search, std::nullopt}).value();
    EXPECT_EQ(result.forced, 0);
    ASSERT_EQ(result.curve.size(), 1U);
    EXPECT_EQ(result.curve[0].moves, 0);
    EXPECT_NEAR(result.curve[0].score.total(), 19.447381, 1e-6);  // mathematics/placement.md
}

TEST(Replan, StateIsKeptWhereLayersAreHeld) {
    EXPECT_TRUE(keeps_state(3, 8, 3, 8));
    EXPECT_FALSE(keeps_state(3, 8, 4, 8));
    EXPECT_FALSE(keeps_state(-1, 8, 0, 8));
    // 4 stages become 8: old stage 1 held the second quarter, now stages 2 and 3.
    EXPECT_TRUE(keeps_state(1, 4, 2, 8));
    EXPECT_TRUE(keeps_state(1, 4, 3, 8));
    EXPECT_FALSE(keeps_state(1, 4, 4, 8));
    // Fewer stages hold more layers each.
    EXPECT_FALSE(keeps_state(0, 8, 0, 4));
    // 2 stages become 3: the middle third lies in no half.
    EXPECT_TRUE(keeps_state(0, 2, 0, 3));
    EXPECT_FALSE(keeps_state(0, 2, 1, 3));
    EXPECT_TRUE(keeps_state(1, 2, 2, 3));
}

TEST(Replan, ForcedMovesAreCounted) {
    // Stage 0 kept 3 of 4 devices, stage 1 has all 4, and one joined: 1 move for the vacated place.
    EXPECT_EQ(forced_moves({2, {0, 0, 0, -1, 1, 1, 1, 1}}, {2, 4}), 1);
    // 7 devices left, placed as 7 stages: seven new stages lie inside no half but 0-2 and 4-6.
    EXPECT_EQ(forced_moves({2, {0, 0, 0, 0, 1, 1, 1}}, {7, 1}), 1);
    // One replica fewer: two devices of each stage stay, nothing is loaded.
    EXPECT_EQ(forced_moves({2, {0, 0, 1, 1}}, {2, 2}), 0);
    // Both of the devices that left were of stage 0: one of stage 1 must change.
    EXPECT_EQ(forced_moves({2, {0, 1, 1, 1}}, {2, 2}), 1);
}

}  // namespace
}  // namespace longhaul::placement
