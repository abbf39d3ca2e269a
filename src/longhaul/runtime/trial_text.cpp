#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longhaul/runtime/trial.hpp"

namespace longhaul::runtime {
namespace {

constexpr double kPercent = 100;

double worst_residual(const Trial& trial) {
    double worst = 0;
    for (const ClockDifference& clock : trial.clocks) {
        worst = std::max(worst, clock.residual_ms);
    }
    return worst;
}

double worst_miss(const Trial& trial) {
    double worst = 0;
    for (const double miss : trial.clock_misses_ms) {
        worst = std::max(worst, std::abs(miss));
    }
    return worst;
}

/// Sums over all aggregators; the largest peak.
AggregatorCounts totals_of(const Trial& trial) {
    AggregatorCounts total;
    for (const AggregatorCounts& each : trial.aggregators) {
        total.contributions += each.contributions;
        total.duplicates += each.duplicates;
        total.strangers += each.strangers;
        total.completed += each.completed;
        total.conflicts += each.conflicts;
        total.timeouts += each.timeouts;
        total.late += each.late;
        total.peak_slots = std::max(total.peak_slots, each.peak_slots);
    }
    return total;
}

std::string phases_text(const Session& session, const Trial& trial, double tolerance) {
    std::string text = fmt::format("\n{:>5} {:>13} {:>12} {:>11}   {}\n",
                                   "round",
                                   "predicted ms",
                                   "measured ms",
                                   "difference",
                                   "each time");
    for (std::size_t k = 0; k < trial.phases.size(); ++k) {
        const PhaseOutcome& phase = trial.phases[k];
        const bool judged = times_count(session) && std::abs(phase.difference()) > tolerance;
        if (phase.measured_ms.empty()) {
            text += fmt::format("{:>5} {:>13.1f} {:>12} {:>11}\n",
                                k + 1,
                                phase.predicted_ms,
                                phase.predicted_ms > 0 ? "incomplete" : "nothing",
                                "");
            continue;
        }
        std::string each;
        for (const double ms : phase.measured_ms) {
            each += fmt::format(" {:.1f}", ms);
        }
        text += fmt::format("{:>5} {:>13.1f} {:>12.1f} {:>+9.1f} %  {}{}\n",
                            k + 1,
                            phase.predicted_ms,
                            phase.median_ms,
                            kPercent * phase.difference(),
                            each,
                            judged ? "   missed" : "");
    }
    return text;
}

/// Who lacked whom, one line an island and round.
std::string missing_text(const Session& session, const Trial& trial) {
    std::string text;
    for (std::size_t k = 0; k < trial.rounds.size(); ++k) {
        for (std::size_t i = 0; i < session.islands(); ++i) {
            const IslandRound& at = trial.rounds[k].islands[i];
            if (!at.reported || at.complete) {
                continue;
            }
            const schedule::Clique all =
                session.exchange(static_cast<std::uint32_t>(k), static_cast<int>(i)).members;
            std::uint64_t blocks = 0;
            schedule::Clique missing = 0;
            for (const Stretch& stretch : at.stretches) {
                blocks += stretch.mask == all ? 0 : stretch.blocks;
                missing |= all & ~stretch.mask;
            }
            std::string names;
            for (const int member : schedule::members_of(missing)) {
                names += (names.empty() ? "" : ", ");
                names += session.names[static_cast<std::size_t>(member)];
            }
            const std::string repetition = session.options.repetitions > 1
                                               ? fmt::format(" in run {} of {} of the schedule",
                                                             k / trial.phases.size() + 1,
                                                             session.options.repetitions)
                                               : "";
            text += fmt::format("missing   round {}{}: {} of {} sums of {} are without {}\n",
                                session.rounds[k].phase + 1,
                                repetition,
                                blocks,
                                session.blocks,
                                session.names[i],
                                names);
        }
    }
    return text;
}

core::Value counts_value(const AggregatorCounts& counts) {
    const auto number = [](std::uint64_t count) { return static_cast<double>(count); };
    return core::Value::object()
        .set("contributions", number(counts.contributions))
        .set("duplicates", number(counts.duplicates))
        .set("strangers", number(counts.strangers))
        .set("completed", number(counts.completed))
        .set("conflicts", number(counts.conflicts))
        .set("timeouts", number(counts.timeouts))
        .set("late", number(counts.late))
        .set("peak_slots", number(counts.peak_slots));
}

core::Value rounds_value(const Session& session, const Trial& trial, double tolerance) {
    core::Value rounds = core::Value::array();
    for (std::size_t k = 0; k < trial.phases.size(); ++k) {
        const PhaseOutcome& phase = trial.phases[k];
        core::Value value = core::Value::object();
        value.set("predicted_ms", phase.predicted_ms);
        if (!phase.measured_ms.empty()) {
            value.set("predicted_each_ms", phase.predicted_each_ms)
                .set("measured_ms", phase.median_ms)
                .set("difference", phase.difference())
                .set("each_ms", phase.measured_ms)
                .set("on_time", std::abs(phase.difference()) <= tolerance);
        }
        core::Value missing = core::Value::array();
        for (std::size_t r = 0; r < trial.rounds.size(); ++r) {
            for (std::size_t i = 0; i < session.islands(); ++i) {
                const IslandRound& at = trial.rounds[r].islands[i];
                if (session.rounds[r].phase == k && at.reported && !at.complete) {
                    missing.append(
                        core::Value::object()
                            .set("repetition", static_cast<double>(r / trial.phases.size() + 1))
                            .set("island", session.names[i]));
                }
            }
        }
        value.set("incomplete", std::move(missing));
        rounds.append(std::move(value));
    }
    return rounds;
}

core::Value islands_value(const Session& session, const Trial& trial) {
    core::Value islands = core::Value::array();
    for (std::size_t i = 0; i < session.islands(); ++i) {
        const ClockDifference& clock = trial.clocks[i];
        const bool lost = std::ranges::find(trial.lost, static_cast<int>(i)) != trial.lost.end();
        islands.append(
            core::Value::object()
                .set("name", session.names[i])
                .set("lost", lost)
                .set("slots", static_cast<double>(session.slots_for(i, worst_residual(trial))))
                .set("clock_ahead_ms", -clock.ahead_ms)
                .set("clock_round_trip_ms", clock.round_trip_ms)
                .set("clock_residual_ms", clock.residual_ms)
                .set("clock_miss_ms", trial.clock_misses_ms[i])
                .set("aggregator", counts_value(trial.aggregators[i])));
    }
    return islands;
}

std::pair<std::size_t, std::size_t> slots_with_clocks(const Session& session, double residual_ms) {
    std::size_t least = session.slots_for(0, residual_ms);
    std::size_t most = least;
    for (std::size_t i = 1; i < session.islands(); ++i) {
        least = std::min(least, session.slots_for(i, residual_ms));
        most = std::max(most, session.slots_for(i, residual_ms));
    }
    return {least, most};
}

}  // namespace

std::string session_text(const Session& session) {
    std::string text = fmt::format(
        "payload   {:.6g} kB an island in {} blocks of {} elements; rates x {:.6g}, times x "
        "{:.6g}\n",
        session.payload_bytes / 1e3,
        session.blocks,
        session.options.block_elements,
        session.rate_scale,
        session.options.time_scale);
    const auto [least, most] = std::ranges::minmax(session.slots);
    text += least == most ? fmt::format("slots     {} at each aggregator", least)
                          : fmt::format("slots     {} to {} at each aggregator", least, most);
    text += fmt::format(", for memory and arrivals {:.6g} ms apart ({:.6g} ms of it jitter)\n",
                        session.guard_ms,
                        session.jitter_ms);
    if (session.payload_bits != kPayloadBits) {
        text += fmt::format("weights   multiples of 1/{}; elements of {} bits\n",
                            kWeightScale,
                            session.payload_bits);
    }
    if (session.recovery_ms > 0) {
        text += fmt::format("recovery  {:.6g} ms from round to round, for what is sent again\n",
                            session.recovery_ms);
    }
    return text;
}

std::string rounds_text(const Session& session) {
    std::string text;
    for (const SessionRound& round : session.rounds) {
        if (&round != session.rounds.data() && round.phase == 0) {
            break;  // the next repetition
        }
        std::size_t cliques = 0;
        std::size_t streams = 0;
        for (const Exchange& exchange : round.exchanges) {
            cliques += exchange.senders.empty() ? 0 : 1;
            streams += exchange.senders.size();
        }
        text += fmt::format("round {:<3} {:.3f} ms, {} streams in {} clique{}\n",
                            round.phase + 1,
                            round.predicted_ms,
                            streams,
                            cliques,
                            cliques == 1 ? "" : "s");
    }
    return text;
}

std::string trial_text(const Session& session, const Trial& trial, double tolerance) {
    const AggregatorCounts total = totals_of(trial);
    std::string text = session_text(session);
    const auto [least, most] = slots_with_clocks(session, worst_residual(trial));
    text += fmt::format(
        "clocks    within {:.2f} ms of {}'s; off by {:.2f} ms at most. Slots with twice that: {}\n",
        worst_residual(trial),
        session.names.front(),
        worst_miss(trial),
        least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most));
    text += phases_text(session, trial, tolerance) + "\n";
    text += fmt::format(
        "sums      {} of {} to the bit\n", trial.reports() - trial.wrong_sums(), trial.reports());
    text += fmt::format(
        "slots     {} in use at once; sent on {} complete, {} for newer blocks, {} after a "
        "timeout\n",
        total.peak_slots,
        total.completed,
        total.conflicts + total.late,
        total.timeouts);
    text += fmt::format(
        "again     {:.0f} blocks overdue; {:.0f} asked for in {:.0f} requests, {:.0f} sent; {:.0f} "
        "duplicates dropped\n",
        trial.lacking,
        trial.requests,
        trial.request_datagrams,
        trial.resends,
        static_cast<double>(total.duplicates) + trial.duplicates);
    for (const int island : trial.lost) {
        text += fmt::format("lost      the process of {} ended before the trial did\n",
                            session.names[static_cast<std::size_t>(island)]);
    }
    for (const int island : trial.lost_aggregators) {
        text += fmt::format("lost      the aggregator of {} ended before the trial did\n",
                            session.names[static_cast<std::size_t>(island)]);
    }
    text += missing_text(session, trial);
    for (const std::string& line : verdict_of(session, trial, tolerance).lines) {
        text += "check     " + line + "\n";
    }
    return text;
}

core::Value trial_value(const Session& session, const Trial& trial, double tolerance) {
    core::Value lost = core::Value::array();
    for (const int island : trial.lost) {
        lost.append(session.names[static_cast<std::size_t>(island)]);
    }
    core::Value lost_aggregators = core::Value::array();
    for (const int island : trial.lost_aggregators) {
        lost_aggregators.append(session.names[static_cast<std::size_t>(island)]);
    }
    const Verdict verdict = verdict_of(session, trial, tolerance);
    core::Value problems = core::Value::array();
    for (const std::string& line : verdict.lines) {
        if (!verdict.passed) {
            problems.append(line);
        }
    }
    return core::Value::object()
        .set("format", "longhaul.schedule_run/1")
        .set("passed", verdict.passed)
        .set("problems", std::move(problems))
        .set("payload_bytes", session.payload_bytes)
        .set("blocks", static_cast<double>(session.blocks))
        .set("rate_scale", session.rate_scale)
        .set("time_scale", session.options.time_scale)
        .set("tolerance", tolerance)
        .set("rounds", rounds_value(session, trial, tolerance))
        .set("on_time", trial.on_time(tolerance))
        .set("reports", static_cast<double>(trial.reports()))
        .set("wrong_sums", static_cast<double>(trial.wrong_sums()))
        .set("incomplete", static_cast<double>(trial.incomplete()))
        .set("payload_bits", static_cast<double>(session.payload_bits))
        .set("weight_scale",
             session.payload_bits == kPayloadBits ? 1 : static_cast<double>(kWeightScale))
        .set("guard_ms", session.guard_ms)
        .set("jitter_ms", session.jitter_ms)
        .set("recovery_ms", session.recovery_ms)
        .set("clock_residual_ms", worst_residual(trial))
        .set("clock_miss_ms", worst_miss(trial))
        .set("aggregators", counts_value(totals_of(trial)))
        .set("duplicates", trial.duplicates)
        .set("lacking", trial.lacking)
        .set("requests", trial.requests)
        .set("request_datagrams", trial.request_datagrams)
        .set("resends", trial.resends)
        .set("late_ms", trial.late_ms)
        .set("real_time", trial.real_time)
        .set("lost", std::move(lost))
        .set("lost_aggregators", std::move(lost_aggregators))
        .set("islands", islands_value(session, trial));
}

}  // namespace longhaul::runtime
