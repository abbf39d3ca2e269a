#include "longhaul/study/idle.hpp"

#include <gtest/gtest.h>

#include "longhaul/study/critical_path.hpp"
#include "longhaul/study/detail/test_support.hpp"
#include "longhaul/study/replay.hpp"
#include "longhaul/study/step_report.hpp"

namespace longhaul::study {
namespace {

struct Played {
    StepGraph graph;
    StepNetwork network;
    Replay replay;
};

Played play(const testing::Job& job, const StepOptions& options) {
    auto graph = build_step(job.problem, job.fabric, job.placement, options);
    EXPECT_TRUE(graph.has_value());
    const Connections connections = connections_of(*graph);
    StepNetwork network = network_of_fabric(job.fabric, connections.list, true);
    auto played = replay(*graph, connections, network);
    EXPECT_TRUE(played.has_value());
    return {std::move(*graph), std::move(network), std::move(*played)};
}

StepOptions gpipe() {
    StepOptions options;
    options.order = PipelineOrder::kGpipe;
    return options;
}

// Two stages, one micro-batch: F 1 s, send 2 s, F 1 s, B 1 s, send 2 s, B 1 s: by hand. Stage 1
// waits 1 s for F of stage 0 and 2 s for the network; stage 0 waits 2 + 2 s for messages and 2 s
// for the computing between; stage 1 at last waits 2 s for its message and 1 s for the other's B,
// both after its own work: the end of the step.
TEST(Idle, SplitsByHand) {
    testing::Job job = testing::equal_links(placement::Shape{2, 1}, 0, 2);
    job.problem.workload.c_pp = core::Gigabytes(1);
    job.problem.workload.stage_seconds = {2, 2};
    job.problem.terms.forward_share = 0.5;
    const Played played = play(job, gpipe());
    const auto lines = timelines(played.graph, played.replay.times);
    const Shares first = shares_of(lines[0]);
    const Shares second = shares_of(lines[1]);
    const auto s = [](int seconds) { return flowsim::to_time(core::Seconds(seconds)); };
    EXPECT_EQ(played.replay.times.end, s(8));
    EXPECT_EQ(first.computing, s(2));
    EXPECT_EQ(first.network, s(4));
    EXPECT_EQ(first.compute, s(2));
    EXPECT_EQ(first.stragglers, s(0));
    EXPECT_EQ(second.computing, s(2));
    EXPECT_EQ(second.compute, s(1));
    EXPECT_EQ(second.network, s(2));
    EXPECT_EQ(second.stragglers, s(3));
}

// Two replicas of one stage, one twice as slow: F + B 6 and 12 s, exchange of 1 GB in halves, 2 s
// each round. The fast one waits 6 s for the slow one, then both wait for the network.
TEST(Idle, ChargesTheExchangeToStragglers) {
    testing::Job job = testing::equal_links(placement::Shape{1, 2}, 0, 4);
    job.problem.workload.c_dp = core::Gigabytes(1);
    job.problem.workload.stage_seconds = {6};
    job.problem.speed = {1, 0.5};
    const Played played = play(job, gpipe());
    const auto lines = timelines(played.graph, played.replay.times);
    const Shares fast = shares_of(lines[0]);
    const auto s = [](int seconds) { return flowsim::to_time(core::Seconds(seconds)); };
    EXPECT_EQ(played.replay.times.end, s(16));
    EXPECT_EQ(fast.computing, s(6));
    EXPECT_EQ(fast.stragglers, s(6));
    EXPECT_EQ(fast.network, s(4));
    EXPECT_EQ(shares_of(lines[1]).network, s(4));
}

// Whatever the step: timelines have no gaps, computing adds up to the work, and the parts of the
// critical path follow each other from 0 to the end.
TEST(Idle, CoversTheStepAndSoDoesTheCriticalPath) {
    for (std::uint64_t i = 0; i < 60; ++i) {
        core::Random random(5, i);
        const int pp = 2 + static_cast<int>(random.below(3));
        testing::Job job = testing::random_job(
            placement::Shape{pp, 1 + static_cast<int>(random.below(3))}, 2 * pp, random);
        job.problem.terms.exchange = static_cast<placement::Exchange>(random.below(5));
        StepOptions options;
        options.order = static_cast<PipelineOrder>(random.below(3));
        options.overlap = random.below(3) > 0;
        options.update_seconds = 0.1;
        const Played played = play(job, options);
        const Time end = played.replay.times.end;
        const auto lines = timelines(played.graph, played.replay.times);
        for (std::size_t d = 0; d < lines.size(); ++d) {
            Time at{};
            for (const Span& span : lines[d]) {
                EXPECT_EQ(span.begin, at);
                EXPECT_LT(span.begin, span.end);
                at = span.end;
            }
            EXPECT_EQ(at, end);
            Time work{};
            for (const int task : played.graph.program(d)) {
                const Task& what = played.graph.task(task);
                work += what.is_message() ? Time{} : flowsim::to_time(core::Seconds(what.seconds));
            }
            EXPECT_EQ(shares_of(lines[d]).computing, work) << i << ' ' << d;
        }
        Time at{};
        for (const CriticalTask& part : critical_path(played.replay.times)) {
            EXPECT_EQ(part.begin, at);
            at = part.end;
        }
        EXPECT_EQ(at, end);
    }
}

TEST(StepReport, AddsUpTheBytesOfEveryLink) {
    core::Random random(9);
    testing::Job job = testing::random_job(placement::Shape{3, 2}, 4, random);
    job.problem.terms.exchange = placement::Exchange::kSharded;
    const Played played = play(job, gpipe());
    const StepReport report = report_step(played.graph, played.network, played.replay);
    double sum = 0;
    for (const LinkReport& link : report.links) {
        sum += link.gb;
        EXPECT_LE(link.busy_s, report.step_s);
    }
    // Two boundaries of two pipelines both ways, and three groups of two that exchange two halves.
    const workload::Workload& workload = job.problem.workload;
    const double expected = 4 * (workload.c_pp.value() + workload.c_pp_backward->value()) +
                            3 * 2 * workload.c_dp.value();
    EXPECT_NEAR(sum, expected, 1e-6);
    const core::Value value = to_value(report, std::vector<std::string>(6, "x"));
    EXPECT_EQ(value.find("devices")->size(), 6U);
}

}  // namespace
}  // namespace longhaul::study
