// Runs a trial: the emulated network, its processes, and what they tell.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/emulate/report.hpp"
#include "longhaul/runtime/session.hpp"
#include "longhaul/runtime/trial.hpp"

namespace longhaul::runtime {

struct TrialRun {
    Trial trial;
    emulate::Traffic traffic;  ///< what the network carried
    std::vector<emulate::Counters> counters;
    int exit_code = 0;  ///< not 0: a signal ended the trial, 128 + its number
};

/// Builds the network, runs the session in it, and takes it down. The process must have one thread.
/// Nothing is left behind, however the calling process ends. `warn` gets what the kernel refused.
[[nodiscard]] core::Result<TrialRun> run_trial(const Session& session,
                                               const std::function<void(const std::string&)>& warn);

}  // namespace longhaul::runtime
