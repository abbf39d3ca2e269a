// The process that leads a trial: gathers the hosts, has them compare their clocks, says when to
// start, and writes down what they tell.
#pragma once

#include "longhaul/runtime/session.hpp"

namespace longhaul::runtime {

/// Leads the session; writes its log (report.hpp: read_log) as JSON to a descriptor, and returns
/// the exit code of the process. In the control namespace.
[[nodiscard]] int run_coordinator(const Session& session, int log_fd);

}  // namespace longhaul::runtime
