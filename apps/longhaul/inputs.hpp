// Inputs that the placement commands share: a fabric, a workload, a shape. Includes CLI11: for
// cmd_*.cpp only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "longhaul/fabric/fabric.hpp"
#include "longhaul/options.hpp"
#include "longhaul/placement/costs.hpp"
#include "longhaul/workload/job.hpp"
#include "longhaul/workload/size.hpp"

namespace longhaul::app {

/// Of --pp and --dp: "auto".
inline constexpr int kAuto = -1;

/// Values of the shared options as typed.
struct PlacementInputs {
    std::string fabric;
    int pp = 0;  ///< 0: not given; kAuto: every shape that fits
    int dp = 0;
    int tp = 1;
    double sequence_seconds = 0;
    std::optional<double> c_pp;
    std::optional<double> c_dp;
    int pp_messages = 1;
    int dp_messages = 1;
    std::string job;
    std::optional<double> c_pp_backward;
    std::optional<int> pp_backward_messages;
    std::optional<int> microbatches;
    std::vector<double> stage_seconds;
    std::string objective = "additive";
    double forward_share = 1.0 / 3;
    std::string exchange = "sharded";
    bool ignore_shared = false;
    std::string layers;
    std::string schedule = "1f1b";
    std::vector<std::string> given;           ///< long names of the options that were typed
    std::vector<workload::Layer> old_layers;  ///< that count where `layers` names no file
    [[nodiscard]] bool has(const std::string& option) const {
        return std::ranges::find(given, option) != given.end();
    }
};

/// What they name, read and checked.
struct LoadedProblem {
    std::string fabric_path;
    std::string fabric_sha256;
    fabric::Fabric fabric;
    workload::Workload workload;
    placement::Problem problem;
};

/// Adds --fabric (--matrix), --pp, --dp, --c-pp, --c-dp, the message counts, and --job, which
/// stands for all but the fabric. `choose`: --pp and --dp may be auto.
void add_placement_inputs(CLI::App& command, PlacementInputs& inputs, bool choose);

/// Notes which options were typed.
void note_given(const CLI::App& command, PlacementInputs& inputs);

/// Fails for automatic shapes, which only `place` offers.
[[nodiscard]] core::Result<LoadedProblem> load_problem(const PlacementInputs& inputs);

/// What the options besides the shape ask of a workload, and of the score. Seconds of --layers hold
/// for the sequences that a replica has in the job file; `share`: those that it has in this shape,
/// in parts of them. 1 without a job.
[[nodiscard]] core::Result<void> apply_options(const PlacementInputs& inputs,
                                               double share,
                                               workload::Workload& workload);
/// The schedule is that of the job file (none: no --job), unless --schedule is typed.
[[nodiscard]] placement::Terms terms_of(const PlacementInputs& inputs,
                                        const std::optional<workload::PipelineSchedule>& of_job);

/// Compute seconds of every stage of a job, from --sequence-seconds.
[[nodiscard]] std::vector<double> stage_seconds_of(const PlacementInputs& inputs,
                                                   const workload::Job& job);

/// A fabric file with the hash of its bytes.
struct LoadedFabric {
    fabric::Fabric fabric;
    std::string sha256;
};
[[nodiscard]] core::Result<LoadedFabric> load_fabric(const std::string& path);

/// The fabric that a plan names, which must be a plain file: a plan that came from elsewhere must
/// not make a command wait for a pipe or for standard input.
[[nodiscard]] core::Result<LoadedFabric> load_named_fabric(const std::string& path);

/// The job with the memory of the smallest device of the fabric, where that is known and less than
/// its own. Layers are divided by the memory of each device: then only its own counts.
[[nodiscard]] workload::Job on_devices_of(const fabric::Fabric& fabric,
                                          const PlacementInputs& inputs,
                                          workload::Job job);

/// Warns on standard error when stages of a job need more than its memory; names the worst, and
/// whose memory it is.
void warn_of_memory(const workload::Sizing& sizing, const workload::Job& job);

/// Adds --seed and --threads; the result is in the two variables.
void add_seed(CLI::App& command, std::uint64_t& seed);
void add_threads(CLI::App& command, int& threads);

/// "device 9 (Oregon)", or "device 9 (ip-7/1, Oregon)" where its host is known: index, name as in
/// plans, and label where the name does not begin with it. O(n).
[[nodiscard]] std::string device_name(const fabric::Fabric& fabric, int device);

/// "rank_map=(r0 r1 ...)".
[[nodiscard]] std::string rank_map_line(const std::vector<int>& rank_map);

/// UTC now in ISO 8601, or the moment that SOURCE_DATE_EPOCH names: seconds since 1970, up to the
/// end of the year 9999.
[[nodiscard]] core::Result<std::string> utc_now();

}  // namespace longhaul::app
