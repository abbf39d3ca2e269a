// A piece of work in a process of its own, so that its memory can be measured.
#pragma once

#include <functional>

#include "engines.hpp"

namespace longhaul::bench {

/// Runs `work` in a child and hands its result over; peak_mb is filled in. Asserts that the child
/// ended well.
[[nodiscard]] FlowRun run_in_child(const std::function<FlowRun()>& work);

/// CPU seconds that this process has used.
[[nodiscard]] double cpu_seconds();

}  // namespace longhaul::bench
