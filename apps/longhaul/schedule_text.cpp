#include "longhaul/schedule_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/ranges.h>

#include "longhaul/command.hpp"
#include "longhaul/schedule/polish.hpp"
#include "longhaul/schedule/replan.hpp"
#include "longhaul/schedule/schedule_file.hpp"
#include "longhaul/schedule/timed_score.hpp"

namespace longhaul::app {

using schedule::Comparator;
using schedule::Islands;

namespace {

/// Elements of four bytes in a slot: 16 kB, some ten packets.
constexpr std::uint32_t kSlotElements = 4096;
/// What an incomplete slot waits beyond the spread of the arrivals, ms.
constexpr double kPatienceMs = 50;

std::string range_text(std::vector<double> values, const char* unit, const char* none) {
    const auto [least, most] = std::ranges::minmax(values);
    if (most == 0) {
        return none;
    }
    return least == most ? fmt::format("{} {}", most, unit)
                         : fmt::format("{} to {} {}", least, most, unit);
}

/// "1 island", "9 islands".
std::string counted(std::size_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

std::string network_line(const LoadedIslands& loaded) {
    const Islands& islands = loaded.islands;
    std::vector<double> access;
    for (const schedule::Island& island : islands.islands) {
        access.push_back(std::min(island.egress_gbps, island.ingress_gbps));
    }
    return fmt::format(
        "network    {}: {}, {}; {} GB each, {} access, {}{}\n",
        islands.name,
        counted(islands.size(), "island"),
        counted(islands.network.links.size() / 2, "link"),
        islands.payload_gb,
        range_text(access, "Gbit/s", ""),
        range_text(loaded.can.memory_gb, "GB of memory", "no memory"),
        loaded.can.guard_ms > 0 ? fmt::format(", guard {} ms", loaded.can.guard_ms) : "");
}

std::string round_text(const schedule::Round& round, const Islands& islands) {
    std::vector<std::string> cliques;
    std::vector<std::string> alone;
    for (const schedule::Clique clique : round.cliques) {
        std::vector<std::string> names;
        for (const int member : schedule::members_of(clique)) {
            names.push_back(islands.islands[static_cast<std::size_t>(member)].name);
        }
        if (names.size() == 1) {
            alone.push_back(names.front());
        } else {
            cliques.push_back(fmt::format("{{{}}}", fmt::join(names, " ")));
        }
    }
    cliques.insert(cliques.end(), alone.begin(), alone.end());
    return fmt::format("{}", fmt::join(cliques, " "));
}

std::string rounds_text(const schedule::Schedule& schedule,
                        const std::vector<double>& round_ms,
                        const Islands& islands) {
    std::string text;
    for (std::size_t k = 0; k < schedule.rounds.size(); ++k) {
        const std::string time = std::isfinite(round_ms[k]) ? fmt::format("{:.3f} ms", round_ms[k])
                                                            : std::string("never");
        text += fmt::format(
            "round {:<4} {:>12}  {}\n", k + 1, time, round_text(schedule.rounds[k], islands));
    }
    return text;
}

core::Value rounds_value(const schedule::Schedule& schedule, const Islands& islands) {
    core::Value rounds = core::Value::array();
    for (const schedule::Round& round : schedule.rounds) {
        core::Value cliques = core::Value::array();
        for (const schedule::Clique clique : round.cliques) {
            core::Value names = core::Value::array();
            for (const int member : schedule::members_of(clique)) {
                names.append(islands.islands[static_cast<std::size_t>(member)].name);
            }
            cliques.append(std::move(names));
        }
        rounds.append(std::move(cliques));
    }
    return rounds;
}

core::Value number_or_null(double value) {
    return std::isfinite(value) ? core::Value(value) : core::Value();
}

core::Value numbers_or_null(const std::vector<double>& values) {
    core::Value list = core::Value::array();
    for (const double value : values) {
        list.append(number_or_null(value));
    }
    return list;
}

void polish(Scored& found, const schedule::RoundTimes& times, const LoadedIslands& loaded) {
    if (!found.timed || (!loaded.own_rates && !loaded.best_weights)) {
        return;
    }
    const int islands = static_cast<int>(loaded.islands.size());
    if (loaded.own_rates) {
        found.timed = schedule::with_sender_rates(*found.timed, times);
        for (std::size_t k = 0; k < found.timed->rounds.size(); ++k) {
            double longest = 0;
            for (const schedule::TimedClique& clique : found.timed->rounds[k].cliques) {
                longest = std::max(longest, clique.time_ms);
            }
            found.score.round_ms[k] = longest;
        }
    }
    if (loaded.best_weights) {
        schedule::WeightOptions options;
        options.forgetting = loaded.mixing.forgetting;
        found.timed = schedule::with_best_weights(*found.timed, islands, options);
        std::vector<schedule::MixingMatrix> period;
        for (const schedule::TimedRound& round : found.timed->rounds) {
            period.push_back(schedule::mixing_matrix(round, islands));
        }
        found.score.mixing = schedule::survival(period, loaded.mixing);
        found.score.area = found.score.mixing.area;
    }
    found.score.score_ms = schedule::score_of(
        found.score.round_ms, found.score.mixing, loaded.pace, loaded.mixing.forgetting);
}

Scored scored(const schedule::StreamedTimes& streamed,
              schedule::RoundTimes& times,
              const LoadedIslands& loaded) {
    Scored found;
    const schedule::Schedule rounds = streamed.schedule.schedule();
    found.score = schedule::score_schedule(rounds, times, schedule::Pace::kUniform, loaded.mixing);
    found.score.feasible = true;
    found.score.reason.clear();
    found.score.score_ms = streamed.score_ms;
    for (std::size_t k = 0; k < streamed.schedule.rounds.size(); ++k) {
        found.score.round_ms[k] = 0;
        for (const schedule::TimedClique& clique : streamed.schedule.rounds[k].cliques) {
            found.score.round_ms[k] = std::max(found.score.round_ms[k], clique.time_ms);
        }
    }
    found.timed = streamed.schedule;
    found.streamed = streamed;
    return found;
}

Scored scored(const schedule::Schedule& schedule,
              schedule::RoundTimes& times,
              const LoadedIslands& loaded) {
    if (loaded.pace == schedule::Pace::kStreamed) {
        std::string reason;
        if (auto streamed = schedule::stream_schedule(schedule, times, loaded.mixing, &reason)) {
            return scored(*streamed, times, loaded);
        }
        Scored refused;
        refused.score =
            schedule::score_schedule(schedule, times, schedule::Pace::kUniform, loaded.mixing);
        refused.score.feasible = false;
        refused.score.reason = reason;
        refused.score.score_ms = std::numeric_limits<double>::infinity();
        return refused;
    }
    Scored found;
    found.score = schedule::score_schedule(schedule, times, loaded.pace, loaded.mixing);
    if (found.score.feasible) {
        found.timed = schedule::timed_schedule(schedule, times, loaded.pace);
        polish(found, times, loaded);
    }
    return found;
}

namespace {

/// "memory     0.2515 GB needed at most (NYC)", or what is missing.
std::string memory_text(const schedule::TimedSchedule& timed, const LoadedIslands& loaded) {
    constexpr double kRounding = 1e-9;
    const std::vector<double> needed = schedule::memory_needed_gb(timed, loaded.islands);
    const auto at = static_cast<std::size_t>(std::ranges::max_element(needed) - needed.begin());
    const auto name = [&](std::size_t i) { return loaded.islands.islands[i].name; };
    for (std::size_t i = 0; i < needed.size(); ++i) {
        if (needed[i] > timed.memory_gb[i] * (1 + kRounding) + kRounding) {
            return fmt::format(
                "memory     {:.4g} GB needed at {}, which has {:.4g}: sums would be split\n",
                needed[i],
                name(i),
                timed.memory_gb[i]);
        }
    }
    return needed[at] <= kRounding
               ? std::string("memory     none needed\n")
               : fmt::format("memory     {:.4g} GB needed at most ({})\n", needed[at], name(at));
}

}  // namespace

std::string score_text(const Scored& found, const LoadedIslands& loaded) {
    const schedule::ScheduleScore& score = found.score;
    if (!found.timed) {
        return fmt::format("score      none: {}\n", score.reason);
    }
    const std::vector<schedule::TimedRound>& rounds = found.timed->rounds;
    double sum = 0;
    for (const schedule::TimedRound& round : rounds) {
        sum += round.length_ms;
    }
    std::string made_of;
    if (found.timed->pace == schedule::Pace::kUniform) {
        made_of = fmt::format(
            " = A {:.6g} x {:.3f} ms, the longest round", score.area, rounds.front().length_ms);
    } else if (found.timed->pace == schedule::Pace::kOwn) {
        const double mean = sum / static_cast<double>(rounds.size());
        made_of = fmt::format("; A {:.6g} x {:.3f} ms, the mean round, is {:.3f} ms",
                              score.area,
                              mean,
                              score.area * mean);
    }
    return memory_text(*found.timed, loaded) +
           fmt::format(
               "score      {:.3f} ms of disagreement about an update{}\n", score.score_ms, made_of);
}

core::Value memory_value(const Scored& found, const LoadedIslands& loaded) {
    core::Value value = core::Value::object();
    const std::vector<double> needed = schedule::memory_needed_gb(*found.timed, loaded.islands);
    for (std::size_t i = 0; i < needed.size(); ++i) {
        value.set(loaded.islands.islands[i].name, needed[i]);
    }
    return value;
}

std::string streamed_text(const Scored& found) {
    if (!found.streamed) {
        return found.timed && found.timed->pace == schedule::Pace::kStreamed
                   ? fmt::format("streamed   a round starts every {:.3f} ms\n",
                                 found.timed->rounds.front().length_ms)
                   : std::string();
    }
    return fmt::format("streamed   a round starts every {:.3f} ms; fullest link {:.1f} %\n",
                       found.streamed->interval_ms,
                       100 * found.streamed->core_peak);
}

void add_streamed(const Scored& found, core::Value& value) {
    if (found.streamed) {
        value.set("interval_ms", found.streamed->interval_ms)
            .set("core_peak", found.streamed->core_peak)
            .set("memory_peak_gb", core::Value(found.streamed->memory_peak_gb));
    }
}

schedule::Pace comparable_pace(const LoadedIslands& loaded) {
    return loaded.pace == schedule::Pace::kStreamed ? schedule::Pace::kUniform : loaded.pace;
}

std::string comparators_text(std::vector<Comparator> others) {
    std::ranges::stable_sort(others, {}, &Comparator::score_ms);
    std::string text =
        "           others under the same model, in rounds that do not overlap: score, A, longest "
        "round\n";
    for (const Comparator& other : others) {
        if (other.feasible) {
            text += fmt::format("{:>12.3f} ms {:>8.3f} {:>12.3f} ms  {}{}\n",
                                other.score_ms,
                                other.area,
                                other.round_ms,
                                other.name,
                                other.detail.empty() ? "" : " (" + other.detail + ")");
        } else {
            text += fmt::format("       never {:>8.3f}                  {}{}: {}\n",
                                other.area,
                                other.name,
                                other.detail.empty() ? "" : " (" + other.detail + ")",
                                other.reason);
        }
    }
    return text;
}

core::Value comparators_value(const std::vector<Comparator>& others) {
    core::Value list = core::Value::array();
    for (const Comparator& other : others) {
        core::Value one = core::Value::object()
                              .set("name", other.name)
                              .set("detail", other.detail)
                              .set("feasible", other.feasible)
                              .set("score", number_or_null(other.score_ms))
                              .set("a", number_or_null(other.area))
                              .set("round_ms", number_or_null(other.round_ms));
        if (other.equal_shares) {
            one.set("equal_shares", true);
        }
        if (!other.feasible) {
            one.set("reason", other.reason);
        }
        list.append(std::move(one));
    }
    return list;
}

schedule::TimedSchedule ready_to_run(schedule::TimedSchedule timed, const LoadedIslands& loaded) {
    timed.network_name = loaded.islands.name;
    timed.network_sha256 = loaded.sha256;
    timed.slot_elements = kSlotElements;
    timed.forgetting = loaded.mixing.forgetting;
    double spread = 0;
    for (const schedule::TimedRound& round : timed.rounds) {
        for (const schedule::TimedClique& clique : round.cliques) {
            for (const double offset : clique.offset_ms) {
                spread = std::max(spread, clique.time_ms - clique.sending_ms - offset);
            }
        }
    }
    timed.timeout_ms = std::ceil(spread + timed.guard_ms + kPatienceMs);
    return timed;
}

core::Result<void> write_timed(const std::string& path,
                               schedule::TimedSchedule timed,
                               const LoadedIslands& loaded) {
    if (path.empty()) {
        return {};
    }
    return write_file(
        path, schedule::write_schedule(ready_to_run(std::move(timed), loaded), loaded.islands));
}

}  // namespace longhaul::app
