#include "longhaul/placement/structure.hpp"

#include <gtest/gtest.h>

namespace longhaul::placement {
namespace {

const std::vector<std::string> kNames{"a", "b", "c", "d"};

/// Two devices of each of four labels: device 2 k and 2 k + 1 have label k.
const std::vector<int> kLabels{0, 0, 1, 1, 2, 2, 3, 3};

std::string name_of(const Stages& stages, const std::vector<int>& labels = kLabels) {
    return structure_of(stages, labels, kNames).name;
}

// Each name follows from its definition in the header.
TEST(Structure, NamesTheKinds) {
    EXPECT_EQ(name_of({{0, 1}, {2, 3}, {4, 5}, {6, 7}}), "one region a stage");
    EXPECT_EQ(name_of({{0, 2, 4, 6}, {1, 3, 5, 7}}), "pipelines inside regions");
    EXPECT_EQ(name_of({{0, 2}, {1, 3}, {4, 6}, {5, 7}}), "pairs of regions, two stages each");
    EXPECT_EQ(name_of({{0, 1, 2, 3}, {4, 5, 6, 7}}), "pairs of regions, one stage each");
    EXPECT_EQ(name_of({{0, 1}, {2, 4}, {3, 5}, {6, 7}}), "mixed: 2x(2), 2x(1+1)");
    EXPECT_EQ(name_of({{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}}), "one region for two stages each");
    EXPECT_EQ(structure_of(Stages{{0, 1}, {2, 3}}, std::vector<int>{0, 0, 0, 0}, {"a"}).name,
              "all in one region");
    EXPECT_EQ(
        structure_of(Stages{{0, 1}, {2, 3}}, std::vector<int>{0, 0, 1, 1}, {"a", "b"}, "host").name,
        "one host a stage");
}

TEST(Structure, StagesInsideRegionsAreNotMixed) {
    // Four devices of a, two of b, two of c; two of a stage.
    const std::vector<int> uneven{0, 0, 0, 0, 1, 1, 2, 2};
    EXPECT_EQ(name_of({{0, 1}, {2, 3}, {4, 5}, {6, 7}}, uneven), "one region a stage");
    EXPECT_EQ(name_of({{0, 1}, {4, 5}, {2, 3}}, uneven), "one region a stage");
    EXPECT_EQ(name_of({{0, 1}, {2, 3}}, uneven), "all in one region");  // b and c are left out
    EXPECT_EQ(name_of({{0, 1}, {2, 4}, {3, 5}, {6, 7}}, uneven), "mixed: 2x(2), 2x(1+1)");
}

TEST(Structure, UnevenSharesOfAPairAreMixed) {
    EXPECT_EQ(name_of({{0, 1, 2}, {3, 4, 5}}, {0, 0, 1, 1, 2, 2}), "mixed: 2x(2+1)");
    EXPECT_EQ(name_of({{0, 1, 2}, {3, 4, 5}}, {0, 1, 2, 0, 1, 3}), "mixed: 2x(1 of each of 3)");
}

TEST(Structure, SignaturesFollowThePath) {
    const Structure found = structure_of(Stages{{4, 6}, {5, 7}, {0, 1}, {2, 3}}, kLabels, kNames);
    EXPECT_EQ(found.signature, "c 1 + d 1 (x2) | a 2 | b 2");
}

TEST(Structure, OrderOfStagesAndDevicesOfALabelMakeNoOther) {
    const Structure one = structure_of(Stages{{0, 2}, {1, 3}, {4, 5}, {6, 7}}, kLabels, kNames);
    const Structure two = structure_of(Stages{{6, 7}, {1, 2}, {5, 4}, {0, 3}}, kLabels, kNames);
    const Structure three = structure_of(Stages{{0, 4}, {1, 5}, {2, 3}, {6, 7}}, kLabels, kNames);
    EXPECT_EQ(one, two);
    EXPECT_FALSE(one == three);
}

TEST(Structure, DistinctLabelsKeepTheirOrder) {
    EXPECT_EQ(distinct_labels({"b", "a", "b", "c", "a"}),
              (std::vector<std::string>{"b", "a", "c"}));
}

}  // namespace
}  // namespace longhaul::placement
