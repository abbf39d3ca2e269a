#include "longhaul/study/replay.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <gtest/gtest.h>

#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/pipelined.hpp"
#include "longhaul/study/build_step.hpp"
#include "longhaul/study/detail/test_support.hpp"

namespace longhaul::study {
namespace {

using placement::Placement;
using placement::Problem;
using placement::Shape;
using testing::Job;

/// Payloads count in whole bytes: of a megabyte, a relative error of a millionth at most.
constexpr double kBytes = 1e-6;

double replayed(const Job& job, const StepOptions& options, const ReplayOptions& how = {}) {
    const auto graph = build_step(job.problem, job.fabric, job.placement, options);
    EXPECT_TRUE(graph.has_value());
    const Connections connections = connections_of(*graph);
    const auto played =
        replay(*graph, connections, network_of_fabric(job.fabric, connections.list, true), how);
    EXPECT_TRUE(played.has_value());
    return flowsim::to_seconds(played->times.end).value();
}

StepOptions with(PipelineOrder order, int chunks = 1) {
    StepOptions options;
    options.order = order;
    options.chunks = chunks;
    return options;
}

// One replica, GPipe: the tandem queue of placement/pipelined.hpp, which has a twin of its own
// there.
TEST(Replay, OfOneReplicaEqualsTheFormulaOfTandemQueues) {
    for (std::uint64_t i = 0; i < 200; ++i) {
        core::Random random(31, i);
        const Shape shape{1 + static_cast<int>(random.below(5)), 1};
        const Job job = testing::random_job(shape, 1 + static_cast<int>(random.below(6)), random);
        const double formula = placement::pipelined_as_mapped(job.problem, job.placement).total();
        EXPECT_NEAR(replayed(job, with(PipelineOrder::kGpipe)), formula, kBytes * formula) << i;
        // Nothing is shared, so it does not matter how; and one replica computes on few cores.
        const ReplayOptions queues{.queues = true, .cores = shape.pp};
        EXPECT_NEAR(replayed(job, with(PipelineOrder::kGpipe), queues), formula, kBytes * formula)
            << i;
    }
}

// D replicas of one stage that compute s seconds at once on c cores: D s / c seconds when D > c.
TEST(Replay, CoresThatAllDevicesShareAreSharedFairly) {
    core::Random random(2);
    Job job = testing::random_job(Shape{1, 6}, 1, random);
    job.problem.workload.stage_seconds = {3.0};
    job.problem.workload.c_pp = core::Gigabytes(0);
    job.problem.workload.c_dp = core::Gigabytes(0);
    job = testing::without_latency(std::move(job));
    for (const int cores : {0, 1, 2, 4, 6, 9}) {
        const double expected = cores == 0 || cores >= 6 ? 3.0 : 18.0 / cores;
        EXPECT_NEAR(replayed(job, with(PipelineOrder::kGpipe), {.cores = cores}), expected, 1e-6)
            << cores;
    }
}

// Without transfers, M micro-batches of f + b over P stages take (M + P - 1)(f + b), and v chunks
// make the bubble v times shorter (Narayanan et al., 2021, section 2.2).
TEST(Replay, OfEqualStagesHasTheBubbleOfTheSchedule) {
    for (const int batches : {4, 8, 12}) {
        core::Random random(1);
        Job job = testing::random_job(Shape{4, 2}, batches, random);
        job.problem.workload.stage_seconds.assign(4, 3.0 * batches);  // 3 s a micro-batch
        job.problem.workload.c_pp = core::Gigabytes(0);
        job.problem.workload.c_pp_backward.reset();
        job.problem.workload.c_dp = core::Gigabytes(0);
        job = testing::without_latency(std::move(job));
        EXPECT_NEAR(replayed(job, with(PipelineOrder::kGpipe)), 3.0 * (batches + 3), 1e-9);
        EXPECT_NEAR(replayed(job, with(PipelineOrder::k1f1b)), 3.0 * (batches + 3), 1e-9);
        EXPECT_NEAR(
            replayed(job, with(PipelineOrder::kInterleaved, 2)), 3.0 * (batches + 1.5), 1e-9);
        EXPECT_NEAR(
            replayed(job, with(PipelineOrder::kInterleaved, 3)), 3.0 * (batches + 1.0), 1e-9);
    }
}

// Equal links of latency a and s seconds a GB, D members, c GB: closed forms of the exchanges.
// A member of a tree sends as soon as it has the sums below it, so a tree of halves has floor(log2
// D) levels.
TEST(Replay, OfExchangesOverEqualLinksEqualsClosedForms) {
    constexpr double kLatency = 0.25;
    constexpr double kSlowness = 2;
    constexpr double kGb = 3;
    const auto took = [](int members, placement::Exchange kind, bool one_at_a_time) {
        Job job = testing::equal_links(Shape{1, members}, kLatency, kSlowness);
        job.problem.workload.c_dp = core::Gigabytes(kGb);
        job.problem.terms.exchange = kind;
        StepOptions options;
        options.one_peer_at_a_time = one_at_a_time;
        return replayed(job, options);
    };
    using placement::Exchange;
    for (const int d : {2, 3, 4, 7, 8}) {
        const double part = kLatency + kSlowness * kGb / d;
        const double whole = kLatency + kSlowness * kGb;
        EXPECT_NEAR(took(d, Exchange::kSharded, false), 2 * part, kBytes);
        EXPECT_NEAR(took(d, Exchange::kSharded, true), 2 * (d - 1) * part, kBytes);
        EXPECT_NEAR(took(d, Exchange::kRing, false), 2 * (d - 1) * part, kBytes);
        EXPECT_NEAR(took(d, Exchange::kCentral, false), 2 * whole, kBytes);
        EXPECT_NEAR(took(d, Exchange::kCentral, true), 2 * (d - 1) * whole, kBytes);
        EXPECT_NEAR(took(d, Exchange::kTree, false), 2 * std::floor(std::log2(d)) * whole, kBytes);
    }
    // One region: its members own a share each, as when sharded.
    EXPECT_NEAR(
        took(4, Exchange::kHierarchical, false), 2 * (kLatency + kSlowness * kGb / 4), kBytes);
}

// What crosses a shared uplink shares it: two pairs of 1 GB each over 4 Gbit/s take 4 s, not 2.
TEST(Replay, SharesWhatTheFabricStatesAsShared) {
    for (const bool shared : {false, true}) {
        const Job job = testing::two_sites(2, 4, shared);
        EXPECT_NEAR(replayed(job, with(PipelineOrder::kGpipe)), shared ? 8 : 4, 1e-9);
    }
}

// Without overlap a stage sends before it computes on: P = 2, M = 2, f = b = 1, s = 1, no latency.
// Forward: 1 + 1 + (wait) ... by hand: F0 0-1, send 1-2, F1 2-3, send 3-4; stage 1: F0 2-3, F1 4-5,
// B0 5-6, send 6-7, B1 7-8, send 8-9; stage 0: B0 7-8, B1 9-10. With overlap F1 begins at 1 and
// arrives at 3: stage 1 F0 2-3, F1 3-4, B0 4-5, B1 5-6; stage 0: B0 6-7, B1 7-8.
TEST(Replay, WithoutOverlapComputesAndSendsInTurn) {
    Job job = testing::equal_links(Shape{2, 1}, 0, 1);
    job.problem.workload.c_pp = core::Gigabytes(2);
    job.problem.workload.pp_messages = 2;
    job.problem.workload.stage_seconds = {4, 4};
    job.problem.terms.forward_share = 0.5;
    StepOptions options = with(PipelineOrder::kGpipe);
    EXPECT_NEAR(replayed(job, options), 8, 1e-9);
    options.overlap = false;
    EXPECT_NEAR(replayed(job, options), 10, 1e-9);
}

TEST(Replay, OfUnequalDevicesWaitsForTheSlow) {
    Job job = testing::equal_links(Shape{1, 3}, 0, 0);
    job.problem.workload.stage_seconds = {6};
    job.problem.speed = {1, 2, 0.5};
    StepOptions options;
    options.update_seconds = 1;
    // 6 s at half speed; then its own update takes twice as long.
    EXPECT_NEAR(replayed(job, options), 14, 1e-9);
}

// Steps in a row: with one stage they follow each other exactly; with two, stage 0 goes on while
// stage 1 still exchanges, so that later steps take less than the first, never more.
TEST(Replay, OfStepsInARowTakesAtMostThatManySteps) {
    for (std::uint64_t i = 0; i < 40; ++i) {
        core::Random random(41, i);
        const int pp = 1 + static_cast<int>(random.below(3));
        const Job job = testing::random_job(Shape{pp, 2}, 2 * pp, random);
        StepOptions options = with(PipelineOrder::k1f1b);
        const double one = replayed(job, options);
        options.steps = 4;
        const double four = replayed(job, options);
        EXPECT_GT(four, one);
        EXPECT_LE(four, 4 * one * (1 + 1e-9)) << i;
        if (pp == 1) {
            EXPECT_NEAR(four, 4 * one, 1e-9 * one);
        }
    }
}

TEST(Replay, RefusesMessagesThatWouldBeWaitedForForEver) {
    core::Random random(3);
    Job job = testing::random_job(Shape{3, 1}, 2, random);
    job.problem.workload.microbatches = 6;
    EXPECT_FALSE(build_step(job.problem, job.fabric, job.placement, with(PipelineOrder::k1f1b)));
    EXPECT_TRUE(build_step(job.problem, job.fabric, job.placement, with(PipelineOrder::kGpipe)));
    EXPECT_FALSE(
        build_step(job.problem, job.fabric, job.placement, with(PipelineOrder::kInterleaved, 2)));
}

// The plain twin: looks at all tasks again and again for the one that can begin earliest. Links are
// not shared here, so that a message takes what its connection says.
class PlainReplay {
public:
    PlainReplay(const StepGraph& graph, const fabric::Fabric& fabric)
        : graph_(graph),
          fabric_(fabric),
          end_(graph.tasks().size(), kNotYet),
          before_(graph.tasks().size()) {
        for (int task = 0; task < static_cast<int>(end_.size()); ++task) {
            for (const int follower : graph.followers(task)) {
                before_[static_cast<std::size_t>(follower)].push_back(task);
            }
        }
    }

    double run() {
        for (std::size_t done = 0; done < end_.size(); ++done) {
            int best = -1;
            std::pair earliest{kNotYet, kNotYet};  // when, and since when it could
            for (int task = 0; task < static_cast<int>(end_.size()); ++task) {
                const std::pair start{start_of(task), ready_of(task)};
                if (start < earliest) {
                    earliest = start;
                    best = task;
                }
            }
            if (best < 0) {
                return kNotYet;
            }
            begin(best, earliest.first);
        }
        return *std::ranges::max_element(end_);
    }

private:
    static constexpr double kNotYet = std::numeric_limits<double>::infinity();

    /// Infinity unless all that it waits for has begun, and so has an end.
    double ready_of(int task) const {
        double ready = 0;
        for (const int earlier : before_[static_cast<std::size_t>(task)]) {
            ready = std::max(ready, end_[static_cast<std::size_t>(earlier)]);
        }
        return ready;
    }

    double start_of(int task) const {
        if (end_[static_cast<std::size_t>(task)] != kNotYet) {
            return kNotYet;
        }
        const Task& what = graph_.task(task);
        double start = ready_of(task);
        if (what.is_message()) {
            const auto free = free_.find({what.device, what.peer});
            return free == free_.end() ? start : std::max(start, free->second);
        }
        const auto& program = graph_.program(static_cast<std::size_t>(what.device));
        const auto place = std::ranges::find(program, task);
        if (place != program.end() && place != program.begin()) {
            start = std::max(start, end_[static_cast<std::size_t>(*(place - 1))]);
        }
        return start;
    }

    void begin(int task, double start) {
        const Task& what = graph_.task(task);
        double end = start + what.seconds;
        if (what.is_message()) {
            const auto& parts = fabric_.parts();
            const double sent = start + 8 * what.gb / parts.beta_gbps(what.device, what.peer);
            free_[{what.device, what.peer}] = sent;
            end = sent + parts.alpha_ms(what.device, what.peer) / 1000;
        }
        end_[static_cast<std::size_t>(task)] = end;
    }

    const StepGraph& graph_;
    const fabric::Fabric& fabric_;
    std::vector<double> end_;
    std::vector<std::vector<int>> before_;
    std::map<std::pair<int, int>, double> free_;
};

TEST(Replay, EqualsItsPlainTwin) {
    for (std::uint64_t i = 0; i < 60; ++i) {
        core::Random random(77, i);
        const int pp = 2 + static_cast<int>(random.below(2));
        const Shape shape{
            pp, 1 + static_cast<int>(random.below(3)), 1 + static_cast<int>(random.below(2))};
        Job job = testing::random_job(shape, 2 * pp, random);
        job.problem.terms.exchange = static_cast<placement::Exchange>(random.below(5));
        StepOptions options;
        options.order = static_cast<PipelineOrder>(random.below(3));
        options.chunks = options.order == PipelineOrder::kInterleaved ? 2 : 1;
        options.one_peer_at_a_time = random.below(2) == 0;
        options.update_seconds = random.uniform();
        const auto graph = build_step(job.problem, job.fabric, job.placement, options);
        ASSERT_TRUE(graph.has_value());
        const double plain = PlainReplay(*graph, job.fabric).run();
        EXPECT_NEAR(replayed(job, options), plain, kBytes * plain) << i;
    }
}

}  // namespace
}  // namespace longhaul::study
