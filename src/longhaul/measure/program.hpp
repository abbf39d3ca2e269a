// What the leader of a task does: chooses the sizes, warms up, repeats until the intervals are
// narrow enough or the budget is used. It sees links only through Team, so that it can be tested
// without any.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "longhaul/measure/order.hpp"
#include "longhaul/measure/raw.hpp"

namespace longhaul::measure {

/// What one flow of a round took.
struct FlowTimes {
    int flow = 0;          ///< index into TaskOrder::flows
    double begin_s = 0;    ///< after the common start
    double elapsed_s = 0;  ///< begin -> last acknowledgement
    std::vector<double> per_stream_s;
    std::optional<double> receive_s;
    std::optional<double> connect_s;
    std::optional<double> cpu_share;
    std::optional<TcpFacts> tcp;
    std::string congestion_control;
};

/// One message of each flow, all started together.
struct RoundTimes {
    std::string t;
    std::vector<FlowTimes> flows;
    double skew_s = 0;                         ///< how far apart the starts may have been
    std::map<std::string, double> received_s;  ///< by host: it had all, after the common start
};

/// Why a task ended early.
struct TaskProblem {
    std::string kind;  ///< as in Event: "timeout", "refused", "peer_lost", ...
    std::string detail;
};

/// All agents of a task, as its leader uses them.
class Team {
public:
    Team() = default;
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    virtual ~Team() = default;

    /// Sends a message of that size over every flow. `fresh`: over new connections.
    [[nodiscard]] virtual tl::expected<RoundTimes, TaskProblem> round(double bytes, bool fresh) = 0;
    /// Waits; false when the task was aborted.
    [[nodiscard]] virtual bool pause(double seconds) = 0;
    /// Seconds on any steady clock.
    [[nodiscard]] virtual double clock() = 0;
};

struct ProgramResult {
    bool complete = false;
    std::vector<TaskProblem> events;  ///< what is worth telling, also of a complete task
};

/// Runs a task; `emit` gets each sample when it is there (without `concurrent`, path labels).
[[nodiscard]] ProgramResult run_program(const TaskOrder& order,
                                        Team& team,
                                        const std::function<void(const Sample&)>& emit);

/// Half-width of the 95 % interval of the median, relative to it, from the median absolute
/// deviation (1.4826 MAD estimates sigma, the median of normal samples has 1.2533 sigma / sqrt n;
/// Student's t for few samples). Infinite for fewer than 3.
[[nodiscard]] double relative_half_width(std::vector<double> samples);

}  // namespace longhaul::measure
