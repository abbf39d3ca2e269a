#include <cmath>

#include <fmt/format.h>

#include "longhaul/runtime/trial.hpp"

namespace longhaul::runtime {
namespace {

void judge_times(const Trial& trial, double tolerance, std::vector<std::string>& problems) {
    for (std::size_t k = 0; k < trial.phases.size(); ++k) {
        const PhaseOutcome& phase = trial.phases[k];
        if (phase.predicted_ms > 0 && !phase.measured_ms.empty() &&
            std::abs(phase.difference()) > tolerance) {
            problems.push_back(fmt::format(
                "failed: round {} took {:.1f} ms, {:+.1f} % of the {:.1f} ms of the schedule; "
                "within "
                "{:.3g} % would be right (--tolerance). A busy machine is slow: try --time-scale 2",
                k + 1,
                phase.median_ms,
                100 * phase.difference(),
                phase.predicted_ms,
                100 * tolerance));
        }
    }
}

/// Processes that ended although nobody was to kill them.
void judge_processes(const Session& session,
                     const Trial& trial,
                     std::vector<std::string>& problems) {
    const int killed = session.options.kill ? session.options.kill->island : -1;
    for (const int island : trial.lost) {
        if (island != killed) {
            problems.push_back(fmt::format(
                "failed: the process of {} ended before the trial did; all should run to "
                "the end",
                session.names[static_cast<std::size_t>(island)]));
        }
    }
    for (const int island : trial.lost_aggregators) {
        problems.push_back(fmt::format(
            "failed: the aggregator of {} ended before the trial did; all should run to "
            "the end",
            session.names[static_cast<std::size_t>(island)]));
    }
}

}  // namespace

bool times_count(const Session& session) {
    return session.options.loss == 0 && session.options.duplicates == 0 && !session.options.kill;
}

Verdict verdict_of(const Session& session, const Trial& trial, double tolerance) {
    Verdict verdict;
    if (trial.wrong_sums() > 0) {
        verdict.lines.push_back(fmt::format(
            "failed: {} of {} sums are not those of the islands in them; all should be, "
            "to the bit",
            trial.wrong_sums(),
            trial.reports()));
    }
    judge_processes(session, trial, verdict.lines);
    if (const std::size_t lacking = trial.unexplained(session); lacking > 0) {
        verdict.lines.push_back(fmt::format(
            "failed: {} of {} sums are without blocks of some islands, after {} requests or {:.6g} "
            "ms; all islands should be in them (--tries, --patience-ms, --recovery-ms)",
            lacking,
            trial.reports(),
            session.options.tries,
            session.patience_ms));
    }
    if (times_count(session)) {
        judge_times(trial, tolerance, verdict.lines);
    }
    verdict.passed = verdict.lines.empty();
    if (verdict.passed) {
        const bool killed = session.options.kill.has_value();
        std::string line = killed ? "passed: sums right, of all islands that were left"
                                  : "passed: sums right and of all islands";
        line += times_count(session)
                    ? fmt::format(", rounds within {:.3g} % of the schedule", 100 * tolerance)
                    : "; times are not judged, because of the faults asked for";
        verdict.lines.push_back(std::move(line));
    }
    return verdict;
}

}  // namespace longhaul::runtime
