// Schedules as files: what the optimiser found, for the event simulator and the runtime to follow
// (docs/formats/schedule.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/core/document.hpp"
#include "longhaul/core/value.hpp"
#include "longhaul/schedule/islands.hpp"
#include "longhaul/schedule/timed.hpp"

namespace longhaul::schedule {

/// What the reader compares a schedule with.
struct ScheduleFileOptions {
    std::string network_sha256;  ///< of the bytes of the network's file; empty: not compared
    bool other_network = false;  ///< accept a schedule that was made for another network
};

/// Reads a schedule of these islands. Reports every problem: names that are no island, rounds that
/// are no partition, trees that are none or miss a member, cliques that end before their bytes have
/// arrived (not with `other_network`: latencies may differ), rows of weights that do not sum to 1.
/// O(file + rounds members^2 links).
[[nodiscard]] core::Result<TimedSchedule> read_schedule(const core::Document& document,
                                                        const Islands& islands,
                                                        const ScheduleFileOptions& options = {});

/// The file as a tree, so that a caller can add keys of its own (score, provenance). The schedule
/// must fit the islands; its numbers must be finite.
[[nodiscard]] core::Value schedule_value(const TimedSchedule& schedule, const Islands& islands);

/// JSON text that read_schedule reads back equal, to the last bit of every number.
[[nodiscard]] std::string write_schedule(const TimedSchedule& schedule, const Islands& islands);

/// "uniform", "own" or "streamed".
[[nodiscard]] std::string_view name_of(Pace pace);

/// Names of directed links: "NYC>LON"; a second link of that name is "NYC>LON#2".
[[nodiscard]] std::vector<std::string> link_names(const Islands& islands);

}  // namespace longhaul::schedule
