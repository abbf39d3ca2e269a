#include "longhaul/placement/terms.hpp"

namespace longhaul::placement {

std::string_view name_of(Objective objective) {
    return objective == Objective::kAdditive ? "additive" : "pipelined";
}

std::optional<Objective> objective_of_name(std::string_view name) {
    for (const Objective objective : {Objective::kAdditive, Objective::kPipelined}) {
        if (name_of(objective) == name) {
            return objective;
        }
    }
    return std::nullopt;
}

}  // namespace longhaul::placement
