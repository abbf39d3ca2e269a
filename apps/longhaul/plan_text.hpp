// A plan as people read it: `place` and `demo` print this.
#pragma once

#include <string>

#include "longhaul/fabric/fabric.hpp"
#include "longhaul/placement/plan.hpp"

namespace longhaul::app {

/// "c_pp 0.128 GB in 1 message, c_dp 0.65 GB in 1 message", with what goes back and the number of
/// micro-batches where those differ.
[[nodiscard]] std::string payloads_text(const workload::Workload& workload);

/// What the additive score is not, where several messages or micro-batches pass several stages;
/// else empty.
[[nodiscard]] std::string additive_note(const placement::Terms& terms,
                                        const workload::Workload& workload,
                                        int pp);

/// Several lines, the last one the rank map as a bash array. No times: equal plans, equal text.
[[nodiscard]] std::string plan_text(const placement::Plan& plan, const fabric::Fabric& fabric);

}  // namespace longhaul::app
