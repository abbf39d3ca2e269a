// A plan as people read it: `place` and `demo` print this.
#pragma once

#include <string>

#include "longhaul/fabric/fabric.hpp"
#include "longhaul/placement/plan.hpp"

namespace longhaul::app {

/// Several lines, the last one the rank map as a bash array. No times: equal plans, equal text.
[[nodiscard]] std::string plan_text(const placement::Plan& plan, const fabric::Fabric& fabric);

}  // namespace longhaul::app
