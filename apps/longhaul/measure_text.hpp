// What measure prints of fits.
#pragma once

#include <string>
#include <vector>

#include "longhaul/measure/link_fit.hpp"

namespace longhaul::app {

/// One line a fit, then the suspects with their reasons, then the pairs that are missing.
[[nodiscard]] std::string fits_text(const measure::LinkFits& fits);

/// "a>b, a>c, b>c and 5 more".
[[nodiscard]] std::string some_of(const std::vector<std::string>& places);

}  // namespace longhaul::app
