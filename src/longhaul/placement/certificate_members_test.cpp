// Certificates over classes whose members differ: bounds of the checker hold of single devices, are
// as strong as those of the proof, and no change of a log proves more than is true.
#include <cmath>

#include <gtest/gtest.h>

#include "longhaul/core/document.hpp"
#include "longhaul/placement/check_certificate.hpp"
#include "longhaul/placement/check_proof.hpp"
#include "longhaul/placement/compose.hpp"
#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/make_certificate.hpp"
#include "longhaul/placement/member_model.hpp"
#include "longhaul/placement/proof_classes.hpp"
#include "longhaul/placement/replay_flow.hpp"
#include "longhaul/placement/replay_model.hpp"
#include "longhaul/placement/replay_order.hpp"
#include "longhaul/placement/search.hpp"
#include "longhaul/placement/table_bounds.hpp"
#include "longhaul/placement/table_proof.hpp"

namespace longhaul::placement {
namespace {

/// Up to three classes of devices that need not be alike.
Classes any_classes(std::size_t n, core::Random& random) {
    const std::size_t most = 1 + random.index(3);
    Classes classes;
    std::vector<int> number(most, -1);
    for (std::size_t i = 0; i < n; ++i) {
        int& home = number[random.index(most)];
        if (home < 0) {
            home = static_cast<int>(classes.members.size());
            classes.members.emplace_back();
        }
        classes.of_device.push_back(home);
        classes.members[home].push_back(static_cast<int>(i));
    }
    return classes;
}

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
          classes(any_classes(shape.devices(), instance.random)),
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

struct MadeCase {
    Problem problem;
    Classes classes;
    double best = 0;  // by exhaustive enumeration
    MadeProof made;
};

MadeCase made_case(std::uint64_t test, int i, double share) {
    testing::Instance instance(test, i);
    const Shape shape = testing::small_shape(i);
    MadeCase one{
        random_problem(shape, instance.levels, instance.equal_rows, instance.random), {}, 0, {}};
    one.classes = any_classes(shape.devices(), instance.random);
    one.best = make_search(SearchKind::kExhaustive)->run(one.problem, {}).score;
    ProofOptions options;
    options.work = 10'000'000;
    std::size_t nodes = 100'000;
    one.made = prove_over_classes(one.problem,
                                  one.classes,
                                  {share * one.best, share * one.best},
                                  options,
                                  options.work,
                                  nodes);
    return one;
}

ProofCheck check(const MadeCase& one, const BoundProof& proof, double target) {
    return check_proof(one.problem, proof, target, {});
}

// The bound of branch and bound over the same classes is what a certificate must carry.
TEST(MemberCertificate, CarriesWhatIsProvedAndNoMoreThanTheOptimum) {
    int trees = 0;
    int breaks = 0;
    for (int i = 0; i < 400; ++i) {
        MadeCase one = made_case(85, i, 1.1);
        ASSERT_LE(one.made.bound, one.best * (1 + 1e-9)) << i;
        ASSERT_TRUE(check(one, one.made.proof, one.made.bound * (1 - 1e-9)).holds()) << i;
        ASSERT_FALSE(check(one, one.made.proof, one.best * (1 + 1e-6) + 1e-9).holds()) << i;
        TableProof proof(
            std::make_unique<MemberTable>(one.problem.costs, one.classes, one.problem.shape),
            one.problem.shape,
            sizes_of_classes(one.classes));
        SliceLimits limits;
        limits.work = 10'000'000;
        const double proved = proof.run(1.1 * one.best, limits).bound;
        std::size_t nodes = 100'000;
        const MadeProof again = prove_over_classes(
            one.problem, one.classes, {proved, 1.1 * one.best}, {}, 10'000'000, nodes);
        ASSERT_GE(again.bound, proved * (1 - 1e-9)) << i;
        trees += again.proof.kind == ProofKind::kTree ? 1 : 0;
        breaks += again.proof.kind == ProofKind::kBreaks ? 1 : 0;
        ASSERT_TRUE(again.proof.members || again.proof.kind == ProofKind::kElementary) << i;
    }
    EXPECT_GT(trees, 100);
    EXPECT_GT(breaks, 20);
}

/// All numbers and flags of a tree, to be changed one at a time.
void changeable(core::Value& value, std::vector<core::Value*>& leaves) {
    const bool scalar = value.kind == core::Value::Kind::kNumber ||
                        value.kind == core::Value::Kind::kBoolean || !value.numbers.empty();
    if (scalar) {
        leaves.push_back(&value);
    }
    for (core::Value& item : value.items) {
        changeable(item, leaves);
    }
    for (core::Member& member : value.members) {
        changeable(member.value, leaves);
    }
}

void change(core::Value& leaf, core::Random& random) {
    if (leaf.kind == core::Value::Kind::kBoolean) {
        leaf.boolean = !leaf.boolean;
    } else if (leaf.kind == core::Value::Kind::kNumber) {
        leaf.number = random.below(2) == 0 ? leaf.number * (0.5 + random.uniform())
                                           : std::floor(4 * random.uniform());
    } else {
        const std::size_t at = random.index(leaf.numbers.size());
        double& number = leaf.numbers[at];
        const std::uint32_t how = random.below(4);
        number = how == 0   ? number * 2 * random.uniform()
                 : how == 1 ? std::floor(4 * random.uniform()) - 1
                            : number;
        if (how == 2) {
            leaf.numbers.erase(leaf.numbers.begin() + static_cast<std::ptrdiff_t>(at));
        } else if (how == 3) {
            std::swap(number, leaf.numbers[random.index(leaf.numbers.size())]);
        }
    }
}

// Whatever is done to a proof, what passes is no more than the optimum by enumeration.
TEST(MemberCertificate, AnythingThatPassesIsTrue) {
    int refused = 0;
    int passed = 0;
    int malformed = 0;
    for (int i = 0; i < 300; ++i) {
        const MadeCase one = made_case(86, i, 1);
        if (!one.made.proof.members) {
            continue;
        }
        core::Random random(86, static_cast<std::uint64_t>(i));
        for (int turn = 0; turn < 12; ++turn) {
            core::Value value = to_value(one.made.proof);
            std::vector<core::Value*> leaves;
            changeable(value, leaves);
            change(*leaves[random.index(leaves.size())], random);
            const double target =
                one.made.bound * (random.below(2) == 0 ? 1 - 1e-9 : 1 + 0.3 * random.uniform());
            core::Document document = core::parse_json(core::write_json(value), "p").value();
            core::Diagnostics problems;
            const BoundProof bad = read_proof(core::Cursor(document, problems),
                                              one.problem.shape,
                                              static_cast<int>(one.problem.devices()),
                                              kMostProofDepth);
            if (!problems.empty()) {
                ++malformed;
                continue;
            }
            const bool holds = check(one, bad, target).holds();
            ASSERT_TRUE(!holds || target <= one.best * (1 + 2e-9)) << i;
            ++(holds ? passed : refused);
        }
    }
    EXPECT_GT(refused, 500);
    EXPECT_GT(passed, 100);
    EXPECT_GT(malformed, 100);
}

/// Table 2 with noise of 10 % on every ordered pair of devices, each cost on its own.
Problem noisy_table2(std::uint64_t seed) {
    Problem problem = testing::shipped_problem("dtfm-table2-worldwide.json", 0.512, 0.65);
    core::Random random(seed);
    const auto noise = [&](std::size_t, std::size_t, double cost) {
        return cost * (0.9 + 0.2 * random.uniform());
    };
    for (PairMatrix* pairs : {&problem.costs.pipeline, &problem.costs.exchange}) {
        testing::change_pairs(*pairs, noise);
        const PairMatrix one_way = *pairs;
        testing::change_pairs(*pairs, [&](std::size_t i, std::size_t j, double cost) {
            return (cost + one_way(j, i)) / 2;
        });
    }
    return problem;
}

class NoisyCertificate : public ::testing::Test {
protected:
    static constexpr const char* kNoisyHash = "noise";
    void SetUp() override {
        problem_ = noisy_table2(1);
        SearchOptions options;
        options.budget = 4'000;
        const SearchResult found = make_search(SearchKind::kPortfolio)->run(problem_, options);
        const std::vector<int> hosts(64, 0);
        const Solved solved = solve_inner(problem_.costs, found.stages);
        plan_.placement = compose(problem_.costs, found.stages, solved.order, hosts);
        plan_.score = score_as_mapped(problem_.costs, plan_.placement);
        plan_.bound = certify(problem_, found.score, {}).bound;
        plan_.bound.incumbent = found.score;
        plan_.fabric_sha256 = kNoisyHash;
        file_ = read_certificate(
                    core::write_json(to_value(make_certificate(problem_, plan_, hosts, {}))), "f")
                    .value();
    }
    [[nodiscard]] std::string refusal() const {
        return check_certificate(file_, problem_, {}, kNoisyHash, {}).why;
    }
    Problem problem_;
    Plan plan_;
    CertificateFile file_;
};

TEST_F(NoisyCertificate, CarriesTheBoundOfThePlanAndRefusesForgery) {
    EXPECT_NE(plan_.bound.method.find("the members of 8 classes"), std::string::npos);
    const CertificateFile good = file_;
    ASSERT_EQ(refusal(), "");
    EXPECT_EQ(good.bound, plan_.bound.value);
    EXPECT_LT(plan_.score.total(), 1.08 * good.bound);
    ASSERT_EQ(good.proof.kind, ProofKind::kTree);
    ASSERT_TRUE(good.proof.members);
    ASSERT_GT(good.proof.levels.size(), 10U);
    const auto bad = [&](auto change_file, std::string_view words) {
        file_ = good;
        change_file(file_);
        EXPECT_NE(refusal().find(words), std::string::npos) << words << " not in: " << refusal();
    };
    bad([](CertificateFile& f) { f.bound *= 1 + 1e-6; }, "slice");
    bad([](CertificateFile& f) { f.proof.members = false; }, "are in no slice");
    bad([](CertificateFile& f) { f.proof.exact = true; }, "are of one exact class");
    bad([](CertificateFile& f) { f.proof.kind = ProofKind::kBreaks; }, "its proof gives");
    bad([](CertificateFile& f) { f.proof.levels.clear(); }, "slices end at");
    bad([](CertificateFile& f) { f.proof.levels[0] *= 0.99; }, "level 1 does not begin");
    bad([](CertificateFile& f) { f.proof.levels[3] *= 2; }, "does not begin");
    bad([](CertificateFile& f) { f.proof.levels.resize(8); }, "the slices end at");
    bad([](CertificateFile& f) { f.proof.log.slices.pop_back(); }, "the slices end at");
    bad([](CertificateFile& f) { f.proof.log.slices[3].floor += 1e-3; }, "are in no slice");
    bad([](CertificateFile& f) { f.proof.log.slices.clear(); }, "the slices end at");
    bad(
        [](CertificateFile& f) {
            std::swap(f.proof.class_of_device[0], f.proof.class_of_device[63]);
        },
        "is left out");
}

TEST_F(NoisyCertificate, EveryNodeThatIsLeftOutIsMissed) {
    const CertificateFile good = file_;
    int named = 0;
    int unneeded = 0;
    for (std::size_t slice = 0; slice < good.proof.log.slices.size(); ++slice) {
        const std::vector<SliceLog::Node>& nodes = good.proof.log.slices[slice].nodes;
        for (std::size_t i = 0; i < nodes.size(); i += 7) {
            std::size_t end = i + 1;
            while (end < nodes.size() && nodes[end].depth > nodes[i].depth) {
                ++end;
            }
            file_ = good;
            auto& left = file_.proof.log.slices[slice].nodes;
            left.erase(left.begin() + static_cast<std::ptrdiff_t>(i),
                       left.begin() + static_cast<std::ptrdiff_t>(end));
            const std::string why = refusal();
            EXPECT_TRUE(why.empty() || why.find("is left out") != std::string::npos) << why;
            ++(why.empty() ? unneeded : named);
        }
    }
    EXPECT_GT(named, 20);
    EXPECT_GT(named, 2 * unneeded);
}

}  // namespace
}  // namespace longhaul::placement
