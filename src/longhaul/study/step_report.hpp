// What a replayed step says to a person: the time, where it went, and what decided it.
#pragma once

#include <string>
#include <vector>

#include "longhaul/core/value.hpp"
#include "longhaul/report/gantt.hpp"
#include "longhaul/study/critical_path.hpp"
#include "longhaul/study/idle.hpp"
#include "longhaul/study/replay.hpp"

namespace longhaul::study {

/// Seconds of one device.
struct DeviceReport {
    int device = 0;
    bool used = false;  ///< has a rank
    int stage = 0;
    int replica = 0;
    double computing_s = 0;
    double waiting_compute_s = 0;
    double waiting_network_s = 0;
    double waiting_stragglers_s = 0;
};

/// One part of the critical path: tasks of one kind that follow each other.
struct CriticalPart {
    TaskKind kind = TaskKind::kForward;
    int device = 0;
    int peer = -1;
    double begin_s = 0;
    double end_s = 0;
    int tasks = 1;
};

struct LinkReport {
    std::string name;
    double gb = 0;
    double busy_s = 0;
    double limiting_s = 0;
};

/// Everything but `step_s` is of all steps together.
struct StepReport {
    int steps = 1;
    double total_s = 0;  ///< of all steps
    double step_s =
        0;  ///< from the end of the first to the end of the last, each; or of the only one
    double pipeline_s = 0;  ///< until the last backward pass of the first step has ended
    std::vector<DeviceReport> devices;
    std::vector<CriticalPart> critical;
    std::vector<LinkReport> links;  ///< that carried anything, busiest first
};

/// Seconds a step: of several in a row, the mean of all but the first. O(tasks).
[[nodiscard]] double step_seconds(const StepGraph& graph, const StepTimes& times);

/// O(tasks log tasks).
[[nodiscard]] StepReport report_step(const StepGraph& graph,
                                     const StepNetwork& network,
                                     const Replay& replay);

/// The object that `simulate --json` prints; `names` of the devices.
[[nodiscard]] core::Value to_value(const StepReport& report, const std::vector<std::string>& names);

/// The step as a picture: a lane for computing, one for messages that leave; rows stage by stage,
/// the first replicas when there are more devices than rows.
[[nodiscard]] report::Gantt gantt_of(const StepGraph& graph,
                                     const StepTimes& times,
                                     const std::vector<std::string>& names);

}  // namespace longhaul::study
