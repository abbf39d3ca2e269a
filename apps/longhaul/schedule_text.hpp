// How the schedule commands print what they found.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longhaul/core/value.hpp"
#include "longhaul/schedule/comparators.hpp"
#include "longhaul/schedule/score.hpp"
#include "longhaul/schedule/streamed.hpp"
#include "longhaul/schedule_inputs.hpp"

namespace longhaul::app {

/// "nine cities: 9 islands, 12 links; 1 GB each, 20 Gbit/s access, no memory".
[[nodiscard]] std::string network_line(const LoadedIslands& loaded);

/// "{NYC LAX WAS} {LON FRA} TYO": islands alone without braces.
[[nodiscard]] std::string round_text(const schedule::Round& round,
                                     const schedule::Islands& islands);

/// One line a round: its time and its cliques.
[[nodiscard]] std::string rounds_text(const schedule::Schedule& schedule,
                                      const std::vector<double>& round_ms,
                                      const schedule::Islands& islands);

/// Rounds of cliques of names.
[[nodiscard]] core::Value rounds_value(const schedule::Schedule& schedule,
                                       const schedule::Islands& islands);

/// Infinite numbers as null.
[[nodiscard]] core::Value number_or_null(double value);
[[nodiscard]] core::Value numbers_or_null(const std::vector<double>& values);

/// A schedule under the pace that was asked for, with everything that running it takes.
struct Scored {
    schedule::ScheduleScore score;
    std::optional<schedule::TimedSchedule> timed;     ///< nothing when not feasible
    std::optional<schedule::StreamedTimes> streamed;  ///< pace streamed
};
[[nodiscard]] Scored scored(const schedule::Schedule& schedule,
                            schedule::RoundTimes& times,
                            const LoadedIslands& loaded);
/// The same of what a search found.
[[nodiscard]] Scored scored(const schedule::StreamedTimes& streamed,
                            schedule::RoundTimes& times,
                            const LoadedIslands& loaded);

/// Rates and weights of their own, where they are asked for; times and score follow. The mixing of
/// `found` must be that of its schedule.
void polish(Scored& found, const schedule::RoundTimes& times, const LoadedIslands& loaded);

/// The line of the score, with what it is made of: A times the longest round, or beside it A times
/// the mean round. The line of its memory stands before.
[[nodiscard]] std::string score_text(const Scored& found, const LoadedIslands& loaded);
/// Memory that the schedule counts on, by island.
[[nodiscard]] core::Value memory_value(const Scored& found, const LoadedIslands& loaded);

/// Interval and fullest link of streamed rounds; empty for others.
[[nodiscard]] std::string streamed_text(const Scored& found);
void add_streamed(const Scored& found, core::Value& value);

/// What others are compared under: they do not stream.
[[nodiscard]] schedule::Pace comparable_pace(const LoadedIslands& loaded);

/// What others do, best first.
[[nodiscard]] std::string comparators_text(std::vector<schedule::Comparator> others);
[[nodiscard]] core::Value comparators_value(const std::vector<schedule::Comparator>& others);

/// The schedule with what running it takes besides times: the network that it is for, the size of
/// slots, and how long one waits.
[[nodiscard]] schedule::TimedSchedule ready_to_run(schedule::TimedSchedule timed,
                                                   const LoadedIslands& loaded);

/// Writes the schedule with everything that running it takes. A path of "" writes nothing.
[[nodiscard]] core::Result<void> write_timed(const std::string& path,
                                             schedule::TimedSchedule timed,
                                             const LoadedIslands& loaded);

}  // namespace longhaul::app
