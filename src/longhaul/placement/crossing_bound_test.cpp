#include "longhaul/placement/crossing_bound.hpp"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "longhaul/placement/check_proof.hpp"
#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/least_compute.hpp"
#include "longhaul/placement/prove.hpp"
#include "longhaul/placement/replay_crossing.hpp"
#include "longhaul/placement/search_terms.hpp"

namespace longhaul::placement {
namespace {

/// Least sum of a (dp - a) over all ways to hold `devices`, `low` to `high` a stage; -1: no way.
long long parted_by_hand(int stages, int dp, int devices, int low, int high) {
    if (stages == 0) {
        return devices == 0 ? 0 : -1;
    }
    long long least = -1;
    for (int a = low; a <= std::min(high, devices); ++a) {
        const long long rest = parted_by_hand(stages - 1, dp, devices - a, low, high);
        const long long all = rest + static_cast<long long>(a) * (dp - a);
        least = rest >= 0 && (least < 0 || all < least) ? all : least;
    }
    return least;
}

TEST(CrossingBound, FewestPartedPairsAreThoseOfAllWays) {
    for (int stages = 1; stages <= 4; ++stages) {
        for (int dp = 1; dp <= 5; ++dp) {
            for (int devices = 0; devices <= stages * dp; ++devices) {
                for (int low = 0; low <= dp; ++low) {
                    for (int high = low; high <= dp; ++high) {
                        ASSERT_EQ(fewest_parted_pairs(stages, dp, devices, low, high),
                                  parted_by_hand(stages, dp, devices, low, high))
                            << stages << " " << dp << " " << devices << " " << low << " " << high;
                    }
                }
            }
        }
    }
}

/// Two sites behind a cable or an uplink that often binds, in every form that a resource may have.
Problem sites(Shape shape, int i, core::Random& random) {
    const std::size_t n = shape.devices();
    fabric::FabricParts parts;
    core::Grid<double> alpha(n, n, 0.0);
    core::Grid<double> beta(n, n, 1.0);
    const std::size_t north = 1 + random.index(n - 1);
    const double far = 0.5 + 3 * random.uniform();
    for (std::size_t a = 0; a < n; ++a) {
        parts.labels.emplace_back(a < north ? "north" : "south");
        for (std::size_t b = 0; b < a; ++b) {
            const bool near = (a < north) == (b < north);
            const double noise = i % 2 == 0 ? 1 : 0.8 + 0.4 * random.uniform();
            alpha(a, b) = alpha(b, a) = near ? 0.2 : 30 * noise;
            beta(a, b) = beta(b, a) = (near ? 10 : far) * noise;
        }
    }
    parts.alpha_ms = std::move(alpha);
    parts.beta_gbps = std::move(beta);
    fabric::SharedCapacity cable{"cable", far * (0.3 + 2 * random.uniform()), {}, {"north"}};
    if (i % 3 == 0) {
        cable.of.clear();
        cable.between = {"south", "north"};
    }
    cable.duplex = i % 4 != 1;
    if (i % 4 == 2) {
        cable.back_gbps *= 0.5;
    } else if (i % 4 == 3) {
        cable.back_gbps = fabric::SharedCapacity::kNoLimit;
    }
    parts.shared = {cable};
    const fabric::Fabric fabric = fabric::Fabric::make(std::move(parts), "f").value();
    workload::Workload load = testing::payloads(random.uniform(), 2 * random.uniform());
    load.pp_messages = 1 + static_cast<int>(random.below(12));
    if (random.below(2) == 0) {
        load.c_pp_backward = core::Gigabytes(random.uniform());
        load.pp_backward_messages = 1 + static_cast<int>(random.below(5));
    }
    if (random.below(3) == 0) {
        load.stage_seconds = {random.uniform()};
    }
    Terms terms;
    terms.objective = Objective::kPipelined;
    return make_problem(fabric, "f", load, shape, terms).value();
}

/// The least score over all rank maps.
double least_of_all_maps(const Problem& problem) {
    std::vector<int> map(problem.devices());
    std::iota(map.begin(), map.end(), 0);
    double best = 1e300;
    do {
        const Placement placement = Placement::from_rank_map(problem.shape, map).value();
        best = std::min(best, score_as_mapped(problem, placement).total());
    } while (std::next_permutation(map.begin(), map.end()));
    return best;
}

TEST(CrossingBound, IsNoMoreThanTheLeastScoreOfAllRankMaps) {
    const std::vector<Shape> shapes{{2, 2}, {2, 3}, {3, 2}, {4, 1}, {1, 4}, {5, 1}, {6, 1}};
    int more = 0;
    int met = 0;
    int raises = 0;
    for (int i = 0; i < 140; ++i) {
        core::Random random(94, static_cast<std::uint64_t>(i));
        const Problem problem =
            sites(shapes[static_cast<std::size_t>(i) % shapes.size()], i, random);
        const double best = least_of_all_maps(problem);
        const CrossingBound bound = crossing_bound(problem);
        ASSERT_LE(bound.value, best * (1 + 1e-12)) << i;
        ASSERT_NEAR(bound.value, replay_crossing(problem, 1e9), 1e-9 * best) << i;
        if (problem.shape.pp == 1) {
            ASSERT_EQ(bound.resource, -1);
            continue;
        }
        ASSERT_EQ(bound.resource, 0);
        ProofOptions options;
        options.work = 1'000'000;
        const Certificate whole = prove(problem, best, options);
        ASSERT_LE(whole.bound.value, best * (1 + 1e-12)) << i;
        ASSERT_GE(whole.bound.value, std::min(best, bound.value) * (1 - 1e-12)) << i;
        more += whole.bound.method.find("what must cross \"cable\"") != std::string::npos ? 1 : 0;
        met += bound.value >= best * (1 - 1e-9) ? 1 : 0;
        BoundProof proof;
        proof.kind = ProofKind::kCrossing;
        ASSERT_TRUE(check_proof(problem, proof, bound.value * (1 - 1e-9), {}).holds()) << i;
        ASSERT_FALSE(check_proof(problem, proof, bound.value * (1 + 1e-6), {}).holds()) << i;
        ASSERT_EQ(replay_crossing(problem, 3), 0) << i;
        // With what is proved of the first message alone, by the proof and by the checker.
        const Bound message = certify(additive_part(without_exchange(problem)),
                                      std::max(0.0, best - bound.beside),
                                      options)
                                  .bound;
        const CrossingBound raised = crossing_bound(problem, message.value);
        ASSERT_GE(raised.value, bound.value) << i;
        ASSERT_LE(raised.value, best * (1 + 1e-9)) << i;
        ASSERT_NEAR(raised.value, replay_crossing(problem, 1e9, message.value), 1e-9 * best) << i;
        const double needs = crossing_needs(problem, 1e9, raised.value * (1 - 1e-9));
        ASSERT_LE(needs, message.value) << i;
        ASSERT_GE(replay_crossing(problem, 1e9, needs), raised.value * (1 - 2e-9)) << i;
        raises += raised.value > bound.value * (1 + 1e-6) ? 1 : 0;
    }
    EXPECT_GT(raises, 20);
    EXPECT_GT(more, 30);
    EXPECT_GT(met, 2);
}

TEST(CrossingBound, SaysNothingOfWhatItDoesNotKnow) {
    core::Random random(95);
    Problem problem = sites({2, 3}, 0, random);
    ASSERT_GT(crossing_bound(problem).value, 0);
    const auto nothing = [](const Problem& other) {
        return crossing_bound(other).value == 0 && replay_crossing(other, 1e9) == 0;
    };
    Problem additive = problem;
    additive.terms.objective = Objective::kAdditive;
    EXPECT_TRUE(nothing(additive));
    Problem ring = problem;
    ring.terms.exchange = Exchange::kRing;
    EXPECT_TRUE(nothing(ring));
    Problem spare = problem;
    spare.shape = {2, 2};
    EXPECT_TRUE(nothing(spare));
    Problem beside = problem;  // a device on neither side may carry everything around
    std::vector<int> side = problem.shared.sides().front();
    side.back() = 0;
    beside.shared = Contention({"cable"}, {1}, {side});
    EXPECT_TRUE(nothing(beside));
}

// By hand, 2 x 4 over two sites of 4 behind 4 Gbit/s, 16 messages of 0.5 / 16 GB each way. Two of
// each site in both stages: 2 x 4 pairs exchange 2 / 4 GB each, 8 s, and messages take 0.8 s a GB
// inside a site. Three and one: 2 x 3 pairs, 6 s, and two pairs of every micro-batch cross, 4 s a
// GB. Pure stages: a device has three peers of its site at 2 x (0.0002 + 8 x 0.25 / 10) s each, and
// four pairs cross, 8 s a GB. The first message takes 2 x (0.0002 + 8 x 0.5 / 16 / 10) s at least.
TEST(CrossingBound, TwoSitesBehindACable) {
    const fabric::Fabric fabric =
        fabric::read_fabric(testing::source_file("examples/terms/sites.json"), "f").value();
    workload::Workload load = testing::payloads(0.5, 1);
    load.pp_messages = 16;
    Terms terms;
    terms.objective = Objective::kPipelined;
    const Problem problem = make_problem(fabric, "f", load, {2, 4}, terms).value();
    const double first = 2 * (0.0002 + 0.025);
    const double a_second_a_gb = 2 * 15 * 0.5 / 16;
    const double even = 8 + first + a_second_a_gb * 0.8;
    const double three = 6 + first + a_second_a_gb * 4;
    const double pure = 3 * 2 * (0.0002 + 0.2) + first + a_second_a_gb * 8;
    EXPECT_NEAR(pure, 8.7516, 1e-12);
    EXPECT_NEAR(crossing_bound(problem).value, std::min({even, three, pure}), 1e-9);
}

}  // namespace
}  // namespace longhaul::placement
