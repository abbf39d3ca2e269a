// The table, the verdict and the crossing points that advise prints.
#pragma once

#include <string>

#include "longhaul/advise_inputs.hpp"

namespace longhaul::app {

[[nodiscard]] std::string advise_text(const study::Advice& advice,
                                      const AdviseCase& made,
                                      const AdviseInputs& inputs);

}  // namespace longhaul::app
