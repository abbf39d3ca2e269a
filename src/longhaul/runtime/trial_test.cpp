#include "longhaul/runtime/trial.hpp"

#include <gtest/gtest.h>

#include "longhaul/runtime/detail/test_network.hpp"

namespace longhaul::runtime {
namespace {

using testing::made;
using testing::ring_of_islands;
using testing::timed_of;

Session session_of_pairs() {
    const schedule::Islands islands = ring_of_islands();
    SessionOptions options;
    options.payload_mb = 0.005;
    options.repetitions = 3;
    options.clock_error_ms = 100;
    return made(islands, timed_of(islands, "pairs", 0), options);
}

/// What an island says at the end of a round: the sums of `mask` in the first blocks, and of the
/// whole clique in the last one.
core::Value report_of_island(const Session& session,
                             std::uint32_t round,
                             int island,
                             schedule::Clique mask,
                             double elapsed_ms) {
    const schedule::Clique all = session.exchange(round, island).members;
    std::vector<Stretch> stretches{{session.blocks - 1, mask}, {1, all}};
    if (mask == all) {
        stretches = {{session.blocks, all}};
    }
    core::Value array = core::Value::array();
    for (const Stretch& stretch : stretches) {
        core::Value members = core::Value::array();
        for (const int member : schedule::members_of(stretch.mask)) {
            members.append(member);
        }
        array.append(core::Value::object()
                         .set("blocks", static_cast<double>(stretch.blocks))
                         .set("islands", std::move(members)));
    }
    core::Value message = core::Value::object();
    message.set("round", static_cast<double>(round))
        .set("stretches", std::move(array))
        .set("digest", digest_of(expected_sums(session.options.seed, round, stretches, 320)));
    if (mask == all) {
        message.set("elapsed_ms", elapsed_ms);
    }
    return message;
}

core::Value from(std::size_t host, core::Value message) {
    return core::Value::object()
        .set("host", static_cast<double>(host))
        .set("message", std::move(message));
}

/// All islands report all rounds; island i of round k takes 400 + 10 k + i ms.
std::vector<core::Value> good_messages(const Session& session) {
    std::vector<core::Value> messages;
    for (std::uint32_t round = 0; round < session.rounds.size(); ++round) {
        for (int island = 0; island < 4; ++island) {
            messages.push_back(from(static_cast<std::size_t>(island),
                                    report_of_island(session,
                                                     round,
                                                     island,
                                                     session.exchange(round, island).members,
                                                     400.0 + 10 * round + island)));
        }
    }
    return messages;
}

core::Value log_of(const std::vector<core::Value>& messages) {
    core::Value array = core::Value::array();
    for (const core::Value& message : messages) {
        array.append(message);
    }
    return core::Value::object()
        .set("problem", "")
        .set("lost", core::Value::array())
        .set("messages", std::move(array));
}

// Rounds 0, 2 and 4 are the first of the schedule, and take 403, 423 and 443 ms; 410 are expected.
TEST(Trial, TakesMediansOfTheSlowestIslands) {
    const Session session = session_of_pairs();
    const Trial trial = judge(session, log_of(good_messages(session)));
    ASSERT_EQ(trial.phases.size(), 2);
    EXPECT_EQ(trial.phases[0].measured_ms, (std::vector<double>{403, 423, 443}));
    EXPECT_EQ(trial.phases[0].median_ms, 423);
    EXPECT_NEAR(trial.phases[0].difference(), 13.0 / 410, 1e-12);
    EXPECT_EQ(trial.phases[1].median_ms, 433);  // 420 are expected
    EXPECT_EQ(trial.reports(), 24);
    EXPECT_EQ(trial.wrong_sums(), 0);
    EXPECT_EQ(trial.incomplete(), 0);
    EXPECT_TRUE(trial.on_time(0.032));
    EXPECT_FALSE(trial.on_time(0.031));
}

TEST(Trial, SeesSumsThatAreWrongOrOfOthers) {
    const Session session = session_of_pairs();
    std::vector<core::Value> messages = good_messages(session);
    core::Value wrong = report_of_island(session, 0, 1, 0b0011, 401);
    wrong.set("digest", std::string(64, '0'));
    messages[1] = from(1, wrong);
    messages[2] = from(2, report_of_island(session, 0, 2, 0b0111, 402));  // 0 and 1 are strangers
    const Trial trial = judge(session, log_of(messages));
    EXPECT_EQ(trial.wrong_sums(), 2);
    EXPECT_TRUE(trial.rounds[0].islands[0].exact);
    EXPECT_FALSE(trial.rounds[0].islands[1].exact);
    EXPECT_FALSE(trial.rounds[0].islands[2].exact);
}

// What is missing is right as long as the island says so; the round then has no time.
TEST(Trial, KnowsWhoWentOnWithoutWhom) {
    const Session session = session_of_pairs();
    std::vector<core::Value> messages = good_messages(session);
    messages[1] = from(1, report_of_island(session, 0, 1, 0b0010, 0));
    const Trial trial = judge(session, log_of(messages));
    EXPECT_EQ(trial.wrong_sums(), 0);
    EXPECT_EQ(trial.incomplete(), 1);
    EXPECT_FALSE(trial.rounds[0].measured_ms);
    EXPECT_EQ(trial.phases[0].measured_ms, (std::vector<double>{423, 443}));
    EXPECT_EQ(trial.phases[0].median_ms, 433);
    const std::string text = trial_text(session, trial, 0.05);
    EXPECT_NE(
        text.find(
            "missing   round 1 in run 1 of 3 of the schedule: 3 of 4 sums of b are without a\n"),
        std::string::npos)
        << text;
    EXPECT_NE(
        text.find("check     failed: 1 of 24 sums are without blocks of some islands, after 6 "
                  "requests or 1000 ms"),
        std::string::npos)
        << text;
    const core::Value value = trial_value(session, trial, 0.05);
    EXPECT_EQ(value.find("incomplete")->number, 1);
    EXPECT_FALSE(value.find("passed")->boolean);
}

// What is missing of an island that was to be killed is right; of another it is not.
TEST(Trial, OnlyAKilledIslandMayBeMissing) {
    Session session = session_of_pairs();
    session.options.kill = Kill{0, 0};
    std::vector<core::Value> messages = good_messages(session);
    messages[1] = from(1, report_of_island(session, 0, 1, 0b0010, 0));
    core::Value log = log_of(messages);
    core::Value lost = core::Value::array();
    lost.append(0);
    log.set("lost", std::move(lost));
    Trial trial = judge(session, log);
    EXPECT_EQ(trial.lost, (std::vector<int>{0}));
    EXPECT_EQ(trial.unexplained(session), 0);
    EXPECT_TRUE(verdict_of(session, trial, 0.05).passed);
    session.options.kill = Kill{3, 0};
    EXPECT_EQ(trial.unexplained(session), 1);
    const Verdict verdict = verdict_of(session, trial, 0.05);
    EXPECT_FALSE(verdict.passed);
    ASSERT_EQ(verdict.lines.size(), 2);
    EXPECT_EQ(verdict.lines[0],
              "failed: the process of a ended before the trial did; all should run to the end");
}

TEST(Trial, NamesAggregatorsThatEnded) {
    const Session session = session_of_pairs();
    core::Value log = log_of(good_messages(session));
    core::Value lost = core::Value::array();
    lost.append(6);  // hosts 4 to 7 are aggregators
    log.set("lost", std::move(lost));
    const Trial trial = judge(session, log);
    EXPECT_EQ(trial.lost_aggregators, (std::vector<int>{2}));
    EXPECT_TRUE(trial.lost.empty());
    EXPECT_FALSE(verdict_of(session, trial, 0.05).passed);
}

TEST(Trial, ReportsClocksAndCounts) {
    const Session session = session_of_pairs();
    std::vector<core::Value> messages = good_messages(session);
    const double truth = session.clock_error_ms[0] - session.clock_error_ms[2];
    messages.push_back(from(2,
                            core::Value::object().set("clock",
                                                      core::Value::object()
                                                          .set("ahead_ms", truth + 0.25)
                                                          .set("round_trip_ms", 20.8)
                                                          .set("residual_ms", 0.4)
                                                          .set("probes", 16))));
    messages.push_back(
        from(5,
             core::Value::object().set(
                 "aggregator", core::Value::object().set("duplicates", 3).set("peak_slots", 7))));
    messages.push_back(
        from(1, core::Value::object().set("island", core::Value::object().set("resends", 4))));
    messages.push_back(from(6, core::Value::object().set("real_time", false)));
    const Trial trial = judge(session, log_of(messages));
    EXPECT_NEAR(trial.clock_misses_ms[2], 0.25, 1e-9);
    EXPECT_EQ(trial.clocks[2].residual_ms, 0.4);
    EXPECT_EQ(trial.aggregators[1].duplicates, 3);
    EXPECT_EQ(trial.aggregators[1].peak_slots, 7);
    EXPECT_EQ(trial.resends, 4);
    EXPECT_FALSE(trial.real_time);
    const std::string text = trial_text(session, trial, 0.05);
    EXPECT_NE(text.find("within 0.40 ms of a's; off by 0.25 ms at most"), std::string::npos)
        << text;
}

}  // namespace
}  // namespace longhaul::runtime
