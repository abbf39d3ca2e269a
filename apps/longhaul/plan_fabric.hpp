// The fabric of a plan that may have moved.
#pragma once

#include <string>
#include <string_view>

#include "longhaul/inputs.hpp"

namespace longhaul::app {

/// What a plan, or a certificate, says of its fabric.
struct FabricOfPlan {
    std::string path;                ///< relative to the folder of the command that made it
    std::string sha256;              ///< empty: not said
    std::string plan;                ///< file of the plan, as messages name it
    std::string_view kind = "plan";  ///< what that file is
};

struct FoundFabric {
    std::string path;
    LoadedFabric loaded;
};

/// The fabric under `given` where it is not empty, whatever its hash. Else the plain file of that
/// hash among: the path from the current folder, the path from the folder of the plan, the file
/// name beside the plan. Where none has it, the message names the plan, what it wants and --fabric.
[[nodiscard]] core::Result<FoundFabric> fabric_of_plan(const FabricOfPlan& plan,
                                                       const std::string& given);

}  // namespace longhaul::app
