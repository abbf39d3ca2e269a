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

/// Fills what was not given (see note_given): shape, payloads, compute and terms are those of the
/// plan. With a job file the terms alone.
void fill_from_plan(const placement::Plan& plan, PlacementInputs& inputs);

/// Warns when the fabric calls a device otherwise than the plan: the rank map, which goes by index,
/// then puts ranks on other devices. Says nothing when the plan has no names or another size.
void warn_of_other_devices(const placement::Plan& plan,
                           const fabric::Fabric& fabric,
                           const std::string& name);

/// A plan with its own workload, shape and terms; on the fabric of that path, or, where it is
/// empty, on its own, see fabric_of_plan. `name` of the plan in messages.
[[nodiscard]] core::Result<LoadedPlan> load_plan(const std::string& fabric,
                                                 std::string_view text,
                                                 std::string name);

}  // namespace longhaul::app
