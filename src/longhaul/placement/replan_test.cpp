#include "longhaul/placement/replan.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "longhaul/placement/brute_force.hpp"
#include "longhaul/placement/detail/term_cases.hpp"
#include "longhaul/placement/find.hpp"
#include "longhaul/placement/ordered.hpp"
#include "longhaul/placement/replan_tensor.hpp"
#include "longhaul/placement/replan_walk.hpp"
#include "longhaul/placement/units.hpp"

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
        options.most_placements = i % 4 == 3 ? 10'000 : 0;  // searched, or tried one by one
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

TEST(Replan, EveryWayToSeatDevicesIsMetOnce) {
    // 7! / (2!^3 1!), one device to spare; 8! / (2!^4) of the page replan.md.
    for (const auto& [shape, devices, ways] :
         {std::tuple(Shape{3, 2}, 7UL, 630UL), std::tuple(Shape{4, 2}, 8UL, 2'520UL)}) {
        std::set<Stages> met;
        std::size_t calls = 0;
        EXPECT_TRUE(seat_every_way(shape, devices, {}, [&](const Stages& stages) {
            met.insert(stages);
            ++calls;
        }));
        EXPECT_EQ(met.size(), ways);
        EXPECT_EQ(calls, ways);
        EXPECT_EQ(placements_of(shape, devices), static_cast<double>(ways));
        EXPECT_FALSE(seat_every_way(shape, devices, [] { return true; }, [](const Stages&) {}));
    }
}

TEST(Replan, WithoutTimeEveryLimitHasAPlacement) {
    testing::Instance instance(4104, 0);
    for (const std::uint64_t most : {0ULL, 10'000ULL}) {
        const Problem problem = random_problem({4, 2}, 0, false, instance.random);
        const OldWork old = random_work({4, 2}, 2, instance.random);
        ReplanOptions options;
        options.search.stop = [] { return true; };
        options.most_placements = most;
        options.moves = 2;
        const Stages best = make_search(SearchKind::kExhaustive)->run(problem, {}).stages;
        const Replan result = replan(problem, old, best, testing::counted(8), options).value();
        ASSERT_TRUE(result.chosen.has_value());
        EXPECT_EQ(result.chosen->moves, 2);  // those of the devices that joined
        EXPECT_EQ(result.forced, 2);
        EXPECT_FALSE(result.curve.empty());
    }
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

/// The least score as it stands over all orders of the replicas of each stage but the first.
double every_pairing(const Problem& unit, Stages stages, std::size_t from) {
    if (from == stages.size()) {
        return score_as_mapped(unit, Placement::from_stages(stages, unit.devices())).total();
    }
    double best = 1e300;
    std::ranges::sort(stages[from]);
    do {
        best = std::min(best, every_pairing(unit, stages, from + 1));
    } while (std::ranges::next_permutation(stages[from]).found);
    return best;
}

/// The least score of each number of moves over all assignments of units to stages, or to none, and
/// all pairs; moves from the definition.
std::map<int, double> every_unit_placement(const Problem& unit, const OldWork& old) {
    std::map<int, double> least;
    std::vector<int> stage_of;
    for (int s = 0; s < unit.shape.pp; ++s) {
        stage_of.insert(stage_of.end(), static_cast<std::size_t>(unit.shape.dp), s);
    }
    stage_of.resize(unit.devices(), unit.shape.pp);
    do {
        Stages stages(static_cast<std::size_t>(unit.shape.pp));
        int moves = 0;
        for (std::size_t u = 0; u < stage_of.size(); ++u) {
            if (stage_of[u] == unit.shape.pp) {
                continue;
            }
            stages[static_cast<std::size_t>(stage_of[u])].push_back(static_cast<int>(u));
            for (const int stage :
                 old.members.empty() ? std::vector<int>{old.stage_of[u]} : old.members[u]) {
                moves += stage == stage_of[u] ? 0 : 1;
            }
        }
        const double score = every_pairing(unit, stages, 1);
        const auto [known, added] = least.try_emplace(moves, score);
        known->second = std::min(known->second, score);
    } while (std::next_permutation(stage_of.begin(), stage_of.end()));
    return least;
}

// Twin under every term, with spare devices and tensor groups: all placements of tiny cases.
TEST(Replan, TheCurveIsThatOfAllPlacementsUnderEveryTerm) {
    for (const testing::TermChoice& choice : testing::term_choices()) {
        for (int i = 0; i < 3; ++i) {
            testing::Instance instance(4103, i);
            const testing::TermCase made = testing::term_case(choice, 3, 2, instance.random);
            const Problem problem = made.problem();
            const std::vector<int> hosts = made.fabric.host_of_device();
            const int tp = made.shape.tp;
            std::vector<OldPlace> places;
            for (std::size_t d = 0; d < made.fabric.size(); ++d) {
                const int cell = static_cast<int>(d) / tp;
                places.push_back(cell < 6 ? OldPlace{cell % 3, cell / 3, static_cast<int>(d) % tp}
                                          : OldPlace{});
            }
            places[static_cast<std::size_t>(i)] = {};  // joined
            const Regrouped made_groups = regroup(hosts, places, 3, tp, tp);
            const Problem unit = tp > 1 ? grouped(problem, made_groups.groups) : problem;
            OldWork old = made_groups.old;
            if (tp == 1) {  // groups of one are sorted by host
                old = {3, {}, {}};
                for (const OldPlace& place : places) {
                    old.stage_of.push_back(place.stage);
                }
            }
            const std::vector<int> unit_hosts = testing::counted(unit.devices());
            ReplanOptions options;
            options.search.budget = 200'000;
            options.most_placements = i == 2 ? 10'000 : 0;
            SearchOptions search;
            search.budget = 20'000;
            const Stages best = find(unit, SearchKind::kPortfolio, search).stages;
            const Replan result = replan(unit, old, best, unit_hosts, options).value();
            const std::map<int, double> truth = every_unit_placement(unit, old);
            SCOPED_TRACE(std::string(choice.name) + " " + std::to_string(i));
            EXPECT_EQ(result.forced, truth.begin()->first);
            for (const ReplanPoint& point : result.curve) {
                const int limit = point.limit.value_or(1'000);
                EXPECT_NEAR(point.score.total(),
                            within(truth, limit),
                            testing::slack_of(choice) * point.score.total())
                    << limit;
                EXPECT_LE(point.moves, limit);
                EXPECT_EQ(score_as_mapped(unit, point.placement).total(), point.score.total());
            }
        }
    }
}

// Twin of the pairs: all orders of replicas.
TEST(Ordered, PairsAreTheBestOfAll) {
    for (const testing::TermChoice& choice : testing::term_choices()) {
        for (int i = 0; i < 4; ++i) {
            testing::Instance instance(4104, i);
            const testing::TermCase made = testing::term_case(choice, 2, 3, instance.random);
            const Problem unit = units_to_place(made.problem(), made.fabric.host_of_device());
            const std::vector<int> order = testing::shuffled(unit.devices(), instance.random);
            const Stages stages{{order[0], order[1], order[2]}, {order[3], order[4], order[5]}};
            const Ordered ordered = solve_in_order(unit, stages);
            EXPECT_NEAR(ordered.score.total(),
                        every_pairing(unit, stages, 1),
                        testing::slack_of(choice) * ordered.score.total())
                << choice.name << " " << i;
            const OrderedScore kept(unit, stages);
            EXPECT_NEAR(kept.total(), ordered.score.total(), 1e-9) << choice.name;
        }
    }
}

// Payloads up to the largest that is read: every pair takes more than any sentinel of seconds.
TEST(Ordered, PairsOfLargePayloadsAreTheBestOfAll) {
    for (const double gigabytes : {1.0, 1e18, 1e30}) {
        testing::Instance instance(4108, 0);
        const fabric::Fabric fabric =
            testing::fabric_with_memory(std::vector<double>(6, 1), instance.random);
        workload::Workload load = testing::payloads(gigabytes, 0.1);
        load.pp_messages = 4;
        load.stage_seconds = {1, 2};
        const Terms terms{.objective = Objective::kPipelined};
        const Problem problem = make_problem(fabric, "f", load, {2, 3}, terms).value();
        const Stages stages{{0, 1, 2}, {3, 4, 5}};
        const Ordered ordered = solve_in_order(problem, stages);
        EXPECT_NEAR(
            ordered.score.total(), every_pairing(problem, stages, 1), 1e-9 * ordered.score.total());
    }
}

TEST(Replan, GroupsKeepWhatTheirMembersHold) {
    // Host 0: group (stage 0, replica 0) whole as devices 1, 0; device 2 joined, 3 held shard 1 of
    // (stage 1, replica 0), whose shard 0 left. Host 1: 4 and 5 joined, 6 is alone.
    const std::vector<int> hosts{0, 0, 0, 0, 1, 1, 1};
    std::vector<OldPlace> places(7);
    places[1] = {0, 0, 0};
    places[0] = {0, 0, 1};
    places[3] = {1, 0, 1};
    const Regrouped made = regroup(hosts, places, 2, 2, 2);
    ASSERT_EQ(made.groups.members.size(), 3U);
    EXPECT_EQ(made.groups.members[0], (std::vector<int>{1, 0}));
    EXPECT_EQ(made.groups.members[1], (std::vector<int>{2, 3}));
    EXPECT_EQ(made.groups.members[2], (std::vector<int>{4, 5}));
    EXPECT_EQ(made.groups.alone, (std::vector<int>{6}));
    EXPECT_EQ(made.old.members[0], (std::vector<int>{0, 0}));
    EXPECT_EQ(made.old.members[1], (std::vector<int>{-1, 1}));
    EXPECT_EQ(moves_of(made.old, 1, 1, 2), 1);
    EXPECT_EQ(moves_of(made.old, 1, 0, 2), 2);
    // 2 x 1 places: the whole group stays at stage 0, the half one takes stage 1: one device loads.
    EXPECT_EQ(forced_moves(made.old, {2, 1}), 1);
    // Half the tensor degree: both shards of a group of two lie inside a whole one, not the other
    // way round.
    EXPECT_EQ(regroup({{0}}, {{0, 0, 0}}, 1, 1, 1).old.members[0], (std::vector<int>{0}));
    EXPECT_EQ(regroup({{0}}, {{0, 0, 0}}, 1, 2, 1).old.members[0], (std::vector<int>{-1}));
}

}  // namespace
}  // namespace longhaul::placement
