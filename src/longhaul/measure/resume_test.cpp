#include "longhaul/measure/resume.hpp"

#include <gtest/gtest.h>

#include "longhaul/measure/schedule.hpp"
#include "longhaul/measure/slot_run.hpp"

namespace longhaul::measure {
namespace {

Campaign three_hosts() {
    std::vector<CampaignHost> hosts(3);
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        hosts[i].id = hosts[i].address = std::string(1, static_cast<char>('a' + i));
        hosts[i].port = 7711;
    }
    ScheduleOptions options;
    options.patterns = {Pattern::kPeer};
    options.blocks = 1;
    return make_campaign(hosts, {}, options);
}

/// What a run leaves of one task.
std::string lines_of(const Campaign& campaign,
                     std::size_t task,
                     int attempt,
                     bool complete,
                     const std::string& t = "2026-01-02T00:00:00.000Z") {
    TaskOutcome outcome{&campaign.tasks[task], attempt, complete, {}, {}};
    Sample sample;
    sample.task = campaign.tasks[task].id;
    sample.attempt = attempt;
    sample.from = "a";
    sample.to = "b";
    sample.bytes = 1;
    sample.elapsed_s = 1;
    sample.t = t;
    outcome.samples = {sample};
    return records_of(campaign, outcome);
}

Raw raw_of(const std::string& lines) {
    RunRecord run;
    run.run = "r";
    return read_raw(to_line(run) + lines, "raw").value();
}

TEST(Resume, OnlyCompleteTasksOfTheSameExperimentAreFinished) {
    const Campaign campaign = three_hosts();
    const Raw raw = raw_of(lines_of(campaign, 0, 1, true) + lines_of(campaign, 1, 1, false) +
                           lines_of(campaign, 2, 1, false) + lines_of(campaign, 2, 2, true));
    EXPECT_EQ(finished_tasks(campaign, raw, ""),
              (std::set<std::string>{campaign.tasks[0].id, campaign.tasks[2].id}));
    Campaign longer = campaign;
    longer.rules.largest_bytes = 1 << 20;
    EXPECT_TRUE(finished_tasks(longer, raw, "").empty()) << "other sizes";
    Campaign moved = campaign;
    moved.hosts[0].port = 7712;
    for (const std::string& id : finished_tasks(moved, raw, "")) {
        EXPECT_EQ(id.find("a>"), std::string::npos) << "a is another host now";
        EXPECT_EQ(id.find(">a"), std::string::npos) << "a is another host now";
    }
    Campaign audited = campaign;
    audited.hosts[0].groups = {"hidden:1"};
    EXPECT_EQ(finished_tasks(audited, raw, "").size(), 2U) << "what an audit found is no change";
    audited.hosts[0].groups = {"up"};
    EXPECT_NE(finished_tasks(audited, raw, "").size(), 2U);
}

TEST(Resume, OldSamplesDoNotCount) {
    const Campaign campaign = three_hosts();
    const Raw raw = raw_of(lines_of(campaign, 0, 1, true, "2026-01-01T00:00:00.000Z") +
                           lines_of(campaign, 1, 1, true, "2026-01-03T00:00:00.000Z"));
    EXPECT_EQ(finished_tasks(campaign, raw, "2026-01-02T00:00:00.000Z"),
              (std::set<std::string>{campaign.tasks[1].id}));
}

TEST(Resume, AttemptsGoOnBehindTheLast) {
    const Campaign campaign = three_hosts();
    const auto next =
        next_attempts(raw_of(lines_of(campaign, 0, 1, false) + lines_of(campaign, 0, 2, true)));
    EXPECT_EQ(next.at(campaign.tasks[0].id), 3);
    EXPECT_FALSE(next.contains(campaign.tasks[1].id));
}

TEST(Records, SamplesOfAnIncompleteAttemptAreNotOk) {
    const Campaign campaign = three_hosts();
    EXPECT_TRUE(raw_of(lines_of(campaign, 0, 1, true)).samples[0].ok);
    EXPECT_FALSE(raw_of(lines_of(campaign, 0, 1, false)).samples[0].ok);
}

}  // namespace
}  // namespace longhaul::measure
