// The process of an island in a trial: sends its payload when the schedule says, adds up what its
// aggregator hands on, asks for what is missing, and tells the coordinator what it ended with.
#pragma once

#include "longhaul/runtime/session.hpp"

namespace longhaul::runtime {

/// Runs until the coordinator ends it; returns the exit code of the process.
[[nodiscard]] int run_island(const Session& session, int island);

}  // namespace longhaul::runtime
