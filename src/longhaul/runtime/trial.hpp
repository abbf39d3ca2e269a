// What a trial has shown: times against those of the schedule, and whether sums are right. Pure:
// from the log of the coordinator.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longhaul/core/value.hpp"
#include "longhaul/runtime/aggregator.hpp"
#include "longhaul/runtime/clock.hpp"
#include "longhaul/runtime/payload.hpp"
#include "longhaul/runtime/session.hpp"

namespace longhaul::runtime {

/// What one island ended a round with.
struct IslandRound {
    bool reported = false;
    bool complete = false;  ///< all members are in all blocks
    bool exact = false;     ///< the sums are those of the islands that it names, to the bit
    double elapsed_ms = 0;  ///< from the start of the round, reference clock; when complete
    std::vector<Stretch> stretches;  ///< which islands are in which blocks
};

/// One round of the session.
struct RoundOutcome {
    std::optional<double> measured_ms;  ///< until the last island had all; nothing when one had not
    std::vector<IslandRound> islands;   ///< islands that are alone have nothing to report
};

/// One round of the schedule, over its repetitions.
struct PhaseOutcome {
    double predicted_ms = 0;                ///< median of those below; of the last when none was
    std::vector<double> predicted_each_ms;  ///< of the repetitions that were complete; they differ
                                            ///< where rounds overlap
    std::vector<double> measured_ms;        ///< of the same
    double median_ms = 0;                   ///< 0 when none was
    double ratio = 1;                       ///< median of measured over predicted

    /// Measured over predicted - 1.
    [[nodiscard]] double difference() const { return ratio - 1; }
};

struct Trial {
    std::string problem;                  ///< why the trial is not complete; empty when it is
    std::vector<RoundOutcome> rounds;     ///< of the session
    std::vector<PhaseOutcome> phases;     ///< of the schedule
    std::vector<ClockDifference> clocks;  ///< of islands; the first is the reference
    std::vector<double> clock_misses_ms;  ///< estimate minus truth, which an emulation knows
    std::vector<AggregatorCounts> aggregators;
    std::vector<int> lost;              ///< islands whose processes ended before the trial
    std::vector<int> lost_aggregators;  ///< islands whose aggregators did
    double duplicates = 0;              ///< parts that islands dropped
    double lacking = 0;                 ///< blocks, one a sender and receiver, that were overdue
    double requests = 0;                ///< blocks asked for again, each time
    double request_datagrams = 0;       ///< that asked for them
    double resends = 0;                 ///< blocks sent again
    double late_ms = 0;                 ///< most that a block was sent after its time
    bool real_time = true;              ///< all processes ran before ordinary ones

    /// Islands and rounds whose sums are not those of the islands that they name.
    [[nodiscard]] std::size_t wrong_sums() const;
    /// Reports of islands that lacked something.
    [[nodiscard]] std::size_t incomplete() const;
    /// Reports of islands that lacked something of an island whose process was not lost.
    [[nodiscard]] std::size_t unexplained(const Session& session) const;
    [[nodiscard]] std::size_t reports() const;
    /// Whether every round was complete once at least, and its median within a share of what was
    /// predicted.
    [[nodiscard]] bool on_time(double tolerance) const;
};

/// Works out every sum from the seed. O(reports payload islands) at most; equal reports once.
[[nodiscard]] Trial judge(const Session& session, const core::Value& log);

/// Whether times are judged: not with losses, duplicates or a killed island.
[[nodiscard]] bool times_count(const Session& session);

/// Whether a trial shows what it should, and if not, what is wrong and what would be right. With
/// losses or duplicates times are not judged; nor what is missing of an island that was to be
/// killed.
struct Verdict {
    bool passed = true;
    std::vector<std::string> lines;  ///< for people: one, or one a problem
};
[[nodiscard]] Verdict verdict_of(const Session& session, const Trial& trial, double tolerance);

/// Tables for people.
[[nodiscard]] std::string trial_text(const Session& session, const Trial& trial, double tolerance);

/// Keys: docs/commands/schedule-run.md.
[[nodiscard]] core::Value trial_value(const Session& session, const Trial& trial, double tolerance);

/// What would run, for people: payload, rates, slots.
[[nodiscard]] std::string session_text(const Session& session);
/// Its rounds, one line each.
[[nodiscard]] std::string rounds_text(const Session& session);

}  // namespace longhaul::runtime
