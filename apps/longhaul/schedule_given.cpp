#include "longhaul/schedule_given.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/ranges.h>

#include "longhaul/schedule/replan.hpp"
#include "longhaul/schedule/timed_fit.hpp"
#include "longhaul/schedule/timed_score.hpp"

namespace longhaul::app {
namespace {

constexpr const char* kGoBeforeFiles[] = {"--payload-gb",
                                          "--access-gbps",
                                          "--memory-gb",
                                          "--guard-ms",
                                          "--trees",
                                          "--sharing",
                                          "--rounds",
                                          "--own-rates",
                                          "--best-weights",
                                          "--forgetting"};

bool has_weights(const schedule::TimedSchedule& timed) {
    return std::ranges::any_of(timed.rounds, [](const schedule::TimedRound& round) {
        return std::ranges::any_of(round.cliques,
                                   [](const auto& clique) { return !clique.weights.empty(); });
    });
}

/// Weights of the file, clique by clique; cliques may stand in another order.
void take_weights(const schedule::TimedSchedule& file, schedule::TimedSchedule& timed) {
    for (std::size_t k = 0; k < timed.rounds.size(); ++k) {
        for (schedule::TimedClique& clique : timed.rounds[k].cliques) {
            const auto& given = file.rounds[k].cliques;
            const auto same =
                std::ranges::find(given, clique.members, &schedule::TimedClique::members);
            if (same != given.end()) {
                clique.weights = same->weights;
            }
        }
    }
}

/// What follows from offsets, lengths and weights that stand.
Scored of_timed(schedule::TimedSchedule timed, const LoadedIslands& loaded) {
    Scored found;
    schedule::ScheduleScore& score = found.score;
    std::vector<schedule::MixingMatrix> period;
    for (const schedule::TimedRound& round : timed.rounds) {
        period.push_back(schedule::mixing_matrix(round, static_cast<int>(loaded.islands.size())));
        double longest = 0;
        for (const schedule::TimedClique& clique : round.cliques) {
            longest = std::max(longest, clique.time_ms);
        }
        score.round_ms.push_back(longest);
    }
    score.mixing =
        schedule::survival(period, schedule::with_targets(loaded.mixing, loaded.islands));
    score.area = score.mixing.area;
    timed.forgetting = loaded.mixing.forgetting;
    const auto computed = schedule::computed_score(timed, loaded.islands, &score.reason);
    score.feasible = computed.has_value();
    score.score_ms = computed.value_or(std::numeric_limits<double>::infinity());
    if (score.feasible) {
        found.timed = std::move(timed);
    }
    return found;
}

Scored without_times(const schedule::TimedSchedule& file,
                     schedule::RoundTimes& times,
                     const LoadedIslands& loaded,
                     std::string reason) {
    Scored refused;
    refused.score = schedule::score_schedule(file.schedule(), times, loaded.pace, loaded.mixing);
    refused.score.feasible = false;
    refused.score.reason = std::move(reason);
    refused.score.score_ms = std::numeric_limits<double>::infinity();
    return refused;
}

}  // namespace

TypedOptions typed_options(const CLI::App& command) {
    TypedOptions typed;
    for (const char* name : kGoBeforeFiles) {
        if (command.count(name) > 0) {
            typed.insert(name);
        }
    }
    return typed;
}

std::string why_anew(const schedule::TimedSchedule& file,
                     const TypedOptions& typed,
                     const LoadedIslands& loaded) {
    std::vector<std::string> reasons;
    for (const std::string& name : typed) {
        if (name != "--forgetting") {  // the score alone depends on it
            reasons.push_back(name);
        }
    }
    if (file.network_sha256 != loaded.sha256) {
        reasons.emplace_back("another network");
    }
    return fmt::format("{}", fmt::join(reasons, ", "));
}

core::Result<void> take_from_file(const schedule::TimedSchedule& file,
                                  const TypedOptions& typed,
                                  LoadedIslands& loaded) {
    if (!typed.contains("--rounds")) {
        loaded.pace = file.pace;
    }
    if (!typed.contains("--payload-gb")) {
        loaded.islands.payload_gb = file.payload_gb;
        loaded.can.payload_gb = file.payload_gb;
    }
    if (!typed.contains("--memory-gb")) {
        loaded.can.memory_gb = file.memory_gb;
    }
    if (!typed.contains("--guard-ms")) {
        loaded.can.guard_ms = file.guard_ms;
    }
    if (!typed.contains("--forgetting")) {
        loaded.mixing.forgetting = file.forgetting;
    }
    if (loaded.pace == schedule::Pace::kStreamed && typed.contains("--rounds") &&
        has_weights(file) && schedule::with_targets({}, loaded.islands).target.empty()) {
        return core::fail({"",
                           "--rounds",
                           "streamed rounds have equal weights, and the file states others",
                           "--rounds uniform or own"});
    }
    return check_polish(loaded);
}

core::Result<Scored> scored_file(const schedule::TimedSchedule& file,
                                 const TypedOptions& typed,
                                 schedule::RoundTimes& times,
                                 const LoadedIslands& loaded) {
    if (why_anew(file, typed, loaded).empty()) {
        Scored found = of_timed(file, loaded);
        if (std::string why = schedule::why_not_carried(file, loaded.islands);
            found.score.feasible && !why.empty()) {
            found.score.feasible = false;
            found.score.reason = std::move(why);
            found.score.score_ms = std::numeric_limits<double>::infinity();
            found.timed.reset();
        }
        return found;
    }
    const schedule::Schedule rounds = file.schedule();
    if (loaded.pace == schedule::Pace::kStreamed) {
        return scored(rounds, times, loaded);
    }
    schedule::TimedSchedule anew;
    if (typed.contains("--trees")) {
        if (const auto score = schedule::score_schedule(rounds, times, loaded.pace, loaded.mixing);
            !score.feasible) {
            return without_times(file, times, loaded, score.reason);
        }
        anew = schedule::timed_schedule(rounds, times, loaded.pace);
        take_weights(file, anew);
    } else {
        std::string reason;
        auto found = schedule::timed_anew(file, times, loaded.pace, &reason);
        if (!found) {
            return without_times(file, times, loaded, std::move(reason));
        }
        anew = std::move(*found);
    }
    Scored found = of_timed(std::move(anew), loaded);
    polish(found, times, loaded);
    return found;
}

}  // namespace longhaul::app
