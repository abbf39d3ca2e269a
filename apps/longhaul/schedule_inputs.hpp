// Inputs that the schedule commands share: a network of islands and what it can do. Includes CLI11:
// for schedule_*.cpp only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longhaul/options.hpp"
#include "longhaul/schedule/capabilities.hpp"
#include "longhaul/schedule/islands.hpp"
#include "longhaul/schedule/mixing.hpp"
#include "longhaul/schedule/schedule_file.hpp"
#include "longhaul/schedule/timed.hpp"

namespace longhaul::app {

/// Values of the shared options as typed.
struct ScheduleInputs {
    std::string network;
    std::optional<double> payload_gb;
    std::optional<double> access_gbps;
    std::optional<double> memory_gb;
    double guard_ms = 0;
    std::string trees = "shortest";
    std::string sharing = "equal";
    std::string rounds = "uniform";
    bool own_rates = false;
    bool best_weights = false;
    double forgetting = 1;
};

/// What they name, read and checked.
struct LoadedIslands {
    schedule::Islands islands;
    std::string sha256;  ///< of the bytes of the file
    schedule::Capabilities can;
    schedule::MixingOptions mixing;
    schedule::Pace pace = schedule::Pace::kUniform;
    bool own_rates = false;     ///< senders of a clique take rates of their own
    bool best_weights = false;  ///< contributions take unequal weights
};

/// Adds --network, --payload-gb, --access-gbps, --memory-gb.
void add_network_inputs(CLI::App& command, ScheduleInputs& inputs);
/// Adds --guard-ms, --trees, --sharing, --rounds.
void add_timing_inputs(CLI::App& command, ScheduleInputs& inputs);
/// The same, and --forgetting.
void add_model_inputs(CLI::App& command, ScheduleInputs& inputs);

/// Rounds of a period at most, in every search.
inline constexpr int kMostPeriod = 32;

/// "uniform", "own" or "streamed", as --rounds checks.
[[nodiscard]] schedule::Pace pace_of(const std::string& rounds);

/// Adds --schedule, which load_rounds reads.
void add_schedule_choice(CLI::App& command, std::string& schedule);

/// Fails where the network has fewer islands than `least`: one has nobody to average with.
[[nodiscard]] core::Result<LoadedIslands> load_islands(const ScheduleInputs& inputs,
                                                       std::size_t least = 2);

/// Fails where rates or weights of their own are asked for and cannot be had.
[[nodiscard]] core::Result<void> check_polish(const LoadedIslands& loaded);

/// A schedule by its name in the network file, or from a file: a schedule, or an object with
/// "rounds", lists of cliques of names.
struct NamedRounds {
    std::string name;
    schedule::Schedule schedule;
    std::optional<schedule::TimedSchedule> timed;  ///< of a schedule file: as it stands there
};
/// `check`: what a schedule file is compared with; unless stated, it may come from another network
/// with the same islands.
[[nodiscard]] core::Result<NamedRounds> load_rounds(const std::string& name_or_file,
                                                    const LoadedIslands& loaded,
                                                    const schedule::ScheduleFileOptions& check = {
                                                        .network_sha256 = "",
                                                        .other_network = true});

}  // namespace longhaul::app
