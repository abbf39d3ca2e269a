// What measure fit adds to the fits of single links: shared resources, and estimates of pairs that
// were not measured.
#pragma once

#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/fabric/shared.hpp"
#include "longhaul/measure/fabric_of.hpp"

namespace longhaul::app {

/// Fits the shared resources when fans or both ways were measured, and writes them into the fits.
/// Returns what a fabric can state of them; nothing of a model that is not trusted (a warning says
/// so).
[[nodiscard]] std::vector<fabric::SharedCapacity> add_shared(const measure::Raw& raw,
                                                             const measure::FabricOptions& options,
                                                             measure::LinkFits& fits);

/// Sets options.completed from what was measured. Says on standard error how far off estimates were
/// of measured pairs.
[[nodiscard]] core::Result<void> add_completion(const measure::LinkFits& fits,
                                                measure::FabricOptions& options);

}  // namespace longhaul::app
