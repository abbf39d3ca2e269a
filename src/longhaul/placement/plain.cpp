#include "longhaul/placement/plain.hpp"

#include <fmt/format.h>

namespace longhaul::placement {

core::Result<void> require_plain(const Problem& problem, const std::string& option) {
    if (problem.terms.objective != Objective::kAdditive || problem.exchange != nullptr ||
        problem.shape.tp != 1 || has_compute(problem)) {
        return core::fail(
            {"",
             option,
             "counts the additive objective with the sharded exchange, without compute "
             "times, shared capacity and tensor groups",
             "leave these out, or place without " + option});
    }
    if (problem.devices() != problem.shape.devices()) {
        return core::fail({"",
                           option,
                           fmt::format("the fabric has {} devices for {} places",
                                       problem.devices(),
                                       problem.shape.devices()),
                           "take devices out of the fabric, or place without " + option});
    }
    return {};
}

}  // namespace longhaul::placement
