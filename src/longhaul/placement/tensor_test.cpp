#include "longhaul/placement/tensor.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/solve.hpp"

namespace longhaul::placement {
namespace {

TEST(MakeTensorGroups, StayInsideAHost) {
    const TensorGroups groups = make_tensor_groups(std::vector<int>{0, 0, 1, 0, 1, 1, 0, 2}, 2);
    EXPECT_EQ(groups.members, (std::vector<std::vector<int>>{{0, 1}, {2, 4}, {3, 6}}));
    EXPECT_EQ(groups.alone, (std::vector<int>{5, 7}));
}

/// A random fabric of hosts with a few devices each; every link of its own.
fabric::Fabric hosts_fabric(std::size_t hosts, std::size_t each, core::Random& random) {
    fabric::FabricParts parts;
    const std::size_t n = hosts * each;
    core::Grid<double> alpha(n, n, 0.0);
    core::Grid<double> beta(n, n, 1.0);
    for (std::size_t i = 0; i < n; ++i) {
        parts.labels.push_back("h" + std::to_string(i / each));
        fabric::Device device;
        device.host = parts.labels.back();
        parts.devices.push_back(device);
        for (std::size_t j = 0; j < n; ++j) {
            alpha(i, j) = 50 * random.uniform();
            beta(i, j) = 0.5 + random.uniform();
        }
    }
    parts.alpha_ms = alpha;
    parts.beta_gbps = beta;
    return fabric::Fabric::make(std::move(parts), "hosts").value();
}

/// The score straight from its definition: tensor rank t of every cell talks to tensor rank t of
/// its peers, and the slowest latency and the slowest bandwidth of the tp pairs count.
double score_by_hand(const Problem& problem, const Placement& placement) {
    const Shape shape = placement.shape();
    const auto transfer = [&](int r, int s, int r2, int s2, double gb, double messages) {
        double latency = 0;
        double slowness = 0;
        for (int t = 0; t < shape.tp; ++t) {
            const int a = placement.device(r, s, t);
            const int b = placement.device(r2, s2, t);
            latency = std::max(latency, problem.links.latency_s(a, b));
            slowness = std::max(slowness, problem.links.slowness(a, b));
        }
        return messages * latency + gb * slowness;
    };
    const double shard = problem.workload.c_dp.value() / shape.tp / shape.dp;
    double exchange = 0;
    double pipeline = 0;
    for (int s = 0; s < shape.pp; ++s) {
        double edge = 0;
        for (int r = 0; r < shape.dp; ++r) {
            double sum = 0;
            for (int peer = 0; peer < shape.dp; ++peer) {
                sum += peer == r ? 0 : 2 * transfer(r, s, peer, s, shard, 1);
            }
            exchange = std::max(exchange, sum);
            if (s + 1 < shape.pp) {
                edge =
                    std::max(edge, 2 * transfer(r, s, r, s + 1, problem.workload.c_pp.value(), 1));
            }
        }
        pipeline += edge;
    }
    return exchange + pipeline;
}

TEST(Tensor, PlanKeepsGroupsOnHostsAndRealisesItsScore) {
    for (int i = 0; i < 12; ++i) {
        core::Random random(91, i);
        const fabric::Fabric fabric = hosts_fabric(4, 4, random);
        const Shape shape{2, i % 2 == 0 ? 4 : 3, 2};
        const Problem problem =
            make_problem(fabric, "hosts", testing::payloads(0.3, 0.8), shape).value();
        SolveOptions options;
        options.search.budget = 8'000;
        options.baseline_samples = 0;
        const Plan plan = solve(problem, fabric, options).value();
        EXPECT_NEAR(plan.score.total(), score_by_hand(problem, plan.placement), 1e-9);
        EXPECT_NEAR(score_as_mapped(problem, plan.placement).total(), plan.score.total(), 1e-12);
        EXPECT_LE(plan.bound.value, plan.score.total());
        const std::vector<int> host = fabric.host_of_device();
        for (int r = 0; r < shape.dp; ++r) {
            for (int s = 0; s < shape.pp; ++s) {
                EXPECT_EQ(host[plan.placement.device(r, s, 0)],
                          host[plan.placement.device(r, s, 1)]);
            }
        }
        EXPECT_EQ(plan.placement.unused().size(), 16 - shape.devices());
        EXPECT_EQ(plan.left_out.size(), 16 - shape.devices());
    }
}

TEST(Tensor, TooFewGroupsSayWhatToDo) {
    core::Random random(92);
    const fabric::Fabric fabric = hosts_fabric(4, 3, random);
    const Problem problem =
        make_problem(fabric, "hosts", testing::payloads(0.3, 0.8), {3, 2, 2}).value();
    const auto plan = solve(problem, fabric, {});
    ASSERT_FALSE(plan);
    EXPECT_NE(core::to_string(plan.error().front()).find("the hosts hold 4 groups of 2 devices"),
              std::string::npos);
}

}  // namespace
}  // namespace longhaul::placement
