// Pictures of a schedule that the schedule commands can write. Includes CLI11: for schedule_*.cpp
// only.
#pragma once

#include <string>
#include <vector>

#include "longhaul/schedule/comparators.hpp"
#include "longhaul/schedule_inputs.hpp"

namespace longhaul::app {

/// Files to write; empty: not wanted.
struct SchedulePictures {
    std::string map;
    std::string mixing;
    std::string curves;
    std::string timeline;

    [[nodiscard]] std::vector<std::string> paths() const { return {map, mixing, curves, timeline}; }
};

/// Adds --picture-map, --picture-mixing, --picture-curves, --picture-timeline.
void add_pictures(CLI::App& command, SchedulePictures& pictures);

/// The pictures and the schedule; empty paths write nothing.
[[nodiscard]] std::vector<std::string> written_files(const std::string& output,
                                                     const SchedulePictures& pictures);

/// Adds -o, the pictures and --json.
void add_schedule_outputs(CLI::App& command,
                          std::string& output,
                          SchedulePictures& pictures,
                          bool& json);

/// What is drawn.
struct DrawnSchedule {
    std::string name;
    schedule::TimedSchedule timed;
    std::vector<double> round_ms;  ///< least time of each round
    schedule::Survival mixing;
    double score_ms = 0;
    std::vector<schedule::Comparator> others;  ///< for the curves: those with a schedule of cliques
};

/// Fails when one of the files could not be written, is written twice, is read too, or shares
/// standard output with the object of --json.
[[nodiscard]] core::Result<void> check_outputs(const std::string& output,
                                               const SchedulePictures& pictures,
                                               const std::vector<std::string>& read,
                                               bool json);

/// The schedule with everything that running it takes, and the pictures; empty paths write nothing.
[[nodiscard]] core::Result<void> write_all(const std::string& output,
                                           const SchedulePictures& pictures,
                                           const LoadedIslands& loaded,
                                           const DrawnSchedule& drawn);

[[nodiscard]] core::Result<void> write_pictures(const SchedulePictures& pictures,
                                                const LoadedIslands& loaded,
                                                const DrawnSchedule& drawn);

}  // namespace longhaul::app
