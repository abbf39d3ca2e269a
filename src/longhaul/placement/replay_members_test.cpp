// What the checker knows of classes whose members differ: its bounds hold of single devices, and
// are as strong as those of the proof.
#include <cmath>

#include <gtest/gtest.h>

#include "longhaul/placement/detail/any_classes.hpp"
#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/member_model.hpp"
#include "longhaul/placement/proof_classes.hpp"
#include "longhaul/placement/replay_flow.hpp"
#include "longhaul/placement/replay_model.hpp"
#include "longhaul/placement/replay_order.hpp"
#include "longhaul/placement/table_bounds.hpp"

namespace longhaul::placement {
namespace {

StageCounts bytes_of(const ReplayRow& row) {
    StageCounts counts{};
    std::ranges::copy(row, counts.begin());
    return counts;
}

ReplayRow row_of(const std::vector<int>& stage, const Classes& classes) {
    ReplayRow row{};
    for (const int device : stage) {
        ++row[classes.of_device[device]];
    }
    return row;
}

/// Equal stages taken together.
std::vector<std::pair<ReplayRow, int>> rows_of(const Stages& stages, const Classes& classes) {
    std::vector<std::pair<ReplayRow, int>> rows;
    for (const std::vector<int>& stage : stages) {
        const ReplayRow row = row_of(stage, classes);
        const auto same = std::ranges::find(rows, row, &std::pair<ReplayRow, int>::first);
        if (same == rows.end()) {
            rows.emplace_back(row, 1);
        } else {
            ++same->second;
        }
    }
    return rows;
}

std::vector<double> borders_of(const MemberTable& model) {
    std::vector<double> levels;
    for (const PathLevel& level : model.levels()) {
        levels.push_back(level.structure.threshold);
        levels.push_back(level.structure.next);
    }
    return levels;
}

/// A random placement of devices that differ, over any classes.
struct MemberCase {
    MemberCase(std::uint64_t test, int i)
        : instance(test, i),
          shape(testing::small_shape(i)),
          problem(random_problem(shape, instance.levels, instance.equal_rows, instance.random)),
          classes(testing::any_classes(shape.devices(), instance.random)),
          stages(Placement(shape, testing::shuffled(shape.devices(), instance.random)).stages()),
          rows(rows_of(stages, classes)),
          members(problem.costs, classes.of_device, shape),
          table(problem.costs, classes, shape) {}
    testing::Instance instance;
    Shape shape;
    Problem problem;
    Classes classes;
    Stages stages;
    std::vector<std::pair<ReplayRow, int>> rows;
    ReplayMembers members;
    MemberTable table;
};

bool same(double a, double b) {
    return a == b || std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b));
}

// The costs of the placement itself, straight from their definition, are the upper end; the bounds
// of the proof, which has other code, are the lower one.
TEST(ReplayMembers, BoundsLieBetweenThoseOfTheProofAndWhatStagesCost) {
    for (int i = 0; i < 600; ++i) {
        MemberCase one(80, i);
        double worst = 0;
        for (const std::vector<int>& stage : one.stages) {
            worst = std::max(worst, group_exchange(one.problem.costs.exchange, stage).seconds);
        }
        ASSERT_LE(one.members.least_exchange(), worst + 1e-12) << i;
        ASSERT_TRUE(same(one.members.least_exchange(), one.table.root_exchange())) << i;
        std::vector<StageUse> uses;
        for (const auto& [row, times] : one.rows) {
            uses.push_back({bytes_of(row), times});
            ASSERT_LE(one.members.exchange(row, times), worst + 1e-12) << i;
            ASSERT_TRUE(
                same(one.members.exchange(row, times), one.table.exchange(bytes_of(row), times)))
                << i;
        }
        ASSERT_LE(one.members.exchange_of(one.rows), worst + 1e-12) << i;
        ASSERT_TRUE(same(one.members.exchange_of(one.rows), one.table.exchange_of(uses))) << i;
        const core::Grid<double> edges = edge_matrix(one.problem.costs.pipeline, one.stages);
        for (std::size_t a = 0; a < one.stages.size(); ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                const ReplayRow from = row_of(one.stages[a], one.classes);
                const ReplayRow to = row_of(one.stages[b], one.classes);
                ASSERT_LE(one.members.edge(from, to), edges(a, b)) << i;
                ASSERT_EQ(one.members.edge(from, to), one.table.edge(bytes_of(from), bytes_of(to)))
                    << i;
            }
        }
    }
}

/// Edges over all stages of these rows.
core::Grid<double> all_edges(const MemberCase& one) {
    core::Grid<double> edges(one.stages.size(), one.stages.size(), 0.0);
    for (std::size_t a = 0; a < one.stages.size(); ++a) {
        for (std::size_t b = 0; b < one.stages.size(); ++b) {
            edges(a, b) = a == b ? 0
                                 : one.members.edge(row_of(one.stages[a], one.classes),
                                                    row_of(one.stages[b], one.classes));
        }
    }
    return edges;
}

// The best order of the placement is the upper end, whatever part of it is known.
TEST(ReplayMembers, PathsLieBetweenTheBoundsOfTheProofAndTheBestOrder) {
    for (int i = 0; i < 600; ++i) {
        MemberCase one(81, i);
        const double length = solve_inner(one.problem, one.stages).score.pipeline;
        ReplayModel model(one.problem.costs, one.classes.of_device, one.shape);
        ASSERT_EQ(model.set_members(one.members, borders_of(one.table)), "");
        const std::vector<int> sizes = sizes_of_classes(one.classes);
        TableBounds bounds(one.table, one.shape, sizes);
        const auto all = StageList::list(one.table, sizes, one.shape.dp, 1e9, 100'000, 1'000'000);
        ASSERT_TRUE(all);
        ReplayState state = model.root();
        Profile rest = bounds.all();
        ASSERT_GE(model.path_bound(state, 1e9), bounds.root() * (1 - 1e-12)) << i;
        for (const auto& [row, times] : one.rows) {
            int at = 0;
            while (all->counts(at) != bytes_of(row)) {
                ++at;
            }
            bounds.choose(*all, at, times);
            for (std::size_t a = 0; a < sizes.size(); ++a) {
                rest[a] = static_cast<std::uint16_t>(rest[a] - times * row[a]);
            }
            const double taken = model.path_bound(state, row, times, 1e9);
            state = model.after(state, row, times);
            ASSERT_TRUE(same(model.path_bound(state, 1e9), taken)) << i;
            ASSERT_LE(taken, length + 1e-12) << i;
            ASSERT_GE(taken, bounds.path(rest, state.left) * (1 - 1e-12)) << i;
        }
        std::vector<double> tree = spanning_edges(all_edges(one));
        const double known = model.path_with_tree(state, tree);
        ASSERT_LE(known, length + 1e-12) << i;
        ASSERT_GE(known, bounds.path_with(tree) * (1 - 1e-12)) << i;
    }
}

TEST(ReplayMembers, LevelsMustRiseFromTheCheapestPair) {
    MemberCase one(82, 7);
    ReplayModel model(one.problem.costs, one.classes.of_device, one.shape);
    const double least = model.cheapest_pair();
    const auto refused = [&](std::vector<double> levels) {
        return !model.set_members(one.members, levels).empty();
    };
    EXPECT_FALSE(refused({}));
    EXPECT_FALSE(refused({least, least + 1, least + 1, least + 2}));
    EXPECT_TRUE(refused({least * 0.999, least + 1}));
    EXPECT_TRUE(refused({least, least + 2, least + 1, least + 3}));
    EXPECT_TRUE(refused({least + 1, least}));
}

// Every order of the nodes cut wherever neighbours are not open.
int fewest_chains_by_hand(const core::Grid<char>& open) {
    std::vector<int> order = testing::counted(open.rows());
    int best = static_cast<int>(order.size());
    do {
        int chains = 1;
        for (std::size_t i = 1; i < order.size(); ++i) {
            chains += open(order[i - 1], order[i]) != 0 ? 0 : 1;
        }
        best = std::min(best, chains);
    } while (std::ranges::next_permutation(order).found);
    return best;
}

core::Grid<char> random_graph(std::size_t n, std::uint32_t percent, core::Random& random) {
    core::Grid<char> open(n, n, 0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            open(i, j) = open(j, i) = random.below(100) < percent ? 1 : 0;
        }
    }
    return open;
}

TEST(ReplayFlow, ChainsAreTheFewestOfFewNodesAndNoMoreOfMany) {
    core::Random random(83);
    for (int i = 0; i < 200; ++i) {
        const core::Grid<char> open =
            random_graph(1 + random.index(7), 10 + random.below(60), random);
        ASSERT_EQ(chains_that_cover(open), fewest_chains_by_hand(open)) << i;
    }
    for (int i = 0; i < 200; ++i) {
        // Two graphs of up to ten nodes each side by side need the chains of both.
        const core::Grid<char> a = random_graph(6 + random.index(4), 20 + random.below(40), random);
        const core::Grid<char> b = random_graph(6 + random.index(4), 20 + random.below(40), random);
        const std::size_t n = a.rows();
        core::Grid<char> open(n + b.rows(), n + b.rows(), 0);
        for (std::size_t r = 0; r < open.rows(); ++r) {
            for (std::size_t c = 0; c < open.rows(); ++c) {
                open(r, c) = r < n && c < n     ? a(r, c)
                             : r >= n && c >= n ? b(r - n, c - n)
                                                : static_cast<char>(0);
            }
        }
        ASSERT_LE(chains_that_cover(open), chains_that_cover(a) + chains_that_cover(b)) << i;
        ASSERT_EQ(chains_that_cover(open),
                  fewest_paths(open.rows(), [&](auto r, auto c) { return open(r, c) != 0; }))
            << i;
    }
    EXPECT_EQ(chains_that_cover(core::Grid<char>(20, 20, 0)), 20);
    EXPECT_EQ(chains_that_cover(core::Grid<char>(200, 200, 1)), 1);
}

/// The least threshold of a matching of u pairs: over all sets of u rows and orders of columns.
double pairs_by_hand(const core::Grid<double>& costs, std::size_t pairs) {
    double best = std::numeric_limits<double>::infinity();
    std::vector<int> columns = testing::counted(costs.columns());
    do {
        std::vector<double> row;
        for (std::size_t i = 0; i < std::min(costs.rows(), costs.columns()); ++i) {
            row.push_back(costs(i, columns[i]));
        }
        std::ranges::sort(row);
        best = pairs <= row.size() ? std::min(best, row[pairs - 1]) : best;
    } while (std::ranges::next_permutation(columns).found);
    return best;
}

TEST(ReplayFlow, DisjointPairsAreTheCheapest) {
    for (int i = 0; i < 120; ++i) {
        testing::Instance instance(84, i);
        const core::Grid<double> costs = instance.rectangle(1 + instance.random.index(5));
        const std::vector<double> prices = disjoint_pairs(costs, 9);
        ASSERT_EQ(prices.size(), costs.rows());
        for (std::size_t u = 1; u <= prices.size(); ++u) {
            ASSERT_EQ(prices[u - 1], pairs_by_hand(costs, u)) << i;
        }
        ASSERT_EQ(disjoint_pairs(costs, 1).size(), 1U);
    }
}

}  // namespace
}  // namespace longhaul::placement
