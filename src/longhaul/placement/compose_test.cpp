#include "longhaul/placement/compose.hpp"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "longhaul/placement/brute_force.hpp"
#include "longhaul/placement/detail/test_support.hpp"

namespace longhaul::placement {
namespace {

std::vector<int> random_hosts(std::size_t n, std::uint32_t hosts, core::Random& random) {
    std::vector<int> host_of(n);
    for (int& host : host_of) {
        host = static_cast<int>(random.below(hosts));
    }
    return host_of;
}

/// Hosts whose ranks follow each other without a gap.
int contiguous_hosts(const Placement& placement, const std::vector<int>& host_of) {
    std::vector<int> host_of_rank(host_of.size());
    const std::vector<int> ranks = placement.rank_map();
    for (std::size_t device = 0; device < ranks.size(); ++device) {
        host_of_rank[static_cast<std::size_t>(ranks[device])] = host_of[device];
    }
    std::map<int, int> stretches;
    for (std::size_t rank = 0; rank < host_of_rank.size(); ++rank) {
        if (rank == 0 || host_of_rank[rank] != host_of_rank[rank - 1]) {
            ++stretches[host_of_rank[rank]];
        }
    }
    return static_cast<int>(
        std::ranges::count_if(stretches, [](const auto& entry) { return entry.second == 1; }));
}

Placement with_replicas(const Placement& placement, const std::vector<int>& order) {
    const auto rows = placement.pipelines();
    std::vector<int> device_of_rank;
    for (const int replica : order) {
        const std::vector<int>& row = rows[static_cast<std::size_t>(replica)];
        device_of_rank.insert(device_of_rank.end(), row.begin(), row.end());
    }
    return {placement.shape(), device_of_rank};
}

TEST(Compose, KeepsTheScoreOfTheInnerProblems) {
    for (int i = 0; i < 400; ++i) {
        testing::Instance instance(6, i);
        const Problem problem = random_problem(
            testing::small_shape(i), instance.levels, instance.equal_rows, instance.random);
        const std::size_t n = problem.shape.devices();
        const Stages stages =
            Placement(problem.shape, testing::shuffled(n, instance.random)).stages();
        const Solved solved = solve_inner(problem.costs, stages);
        const Placement placement =
            compose(problem.costs, stages, solved.order, random_hosts(n, 3, instance.random));
        const Score mapped = score_as_mapped(problem.costs, placement);
        ASSERT_EQ(mapped.data_parallel, solved.score.data_parallel) << i;
        ASSERT_NEAR(mapped.pipeline, solved.score.pipeline, 1e-12) << i;
    }
}

/// Most same-host pairs over all matchings within the bottleneck value.
int most_same_host_pairs(const Costs& costs,
                         const std::vector<int>& stage,
                         std::vector<int> next,
                         double bottleneck,
                         const std::vector<int>& host_of) {
    std::ranges::sort(next);
    int most = -1;
    do {
        int same = 0;
        bool allowed = true;
        for (std::size_t r = 0; r < stage.size(); ++r) {
            const auto a = static_cast<std::size_t>(stage[r]);
            const auto b = static_cast<std::size_t>(next[r]);
            allowed = allowed && costs.pipeline(a, b) <= bottleneck;
            same += host_of[a] == host_of[b] ? 1 : 0;
        }
        most = allowed ? std::max(most, same) : most;
    } while (std::ranges::next_permutation(next).found);
    return most;
}

TEST(Compose, JoinsAsManySameHostPairsAsTheScoreAllows) {
    for (int i = 0; i < 300; ++i) {
        testing::Instance instance(7, i);
        const Shape shape{2, 2 + i % 4};
        const Problem problem =
            random_problem(shape, instance.levels, instance.equal_rows, instance.random);
        const std::size_t n = shape.devices();
        const std::vector<int> host_of = random_hosts(n, 3, instance.random);
        const Stages stages = Placement(shape, testing::shuffled(n, instance.random)).stages();
        const Solved solved = solve_inner(problem.costs, stages);
        const Placement placement = compose(problem.costs, stages, solved.order, host_of);
        int same = 0;
        for (const std::vector<int>& row : placement.pipelines()) {
            same += host_of[static_cast<std::size_t>(row[0])] ==
                            host_of[static_cast<std::size_t>(row[1])]
                        ? 1
                        : 0;
        }
        ASSERT_EQ(same,
                  most_same_host_pairs(problem.costs,
                                       stages[static_cast<std::size_t>(solved.order[0])],
                                       stages[static_cast<std::size_t>(solved.order[1])],
                                       solved.score.pipeline,
                                       host_of))
            << i;
    }
}

TEST(OrderReplicas, KeepsTheScoreAndReachesTheMostContiguousHosts) {
    // Brute force over all orders of the replicas. Hosts are stretches of a hidden rank order that
    // is then cut up and shuffled by replica, or random, so that both kinds occur: all hosts can be
    // contiguous, or only some.
    int all_contiguous = 0;
    for (int i = 0; i < 600; ++i) {
        testing::Instance instance(8, i);
        const Shape shape{1 + static_cast<int>(instance.random.below(3)),
                          2 + static_cast<int>(instance.random.below(4))};
        const std::size_t n = shape.devices();
        std::vector<int> host_of(n);
        int host = 0;
        for (std::size_t k = 0; k < n; ++k) {
            host += instance.random.below(3) == 0 ? 1 : 0;
            host_of[k] = i % 4 == 3 ? static_cast<int>(instance.random.below(3)) : host;
        }
        const Placement placement =
            with_replicas(Placement(shape, testing::counted(n)),
                          testing::shuffled(static_cast<std::size_t>(shape.dp), instance.random));
        // Devices renamed, so that their order says nothing.
        const std::vector<int> name = testing::shuffled(n, instance.random);
        std::vector<int> hosts(n);
        std::vector<int> device_of_rank(n);
        for (std::size_t k = 0; k < n; ++k) {
            hosts[static_cast<std::size_t>(name[k])] = host_of[k];
        }
        for (std::size_t device = 0; device < n; ++device) {
            device_of_rank[static_cast<std::size_t>(placement.rank_map()[device])] = name[device];
        }
        const Placement renamed(shape, device_of_rank);
        const Placement ordered = order_replicas(renamed, hosts);
        auto before = renamed.pipelines();
        auto after = ordered.pipelines();
        std::ranges::sort(before);
        std::ranges::sort(after);
        ASSERT_EQ(before, after);
        std::vector<int> order = testing::counted(static_cast<std::size_t>(shape.dp));
        int most = 0;
        do {
            most = std::max(most, contiguous_hosts(with_replicas(renamed, order), hosts));
        } while (std::ranges::next_permutation(order).found);
        ASSERT_EQ(contiguous_hosts(ordered, hosts), most) << i;
        all_contiguous += most == static_cast<int>(std::set(hosts.begin(), hosts.end()).size());
    }
    EXPECT_GT(all_contiguous, 100);
}

TEST(OrderReplicas, WithoutSharedHostsTheLowestDeviceComesFirst) {
    const Placement placement({2, 3}, {4, 5, 0, 1, 2, 3});
    EXPECT_EQ(order_replicas(placement, testing::counted(6)),
              Placement({2, 3}, {0, 1, 2, 3, 4, 5}));
}

}  // namespace
}  // namespace longhaul::placement
