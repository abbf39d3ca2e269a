#include "longhaul/placement/costs.hpp"

#include <gtest/gtest.h>

#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/evaluate.hpp"

namespace longhaul::placement {
namespace {

fabric::Fabric slow_way_back() {
    return fabric::read_fabric(R"({"labels": ["a", "b"], "alpha_ms": [[0, 10], [30, 0]],
                                   "beta_gbps": [[0, 1], [3, 0]]})",
                               "f")
        .value();
}

TEST(MakeCosts, EqualDirectionsDoubleTheForwardTime) {
    // By hand: alpha 20 ms, 1/beta (1 + 1/3) / 2 = 2/3. Pipeline 2 (3 * 0.020 + 8 * 0.25 * 2/3);
    // exchange 2 (5 * 0.020 + 8 * (0.6 / 2) * 2/3).
    workload::Workload workload = testing::payloads(0.25, 0.6);
    workload.pp_messages = 3;
    workload.dp_messages = 5;
    const Costs costs = make_costs(fabric::make_links(slow_way_back()), workload, {1, 2});
    EXPECT_NEAR(costs.pipeline(0, 1), 2 * (0.060 + 8 * 0.25 * 2 / 3), 1e-12);
    EXPECT_NEAR(costs.exchange(0, 1), 2 * (0.100 + 8 * 0.3 * 2 / 3), 1e-12);
    EXPECT_EQ(costs.pipeline(1, 0), costs.pipeline(0, 1));
    EXPECT_EQ(costs.pipeline(0, 0), 0);
    EXPECT_EQ(costs.exchange(1, 1), 0);
}

TEST(MakeCosts, UnequalBackwardPayloadIsAddedNotDoubled) {
    // By hand: forward 1 * 0.020 + 8 * 0.25 * 2/3, backward 7 * 0.020 + 8 * 0.5 * 2/3.
    workload::Workload workload = testing::payloads(0.25, 0.6);
    workload.c_pp_backward = core::Gigabytes(0.5);
    workload.pp_backward_messages = 7;
    const double forward = 0.020 + 8 * 0.25 * 2 / 3;
    EXPECT_NEAR(make_costs(fabric::make_links(slow_way_back()), workload, {1, 2}).pipeline(0, 1),
                forward + 0.140 + 8 * 0.5 * 2 / 3,
                1e-12);
    workload.c_pp_backward.reset();  // only the number of messages differs
    EXPECT_NEAR(make_costs(fabric::make_links(slow_way_back()), workload, {1, 2}).pipeline(0, 1),
                2 * forward + 6 * 0.020,
                1e-12);
}

TEST(MakeProblem, RefusesAWrongNumberOfDevices) {
    const auto problem = make_problem(slow_way_back(), "f.json", testing::payloads(1, 1), {2, 2});
    ASSERT_FALSE(problem);
    EXPECT_EQ(core::to_string(problem.error().front()),
              "f.json: has 2 devices; pp 2 x dp 2 needs 4; choose a smaller pp or dp");
}

TEST(MakeProblem, AnyNumberOfStages) {
    const auto fabric = fabric::read_fabric(R"({"regions": ["x"], "gpus_per_region": 40,
                                "intra_region": {"delay_ms": 1000, "bandwidth_gbps": 8}})",
                                            "f");
    const auto problem = make_problem(*fabric, "f", testing::payloads(1, 1), {40, 1});
    ASSERT_TRUE(problem);
    // 39 edges, 1 s of latency and 1 s on the wire each way.
    const Stages stages = Placement({40, 1}, testing::counted(40)).stages();
    EXPECT_NEAR(solve_inner(*problem, stages).score.total(), 39 * 4, 1e-9);
}

}  // namespace
}  // namespace longhaul::placement
