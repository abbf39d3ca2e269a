// The process between the network and an island in a trial: takes the streams of the island's
// clique off the network, and hands on what the aggregator adds up.
#pragma once

#include "longhaul/runtime/session.hpp"

namespace longhaul::runtime {

/// Runs until the coordinator ends it; returns the exit code of the process.
[[nodiscard]] int run_aggregator(const Session& session, int island);

}  // namespace longhaul::runtime
