// place --pp auto --dp auto: every shape that fits, and the best of them.
#pragma once

#include "longhaul/inputs.hpp"
#include "longhaul/placement/shapes.hpp"

namespace longhaul::app {

struct PlacedShapes {
    LoadedFabric fabric;
    placement::BestShape best;
    core::Diagnostics too_small;  ///< why each shape is refused, where devices with more memory
                                  ///< could run one; empty: `best` is there
};

/// Whether a shape is to be chosen.
[[nodiscard]] bool automatic_shape(const PlacementInputs& inputs);

/// Sizes the job for every shape and places each. Fails when no shape can run, whatever the memory.
[[nodiscard]] core::Result<PlacedShapes> place_best_shape(const PlacementInputs& inputs,
                                                          const placement::SolveOptions& options,
                                                          const placement::ShapeWatch& watch);

/// Table of the shapes, best first.
[[nodiscard]] std::string shapes_text(const std::vector<placement::ShapeTrial>& trials);
[[nodiscard]] core::Value shapes_value(const std::vector<placement::ShapeTrial>& trials);

}  // namespace longhaul::app
