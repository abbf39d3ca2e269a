#include "longhaul/placement/shape.hpp"

#include <gtest/gtest.h>

namespace longhaul::placement {
namespace {

TEST(PlacementShape, RankIsReplicaTimesPpPlusStage) {
    // Contract: rank = replica * pp + stage. Device 5 - r holds rank r.
    const Placement placement = Placement::from_rank_map({3, 2}, {5, 4, 3, 2, 1, 0}).value();
    EXPECT_EQ(placement.device(0, 0), 5);
    EXPECT_EQ(placement.device(0, 2), 3);
    EXPECT_EQ(placement.device(1, 0), 2);
    EXPECT_EQ(placement.stages(), (std::vector<std::vector<int>>{{5, 2}, {4, 1}, {3, 0}}));
    EXPECT_EQ(placement.pipelines(), (std::vector<std::vector<int>>{{5, 4, 3}, {2, 1, 0}}));
    EXPECT_EQ(placement.rank_map(), (std::vector<int>{5, 4, 3, 2, 1, 0}));
    EXPECT_EQ(Placement::from_stages(placement.stages()), placement);
}

TEST(PlacementShape, RankMapAndDeviceOfRankAreInverse) {
    const Placement placement({2, 2}, {2, 0, 3, 1});  // device of rank
    EXPECT_EQ(placement.rank_map(), (std::vector<int>{1, 3, 0, 2}));
    EXPECT_EQ(Placement::from_rank_map({2, 2}, placement.rank_map()).value(), placement);
}

TEST(PlacementShape, DevicesMayBeLeftOut) {
    const std::vector<int> ranks{1, -1, 3, 0, -1, 2};
    const Placement placement = Placement::from_rank_map({2, 2}, ranks).value();
    EXPECT_EQ(placement.rank_map(), ranks);
    EXPECT_EQ(placement.unused(), (std::vector<int>{1, 4}));
    EXPECT_EQ(placement.stages(), (std::vector<std::vector<int>>{{3, 5}, {0, 2}}));
}

TEST(PlacementShape, TensorGroupsAreContiguousRanks) {
    // rank = (replica * pp + stage) * tp + tensor
    const Placement placement({2, 1, 2}, {4, 5, 6, 7}, 8);
    EXPECT_EQ(placement.device(0, 1, 1), 7);
    EXPECT_EQ(placement.stages(), (std::vector<std::vector<int>>{{4, 5}, {6, 7}}));
    EXPECT_EQ(placement.pipelines(), (std::vector<std::vector<int>>{{4, 5, 6, 7}}));
}

TEST(PlacementShape, RefusesWhatIsNoPermutation) {
    const auto where = [](const std::vector<int>& ranks) {
        const auto placement = Placement::from_rank_map({2, 2}, ranks);
        std::vector<std::string> places;
        for (const core::Diagnostic& problem :
             placement ? core::Diagnostics{} : placement.error()) {
            places.push_back(problem.where + " " + problem.what);
        }
        return places;
    };
    using Places = std::vector<std::string>;
    EXPECT_EQ(where({0, 1, 2}), Places{"rank_map holds 3 ranks"});
    EXPECT_EQ(where({0, 1, 2, 3, 4}), Places{"rank_map[4] found rank 4"});
    EXPECT_EQ(where({0, 1, 2, -1, -1}), Places{"rank_map rank 3 is missing"});
    EXPECT_EQ(where({}), Places{"rank_map holds 0 ranks"});
    EXPECT_EQ(where({0, 1, 1, 3}), Places{"rank_map[2] rank 1 is taken by device 1 already"});
    EXPECT_EQ(where({4, -1, 2, 3}),
              (Places{"rank_map[0] found rank 4", "rank_map[1] found rank -1"}));
}

}  // namespace
}  // namespace longhaul::placement
