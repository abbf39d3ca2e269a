#include "longhaul/measure/pace.hpp"

#include <gtest/gtest.h>

namespace longhaul::measure {
namespace {

CampaignTask planned(const std::string& id, Pattern pattern, double seconds, int slot) {
    CampaignTask task;
    task.id = id;
    task.pattern = pattern;
    task.seconds = seconds;
    task.slot = slot;
    return task;
}

TEST(Pace, ThePlanCountsUntilSomethingIsKnown) {
    EXPECT_EQ(Pace().expected(planned("a", Pattern::kPeer, 3, 0)), 3);
    EXPECT_EQ(Pace().left({}, 0), 0);
}

// Pings as planned, pairs of 2 and 4 s took 10 and 20: the others take five times the plan's.
TEST(Pace, LearnsFromTasksOfThePattern) {
    Pace pace;
    pace.took(planned("p", Pattern::kPing, 2, 0), 2);
    pace.took(planned("a", Pattern::kPeer, 2, 1), 10);
    pace.took(planned("b", Pattern::kPeer, 4, 2), 20);
    EXPECT_DOUBLE_EQ(pace.expected(planned("q", Pattern::kPing, 3, 0)), 3);
    EXPECT_DOUBLE_EQ(pace.expected(planned("c", Pattern::kPeer, 3, 0)), 15);
    EXPECT_DOUBLE_EQ(pace.expected(planned("d", Pattern::kFanIn, 3, 0)), 3 * 32.0 / 8);
}

TEST(Pace, ATaskThatRunsAgainTakesWhatItTook) {
    Pace pace;
    const CampaignTask task = planned("a", Pattern::kPeer, 2, 0);
    pace.took(task, 10);
    pace.took(task, 14);
    EXPECT_EQ(pace.expected(task), 14);
}

// Slots of 3 and 5 s (the longest of each); from the second task on the first counts 1 s.
TEST(Pace, SlotsAreAsLongAsTheirLongestTask) {
    const CampaignTask a = planned("a", Pattern::kPeer, 3, 0);
    const CampaignTask b = planned("b", Pattern::kPeer, 1, 0);
    const CampaignTask c = planned("c", Pattern::kPeer, 5, 1);
    EXPECT_EQ(Pace().left({&a, &b, &c}, 0), 8);
    EXPECT_EQ(Pace().left({&a, &b, &c}, 1), 6);
}

}  // namespace
}  // namespace longhaul::measure
