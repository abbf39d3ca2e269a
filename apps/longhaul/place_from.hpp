// What a run of place --from comes to, and how it is shown.
#pragma once

#include <string>
#include <vector>

#include "longhaul/inputs.hpp"
#include "longhaul/placement/plan.hpp"
#include "longhaul/placement/replan_tensor.hpp"

namespace longhaul::app {

using placement::Plan;
using placement::Replan;
using placement::ReplanPoint;

/// How the devices of the new fabric were found in the old plan.
struct Match {
    std::vector<placement::OldPlace> places;  ///< of the devices of the new fabric
    std::vector<char> known;                  ///< whether the old plan names it
    std::vector<std::string> names;           ///< of the devices of the new fabric
    int stayed = 0;
    int joined = 0;
    int left = 0;
    std::string by;  ///< "name" or "index"
};

struct FromRun {
    Plan old_plan;
    LoadedFabric fabric;
    Match match;
    placement::TensorGroups groups;  ///< with tp > 1
    placement::OldWork old;          ///< of devices, or of these groups
    Plan plan;                       ///< within the moves asked for
    Replan replan;
};

/// The curve of moves, what moves, and the plan, for people.
[[nodiscard]] std::string from_text(const FromRun& run, const std::string& old_path);
/// The same as one JSON object.
[[nodiscard]] core::Value from_value(const FromRun& run, const std::string& old_path);

}  // namespace longhaul::app
