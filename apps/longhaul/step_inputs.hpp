// A plan replayed: what `simulate` and `validate` share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longhaul/plan_inputs.hpp"
#include "longhaul/study/build_step.hpp"
#include "longhaul/study/replay.hpp"
#include "longhaul/study/step_report.hpp"
#include "longhaul/topology/routes.hpp"

namespace longhaul::app {

/// Options of a replay as typed.
struct StepInputs {
    std::string fabric;
    std::string topology;  ///< whose routes messages take; empty: the pairs of the fabric
    std::string schedule;  ///< empty: that of the plan
    int chunks = 1;
    std::optional<int> microbatches;
    std::vector<double> stage_seconds;
    std::optional<double> forward_share;
    double update_seconds = 0;
    bool no_overlap = false;
    bool one_peer_at_a_time = false;
    bool ignore_shared = false;
    bool cold = false;
    int cores = 0;                 ///< that all devices share; 0: each has its own
    std::string sharing = "fair";  ///< how messages share a link: fair or queue
    int steps = 1;
};

/// Adds them to a command; CLI11 stays in the .cpp files that call it.
void add_step_options(CLI::App& command, StepInputs& inputs);

struct PlayedPlan {
    LoadedPlan read;
    double score = 0;  ///< seconds of the model, of the plan as it stands
    study::StepOptions options;
    study::StepGraph graph;
    study::StepNetwork network;
    study::Replay replay;
    /// A step, see study::step_seconds.
    [[nodiscard]] double seconds() const { return study::step_seconds(graph, replay.times); }
};

/// The routes of --topology; nothing without it.
[[nodiscard]] core::Result<std::optional<topology::Routes>> load_step_routes(
    const StepInputs& inputs);

/// Reads a plan and replays its step, over the routes if there are any. `name` of the plan in
/// messages.
[[nodiscard]] core::Result<PlayedPlan> play_plan(std::string_view text,
                                                 const std::string& name,
                                                 const StepInputs& inputs,
                                                 const std::optional<topology::Routes>& routes);

}  // namespace longhaul::app
