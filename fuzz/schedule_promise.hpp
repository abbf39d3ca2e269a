// What must hold for any network of islands and any schedule file: clear problems, or schedules
// that have a time or a reason, and that are written and read back equal.
#pragma once

#include <cmath>

#include "longhaul/schedule/schedule_file.hpp"
#include "longhaul/schedule/score.hpp"
#include "round_trip.hpp"

namespace longhaul::fuzz {

inline std::string broken_timed_promise(const schedule::TimedSchedule& timed,
                                        const schedule::Islands& islands) {
    const std::string written = schedule::write_schedule(timed, islands);
    const auto document = core::parse_json(written, "written");
    if (!document) {
        return "a written schedule is no JSON";
    }
    const auto again =
        schedule::read_schedule(*document, islands, {.network_sha256 = "", .other_network = true});
    if (!again) {
        return "a written schedule does not read back: " + core::to_string(again.error().front());
    }
    return schedule::write_schedule(*again, islands) == written ? ""
                                                                : "a schedule reads back changed";
}

/// Empty when all holds, else what does not.
inline std::string broken_islands_promise(std::string_view text) {
    const auto document = core::parse_json(text, "input.json");
    if (!document) {
        return clear_problems(document.error()) ? "" : "problems that are not lines of text";
    }
    const auto islands = schedule::read_islands(*document);
    if (!islands) {
        return clear_problems(islands.error()) ? "" : "problems that are not lines of text";
    }
    const schedule::Capabilities can = schedule::capabilities_of(*islands);
    schedule::RoundTimes times(*islands, can);
    for (const schedule::NamedSchedule& named : islands->schedules) {
        const auto score =
            schedule::score_schedule(named.schedule, times, schedule::Pace::kUniform);
        if (score.feasible != score.reason.empty() ||
            score.feasible != std::isfinite(score.score_ms) || std::isnan(score.area)) {
            return "a schedule with neither a score nor a reason";
        }
        if (score.feasible) {
            auto timed = schedule::timed_schedule(named.schedule, times, schedule::Pace::kOwn);
            timed.slot_elements = 1;
            timed.network_sha256 = std::string(64, '0');
            bool runs = true;
            for (const schedule::TimedRound& round : timed.rounds) {
                runs = runs && round.length_ms > 0;
            }
            const std::string broken = runs ? broken_timed_promise(timed, *islands) : "";
            if (!broken.empty()) {
                return broken;
            }
        }
    }
    return "";
}

/// A schedule file for three islands in a row.
inline std::string broken_schedule_promise(std::string_view text) {
    static const schedule::Islands islands =
        schedule::read_islands(
            core::parse_json(R"({"payload_gb": 1, "ingress_gbps": 20, "egress_gbps": 20,
                "nodes": ["A", "B", "C"], "links": [
                {"a": "A", "b": "B", "latency_ms": 5, "gbps": 100},
                {"a": "B", "b": "C", "latency_ms": 7, "gbps": 100}]})",
                             "three.json")
                .value())
            .value();
    const auto document = core::parse_json(text, "input.json");
    if (!document) {
        return clear_problems(document.error()) ? "" : "problems that are not lines of text";
    }
    const auto timed =
        schedule::read_schedule(*document, islands, {.network_sha256 = "", .other_network = true});
    if (!timed) {
        return clear_problems(timed.error()) ? "" : "problems that are not lines of text";
    }
    return broken_timed_promise(*timed, islands);
}

}  // namespace longhaul::fuzz
