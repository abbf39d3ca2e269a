#include "longhaul/placement/hosts_together.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "longhaul/placement/detail/every_term.hpp"
#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/solve.hpp"

namespace longhaul::placement {
namespace {

/// Two regions of eight devices, four on a host, and two devices to spare where asked for.
fabric::Fabric two_regions(int south) {
    return fabric::read_fabric(R"(format = "longhaul.regions/1"
provenance = "made for this test"
regions = ["north", "south"]
gpus_per_region = [8, )" + std::to_string(south) +
                                   R"(]
gpus_per_host = [4, 2]
intra_region = { delay_ms = 0.1, bandwidth_gbps = 100 }
pairs = [{ a = "north", b = "south", delay_ms = 40, bandwidth_gbps = 2 }]
)",
                               "f.toml")
        .value();
}

TEST(HostsTogether, CountsHostsWhoseRanksAreNotOneRun) {
    // Replica 0 has devices 0 and 2, replica 1 has 1 and 3; 0 and 1 are on one host. Pipeline by
    // pipeline the ranks of devices 0 to 3 are 0, 2, 1, 3, stage by stage 0, 1, 2, 3.
    const Placement placement({2, 2}, {0, 2, 1, 3});
    const std::vector<int> host_of{0, 0, 1, 1};
    EXPECT_EQ(split_hosts(placement, host_of, RankOrder::kByPipeline), 2);
    EXPECT_EQ(split_hosts(placement, host_of, RankOrder::kByStage), 0);
}

TEST(HostsTogether, EqualDevicesChangePlaces) {
    // Stages 0 and 1 in the north, each with two devices of both hosts: split in either order.
    const fabric::Fabric fabric = two_regions(10);
    const Problem problem = make_problem(fabric, "f", testing::payloads(0.5, 1), {4, 4}).value();
    const Placement mixed = Placement::from_stages(
        {{0, 2, 4, 6}, {1, 3, 5, 7}, {8, 10, 12, 14}, {9, 11, 13, 17}}, problem.devices());
    const Placement placement = hosts_together(problem, mixed, fabric.host_of_device());
    EXPECT_EQ(placement.stages(),
              (Stages{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}}));
    EXPECT_EQ(placement.unused(), (std::vector<int>{16, 17}));
    EXPECT_EQ(score_as_mapped(problem, placement).total(), score_as_mapped(problem, mixed).total());
    // Plans come out so.
    SolveOptions options;
    options.search.budget = 5'000;
    options.baseline_samples = 0;
    const Plan plan = solve(problem, fabric, options).value();
    EXPECT_EQ(
        std::min(split_hosts(plan.placement, fabric.host_of_device(), RankOrder::kByStage),
                 split_hosts(plan.placement, fabric.host_of_device(), RankOrder::kByPipeline)),
        0);
}

TEST(HostsTogether, NeverChangesTheScore) {
    core::Random random(7, 941);
    int mended = 0;
    testing::for_all_terms(
        942, [&](const Problem& problem, const fabric::Fabric&, const auto& what) {
            std::vector<int> devices = testing::shuffled(problem.devices(), random);
            devices.resize(problem.shape.devices());
            const Placement before(problem.shape, devices, problem.devices());
            std::vector<int> host_of;
            for (std::size_t device = 0; device < problem.devices(); ++device) {
                host_of.push_back(static_cast<int>(device / 2));
            }
            const Placement after = hosts_together(problem, before, host_of);
            const auto split = [&](const Placement& placement) {
                return std::min(split_hosts(placement, host_of, RankOrder::kByPipeline),
                                split_hosts(placement, host_of, RankOrder::kByStage));
            };
            ASSERT_LE(split(after), split(before)) << what;
            mended += split(after) < split(before) ? 1 : 0;
            const double score = score_as_mapped(problem, before).total();
            ASSERT_NEAR(score_as_mapped(problem, after).total(), score, 1e-12 * score) << what;
            std::vector<int> used = after.device_of_rank();
            std::ranges::sort(used);
            ASSERT_EQ(std::ranges::adjacent_find(used), used.end()) << what;
        });
    EXPECT_GT(static_cast<std::size_t>(mended) * testing::kEveryNth, 10U);
}

}  // namespace
}  // namespace longhaul::placement
