// What measure fit adds to the fits of single links: shared resources, and estimates of pairs that
// were not measured.
#pragma once

#include <string>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/fabric/shared.hpp"
#include "longhaul/measure/fabric_of.hpp"

namespace longhaul::app {

/// Of a trusted model of shared resources.
struct FoundSharing {
    std::vector<fabric::SharedCapacity> capacities;  ///< what a fabric can state
    std::vector<std::string> left_out;               ///< what it cannot, in words
};

/// Fits the shared resources when fans or both ways were measured, and writes them into the fits.
/// Nothing of a model that is not trusted (a warning says so).
[[nodiscard]] FoundSharing add_shared(const measure::Raw& raw,
                                      const measure::FabricOptions& options,
                                      measure::LinkFits& fits);

/// A line a resource that a fabric cannot state; or that nothing tells of sharing although hosts
/// declare groups. Empty when there is nothing to say.
[[nodiscard]] std::string sharing_text(const measure::LinkFits& fits, const FoundSharing& found);

/// The same resources as warnings, for who writes a fabric.
void warn_left_out(const FoundSharing& found);

/// Sets options.completed from what was measured. Says on standard error how far off estimates were
/// of measured pairs.
[[nodiscard]] core::Result<void> add_completion(const measure::LinkFits& fits,
                                                measure::FabricOptions& options);

}  // namespace longhaul::app
