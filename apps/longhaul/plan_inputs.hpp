// A plan with the fabric and the problem that it is scored on.
#pragma once

#include <string>
#include <string_view>

#include "longhaul/inputs.hpp"
#include "longhaul/placement/plan.hpp"

namespace longhaul::app {

struct LoadedPlan {
    LoadedProblem loaded;
    placement::Plan plan;
};

/// A plan with its own workload, shape and terms; on the fabric of that path, or, where it is
/// empty, on its own, whose SHA-256 must be the one in the plan. `name` of the plan in messages.
[[nodiscard]] core::Result<LoadedPlan> load_plan(const std::string& fabric,
                                                 std::string_view text,
                                                 std::string name);

}  // namespace longhaul::app
