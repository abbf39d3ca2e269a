// Runs an emulated WAN from start to end.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/emulate/report.hpp"
#include "longhaul/emulate/wan.hpp"

namespace longhaul::emulate {

/// A process that runs code of the caller on a host, instead of a program.
struct Task {
    std::optional<std::size_t> on;  ///< host; default: the control namespace
    std::function<int()> body;      ///< in a process of its own; its exit code
};

struct Order {
    std::vector<std::string> command;  ///< empty: hold the network until a signal comes
    std::optional<std::size_t> on;     ///< host to run it on; default: the control namespace
    bool each = false;                 ///< a copy on every host, lines prefixed with its name
    std::vector<Task> tasks;           ///< instead of a command
    /// The network stands; `pid` is what enter() takes. `warnings`: what the kernel refused.
    std::function<void(int pid, const std::vector<std::string>& warnings)> ready;
    /// SIGUSR1 came.
    std::function<void(const Traffic&, const std::vector<Counters>&)> asked;
};

struct Outcome {
    int exit_code = 0;  ///< of the command; 0 when there was none
    Traffic traffic;
    std::vector<Counters> counters;
};

/// Builds the network, runs the command in it, carries its packets, and returns when it ends. The
/// process must have one thread. SIGINT, SIGTERM, SIGHUP and SIGQUIT go to the command; the third
/// one kills it. Nothing is left behind, however the calling process ends.
[[nodiscard]] core::Result<Outcome> run(const Wan& wan, const Order& order);

}  // namespace longhaul::emulate
