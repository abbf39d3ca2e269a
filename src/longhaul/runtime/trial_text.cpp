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

std::string phases_text(const Trial& trial, double tolerance) {
    std::string text = fmt::format("\n{:>5} {:>13} {:>12} {:>11}   {}\n",
                                   "round",
                                   "predicted ms",
                                   "measured ms",
                                   "difference",
                                   "each time");
    for (std::size_t k = 0; k < trial.phases.size(); ++k) {
        const PhaseOutcome& phase = trial.phases[k];
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
                            std::abs(phase.difference()) > tolerance ? "   missed" : "");
    }
    return text;
}

/// Who lacked whom, one line a round and set of islands that are missing.
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
                names += " " + session.names[static_cast<std::size_t>(member)];
            }
            text += fmt::format("round {}: {} went on without{} in {} of {} blocks\n",
                                k + 1,
                                session.names[i],
                                names,
                                blocks,
                                session.blocks);
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
            value.set("measured_ms", phase.median_ms)
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
                            .set("repetition", static_cast<double>(r / trial.phases.size()))
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
        islands.append(core::Value::object()
                           .set("name", session.names[i])
                           .set("lost", lost)
                           .set("slots", static_cast<double>(session.slots[i]))
                           .set("clock_ahead_ms", -clock.ahead_ms)
                           .set("clock_round_trip_ms", clock.round_trip_ms)
                           .set("clock_residual_ms", clock.residual_ms)
                           .set("clock_miss_ms", trial.clock_misses_ms[i])
                           .set("aggregator", counts_value(trial.aggregators[i])));
    }
    return islands;
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
    text += least == most ? fmt::format("slots     {} at each aggregator\n", least)
                          : fmt::format("slots     {} to {} at each aggregator\n", least, most);
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
        text += fmt::format("round {:<3} {:.3f} ms, {} streams in {} cliques\n",
                            round.phase + 1,
                            round.predicted_ms,
                            streams,
                            cliques);
    }
    return text;
}

std::string trial_text(const Session& session, const Trial& trial, double tolerance) {
    const AggregatorCounts total = totals_of(trial);
    std::string text = session_text(session);
    text += fmt::format("clocks    within {:.2f} ms of {}'s; off by {:.2f} ms at most\n",
                        worst_residual(trial),
                        session.names.front(),
                        worst_miss(trial));
    text += phases_text(trial, tolerance) + "\n";
    text += fmt::format(
        "sums      {} of {} to the bit\n", trial.reports() - trial.wrong_sums(), trial.reports());
    text += fmt::format(
        "slots     {} in use at once; sent on {} complete, {} for newer blocks, {} after a "
        "timeout\n",
        total.peak_slots,
        total.completed,
        total.conflicts + total.late,
        total.timeouts);
    text +=
        fmt::format("again     {:.0f} blocks asked for, {:.0f} sent; {:.0f} duplicates dropped\n",
                    trial.requests,
                    trial.resends,
                    static_cast<double>(total.duplicates) + trial.duplicates);
    for (const int island : trial.lost) {
        text += fmt::format("lost      {}\n", session.names[static_cast<std::size_t>(island)]);
    }
    return text + missing_text(session, trial);
}

core::Value trial_value(const Session& session, const Trial& trial, double tolerance) {
    core::Value lost = core::Value::array();
    for (const int island : trial.lost) {
        lost.append(session.names[static_cast<std::size_t>(island)]);
    }
    return core::Value::object()
        .set("format", "longhaul.schedule_run/1")
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
        .set("clock_residual_ms", worst_residual(trial))
        .set("clock_miss_ms", worst_miss(trial))
        .set("aggregators", counts_value(totals_of(trial)))
        .set("duplicates", trial.duplicates)
        .set("requests", trial.requests)
        .set("resends", trial.resends)
        .set("late_ms", trial.late_ms)
        .set("real_time", trial.real_time)
        .set("lost", std::move(lost))
        .set("islands", islands_value(session, trial));
}

}  // namespace longhaul::runtime
